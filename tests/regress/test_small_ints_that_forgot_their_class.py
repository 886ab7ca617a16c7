"""Numbers of `np.uint8` and the like had 64 bits after `max`, `abs`, `~`, `np.array` and `np.full`.

So what was done with them next did not wrap around as in NumPy, and did not raise either. Ints of
Python's out of their range were taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

U = np.array([250, 3, 7], dtype=np.uint8)
SAME: dict[str, Callable[[Any], Any]] = {
    "of numbers": lambda a: np.array([a[0], a[1]]) * 10,
    "of rows of numbers": lambda a: np.array([[a[0], a[1]], [a[2], a[2]]]) + a[0],
    "filled": lambda a: np.full(2, a[0]) + a[0],
    "inverted": lambda a: (~a[0]) + 1,
    "with ints of Python's": lambda a: np.array([a[0], 5]) * 10,
    "squared": lambda a: a**2,
}
RAISING: dict[str, Callable[[Any], Any]] = {
    "the greatest": lambda a: max(a) + max(a),
    "the least": lambda a: min(a[0], a[1]) - a[0],
    "an absolute value": lambda a: abs(a[0]) * abs(a[0]),
}
OUT_OF_RANGE: dict[str, Callable[[Any], Any]] = {
    "added": lambda a: a + 300,
    "multiplied": lambda a: a * -1,
    "compared by maximum": lambda a: np.maximum(a, -1),
}


@pytest.mark.parametrize("name", SAME)
def test_they_wrap_around_as_in_numpy(name: str) -> None:
    found, expected = rg.jit(SAME[name])(U), np.asarray(SAME[name](U))
    assert np.array_equal(found, expected)
    assert name == "inverted" or found.dtype == expected.dtype


@pytest.mark.parametrize("name", RAISING)
def test_numbers_raise_where_numpys_wrap_around(name: str) -> None:
    with pytest.raises(OverflowError, match="uint8 wraps around"):
        rg.jit(RAISING[name])(U)


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_ints_of_pythons_have_to_be_in_the_range(name: str) -> None:
    for call in (OUT_OF_RANGE[name], rg.jit(OUT_OF_RANGE[name])):
        with pytest.raises(OverflowError, match="out of bounds"):
            call(U)
