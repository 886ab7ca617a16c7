"""Sparse k-means against the dense program and against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples import kmeans_by_newton
from examples.kmeans_sparse import Rows, cost, data, dense, gradient_and_diagonal
from tests.examples.adbench_numbers import assert_close

seeds = pytest.mark.parametrize("seed", range(3))


def problem(seed: int) -> tuple[np.ndarray, Rows]:
    return data(200, 30, 4, 5, np.random.default_rng(seed))


@seeds
def test_as_the_dense_program(seed: int) -> None:
    centres, points = problem(seed)
    full = dense(points, 30)
    expected = rg.value_and_grad(kmeans_by_newton.cost)(centres, full)
    found = rg.value_and_grad(cost)(centres, points)
    assert_close(found[0], expected[0], 1e-12)
    assert_close(found[1], expected[1], 1e-12)
    assert_close(cost(centres, points), expected[0], 1e-12)


@seeds
def test_gradient_and_diagonal_by_numpy(seed: int) -> None:
    centres, points = problem(seed)
    full = dense(points, 30)
    nearest = np.argmin(np.sum((full[:, None] - centres) ** 2.0, axis=2), axis=1)
    gradient, diagonal = gradient_and_diagonal(centres, points)
    for k, centre in enumerate(centres):
        mine = full[nearest == k]
        np.testing.assert_allclose(gradient[k], 2.0 * np.sum(centre - mine, axis=0), atol=1e-11)
        np.testing.assert_array_equal(diagonal[k], 2.0 * len(mine))


def test_a_point_without_columns_is_at_the_origin() -> None:
    points = Rows(np.array([0, 0, 1]), np.array([1]), np.array([2.0]))
    centres = np.array([[0.5, 0.0], [0.0, 1.5]])
    assert rg.jit(cost)(centres, points) == pytest.approx(0.25 + 0.25)
    np.testing.assert_allclose(rg.grad(cost)(centres, points), [[1.0, 0.0], [0.0, -1.0]])


def test_same_bits_in_a_budget() -> None:
    centres, points = problem(0)
    tight = rg.grad(cost, memory="20kB")(centres, points)
    assert np.array_equal(tight, rg.grad(cost)(centres, points))
