"""An element of a mapped array appended to a list that had been empty: an assertion failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

SEEN: list[Any] = []


def noted(v):
    SEEN.append(v)
    return v * v


def squares(x):
    return rg.map(noted, x)


def of_its_own(x):
    seen = []

    def kept(v):
        seen.append(v)
        return v * v

    return rg.map(kept, x)


@pytest.mark.parametrize("fun", [squares, of_its_own])
def test_it_is_refused_where_it_is(fun: Any) -> None:
    for transformed in (rg.jit(fun), rg.grad(lambda x: np.sum(fun(x)))):
        SEEN.clear()
        with pytest.raises(UserError, match="changes something else"):
            transformed(np.arange(4.0))
        assert not SEEN
