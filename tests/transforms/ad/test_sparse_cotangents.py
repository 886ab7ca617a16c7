"""The reverse of a map of which one element was used: that element's, and no other's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.array([0.0, 4.0, 1.0, 2.25])
ROWS = np.array([[0.0, 1.0], [4.0, 9.0], [0.25, 2.0]])


def largest_root(x: Any) -> Any:
    return rg.reduce(max, -np.inf, rg.map(np.sqrt, x))


def root_at(x: Any) -> Any:
    roots = np.empty(len(x))
    for i in range(len(x)):
        roots[i] = np.sqrt(x[i])
    return roots[1] * roots[1]


def root_of_branch(x: Any) -> Any:
    roots = rg.map(np.sqrt, x)
    return roots[1] if x[1] > 0.0 else 3.0


def root_after_steps(x: Any) -> Any:
    """The element function has a loop, which is run again with a tape of its own."""

    def steps(v: Any) -> Any:
        for _ in range(40):
            v = np.sqrt(v) + 0.0625 * v * v
        return v

    return rg.map(steps, x)[1]


def roots_of_row(rows: Any) -> Any:
    roots = rg.map(np.sqrt, rows)
    return np.sum(roots[1])


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "x"),
    [(largest_root, X), (root_at, X), (root_of_branch, X), (root_after_steps, X),
     (roots_of_row, ROWS)],
)  # fmt: skip
def test_what_was_not_used_contributes_nothing(f: Callable[..., Any], x: Any) -> None:
    """The slope of the root at zero is infinite: nothing times that would be NaN."""
    slopes = rg.grad(f)(x)
    assert np.isfinite(slopes[1]).all()
    np.testing.assert_array_equal(np.delete(slopes, 1, axis=0), 0.0)
    rg.check_grads(f, (x + 0.5,))
    for way in ("6kB", "60kB"):
        np.testing.assert_array_equal(rg.grad(f, memory=way)(x), slopes)


def test_a_loop_that_carries_more_is_run_whole() -> None:
    def total(x: Any) -> Any:
        roots, e = np.empty(len(x)), 0.0
        for i in range(len(x)):
            roots[i] = x[i] * x[i]
            e += x[i]
        return roots[2] + e

    np.testing.assert_array_equal(rg.grad(total)(X), [1.0, 1.0, 3.0, 1.0])


def test_a_place_behind_the_loop() -> None:
    def short(x: Any, k: Any) -> Any:
        out = np.zeros(4)
        for i in range(2):
            out[i] = x[i] * x[i]
        return out[k]

    np.testing.assert_array_equal(rg.grad(short)(X, 3), np.zeros(4))
    np.testing.assert_array_equal(rg.grad(short)(X, 1), [0.0, 8.0, 0.0, 0.0])


def test_iterations_that_add_to_one_array() -> None:
    def f(x: Any, k: Any) -> Any:
        return rg.map(lambda v: v * x[0] + x[3] * v * v, x)[k]

    rg.check_grads(lambda x: f(x, 2), (X,))
    slope = rg.grad(f)(X, 2)
    np.testing.assert_allclose(slope, [1.0, 0.0, X[0] + 2.0 * X[3] * X[2], X[2] ** 2])


def test_both_cotangents_of_a_dual_number() -> None:
    """Forward over reverse starts from two arrays with one element at one place."""

    def nearest(centres: Any) -> Any:
        distances = rg.map(lambda c: np.sum((c - 1.5) * (c - 1.5) * (c + 2.0)), centres)
        return rg.reduce(min, np.inf, distances)

    seed = np.array([[1.0, -1.0], [0.5, 2.0], [1.0, 1.0]])
    slope, dot = rg.jvp(rg.grad(nearest), (ROWS,), (seed,))
    assert np.count_nonzero(slope) == np.count_nonzero(dot) == 2
    step = 1e-6 * seed
    near = (rg.grad(nearest)(ROWS + step) - rg.grad(nearest)(ROWS - step)) / 2e-6
    np.testing.assert_allclose(dot, near, rtol=1e-7, atol=1e-7)
