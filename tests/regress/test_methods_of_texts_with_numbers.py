"""A method of a text with a number of the run ended in an AttributeError about `UserError`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def of_numbers(x: Any, k: int) -> Any:
    return x[0] if f"model {k}".endswith("5") else x[1]


def of_extents(x: Any, k: int) -> Any:
    return x[0] * k if str(len(x)).startswith("5") else x[1]


@pytest.mark.parametrize("program", [of_numbers, of_extents])
def test_it_is_refused_at_its_place(program: Any) -> None:
    for way in (rg.jit, rg.grad):
        with pytest.raises(UserError, match="RG0126") as caught:
            way(program)(np.ones(5), 5)
        assert "with(" in str(caught.value)
