"""`del l[i]` outside of the list said what `pop` says."""

from __future__ import annotations

import pytest

import retrograd as rg


def removed(x: float, i: int) -> float:
    items = [x, 2.0 * x, 3.0 * x]
    del items[i]
    return items[0]


def emptied(x: float) -> float:
    items: list[float] = []
    del items[0]
    return x


def test_what_it_says() -> None:
    assert rg.jit(removed)(2.0, 0) == 4.0
    for f, args in ((removed, (1.0, 3)), (emptied, (1.0,))):
        with pytest.raises(IndexError, match="list assignment index out of range"):
            rg.jit(f)(*args)
