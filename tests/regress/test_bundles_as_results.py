"""A function of many results, some of them numbers with 16 tangents: those are no words."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def turned(x, n):
    """A recursion, which is not inlined, so that all its numbers are returned."""
    if n < 1:
        return (x[0], x[1], x[2]) * 9
    a = turned(x, n - 1)
    return (a[1] * x[0], a[2], a[0] * x[1]) + a[3:]


def summed(x):
    a = turned(x, 3)
    return np.array([a[0] + a[5], a[1] * a[26], a[2]])


def test_numbers_with_tangents_are_returned_whole() -> None:
    x = np.array([0.5, 1.5, -0.75])
    columns = [rg.jvp(summed, (x,), (row,))[1] for row in np.eye(3)]
    np.testing.assert_array_equal(rg.jacfwd(summed)(x), np.stack(columns, axis=1))
