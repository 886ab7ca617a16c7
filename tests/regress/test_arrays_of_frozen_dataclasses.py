"""np.asarray of a frozen dataclass with arrays as fields stacked the fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg


@dataclass(frozen=True)
class Pair:
    left: Any
    right: Any


@pytest.mark.parametrize("make", [np.asarray, np.array, np.sum, np.stack, np.concatenate])
def test_a_record_is_no_array(make) -> None:
    with pytest.raises(rg.UserError, match=r"np.array of|an array of|loop over|but a tuple"):
        rg.jit(lambda x: make(Pair(x, x)))(np.ones(2))
