"""Small programs that gave another value than Python without a word, or ended in a crash.

A nan that was assigned to an array of ints was 0; `np.fmod` of ints gave floats, and `np.maximum`
of truth values ints; shifts by 63 and more raised where the result is small; no axis at all and one
that is there twice were compiler bugs.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


def element(x, v):
    x[0] = v
    return x


def elements(x, v):
    x[1:] = v
    return x


def masked(x, v):
    x[x > 1] = v
    return x


def indexed(x, v):
    x[[0, 2]] = v
    return x


def filled(x, v):
    x.fill(v)
    return x


def made(x, v):
    return np.array([v, 1.0], dtype=int) + x[:2]


@pytest.mark.parametrize("f", [element, elements, masked, indexed, filled, made])
@pytest.mark.parametrize("v", [2.7, -0.5, math.nan, math.inf, 1e30])
def test_floats_in_arrays_of_ints(f, v) -> None:
    agree(f, np.array([1, 2, 3]), v)


def remainder(x, y):
    return np.fmod(x, y)


def test_fmod_of_ints() -> None:
    agree(remainder, np.array([7, -7, 7, -7, 5, 0]), np.array([2, 2, -2, -2, 0, 3]))
    agree(remainder, -7, 3)
    agree(remainder, 5, -(2**63))
    agree(remainder, 7.5, -2)


def extremes(x):
    return np.maximum(x, x[::-1]), np.minimum(x, True), np.maximum(x, 2)


def test_extremes_of_truth_values() -> None:
    agree(extremes, np.array([True, False, False]))


def shifted(x, n):
    return x << n


@pytest.mark.parametrize(("x", "n"), [(-1, 63), (0, 64), (-2, 62), (3, -1)])
def test_shifts(x, n) -> None:
    agree(shifted, x, n)


def test_shifts_that_do_not_fit() -> None:
    for x, n in ((1, 63), (5, 64)):
        with pytest.raises(OverflowError):
            rg.jit(shifted)(x, n)


def of_no_axis(x):
    return (
        np.sum(x, axis=()), np.mean(x, axis=()), np.max(x, axis=()), np.var(x, axis=()),
        np.any(x, axis=()),
    )  # fmt: skip


def test_no_axis() -> None:
    agree(of_no_axis, np.arange(6.0).reshape(2, 3))
    agree(of_no_axis, np.array([True, False]))
    gradient = rg.grad(lambda x: np.sum(np.sum(x * x, axis=())))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(gradient, [2.0, 4.0])


def test_an_axis_twice() -> None:
    with pytest.raises(UserError, match="RG0108: axis -2 is there twice"):
        rg.jit(lambda x: np.sum(x, axis=(0, -2)))(np.ones((2, 2)))
    with pytest.raises(UserError, match="RG0113"):
        rg.jit(lambda x: np.transpose(x, (0, 3)))(np.ones((2, 2)))


def reshaped(x, n):
    return x.reshape(n, -1)


def test_an_extent_of_zero_beside_an_unknown_one() -> None:
    agree(reshaped, np.zeros(0), 0)
    agree(lambda x: x.reshape(0, -1), np.zeros(0))
    agree(reshaped, np.zeros(4), 2)


def norms(x):
    return np.linalg.norm(x, -1), np.linalg.norm(x, 0), np.linalg.norm(x, 3)


def test_nothing_at_all() -> None:
    agree(norms, np.zeros(0))
    agree(lambda x: np.linalg.norm(x, -np.inf), np.zeros(0))
    agree(lambda x: np.logaddexp.reduce(x), np.zeros(0))
    agree(lambda x: np.logaddexp.reduce(x), np.zeros((0, 3)))
