"""An index below the beginning was told as -1 where it was -5: after the length had been added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

LINE = np.arange(4.0)
TABLE = np.ones((4, 3))


def read(x, k):
    return x[k] * 1.0


def written(x, k):
    y = x * 2.0
    y[k] = 1.0
    return np.sum(y)


def summed(x, k):
    s = 0.0
    for j in range(5):
        s += x[j + k]
    return s


def row(x, k):
    return np.sum(x[k])


def column(x, k):
    return np.sum(x[:, k])


def of_view(x, k):
    v = x[1:]
    return v[k] * 1.0


CASES = [
    (read, LINE, -5), (read, LINE, 4), (written, LINE, -7), (summed, LINE, -9), (summed, LINE, 2),
    (row, TABLE, -5), (row, TABLE, 4), (column, TABLE, -4), (column, TABLE, 3),
    (of_view, LINE, -4), (of_view, LINE, 3),
]  # fmt: skip

WAYS: list[Callable[[Any], Callable[..., Any]]] = [
    rg.jit,
    rg.grad,
    lambda f: rg.grad(f, memory=100_000),
    lambda f: lambda *args: rg.interrupt(f, *args, steps=1000),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("f", "x", "k"), CASES)
def test_messages_are_those_of_numpy(way: Any, f: Callable[..., Any], x: Any, k: int) -> None:
    with pytest.raises(IndexError) as wanted:
        f(x, k)
    with pytest.raises(IndexError) as got:
        way(f)(x, k)
    assert str(got.value) == str(wanted.value)
