"""A list of literal numbers is read at run-time indices as a table; writing to it crashed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg


def summed(x: Any, places: Any) -> Any:
    sums = [0.0] * 4
    for k in places:
        sums[k] += x[k] * x[0]
    return sums[0] + 2.0 * sums[1] + 3.0 * sums[3]


def replaced(x: Any, places: Any) -> Any:
    found = [1.0, 2.0, 3.0]
    for k in places:
        found[k % 3 - 3] = x[k] * found[k % 3]
    return found[0] * found[1] + found[2]


def removed(x: Any, places: Any) -> Any:
    left = [3, 1, 2]
    taken = left.pop(places[1])
    del left[places[0]]
    left.insert(places[1], 5)
    left[-places[1]] -= 1
    return x[left[0]] * taken + x[left[-1] - 2]


def exchanged(x: Any, places: Any) -> Any:
    pair = [0.5, 2.0, 1.0]
    k = places[0]
    pair[k], pair[k + 1] = pair[k + 1], pair[k]
    return pair[0] * x[0] * x[1] + pair[1] * x[2]


@pytest.mark.parametrize("program", [summed, replaced, removed, exchanged])
def test_they_are_what_they_are_in_python(program: Any) -> None:
    x, places = np.array([1.5, -2.0, 0.5, 3.0]), np.array([0, 1, -1, 1])
    value, slopes = rg.value_and_grad(program)(x, places)
    assert rg.jit(program)(x, places) == value == pytest.approx(program(x, places), rel=1e-15)
    for k, direction in enumerate(1e-6 * np.eye(4)):
        ends = program(x + direction, places) - program(x - direction, places)
        assert slopes[k] == pytest.approx(ends / 2e-6, rel=1e-7, abs=1e-7)


def test_outside_of_them_python_raises() -> None:
    def outside(x: Any, k: int) -> Any:
        found = [0.0, 1.0]
        found[k] = x
        return found[0]

    for way in (outside, rg.jit(outside), rg.grad(outside)):
        with pytest.raises(IndexError, match="list assignment index out of range"):
            way(1.0, 2)
