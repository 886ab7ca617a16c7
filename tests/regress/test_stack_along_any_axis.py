"""`np.stack` was refused along other axes than the first."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

A, B = np.arange(6.0).reshape(2, 3), np.linspace(1.0, 2.0, 6).reshape(2, 3)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_matrices(axis: int) -> None:
    def stacked(a, b):
        return np.stack((a, b, a * b), axis=axis)

    np.testing.assert_array_equal(rg.jit(stacked)(A, B), stacked(A, B))
    weights = np.random.default_rng(0).normal(size=stacked(A, B).shape)
    a_bar, b_bar = rg.grad(lambda a, b: np.sum(weights * stacked(a, b)), argnums=(0, 1))(A, B)
    first, second, third = np.moveaxis(weights, axis, 0)
    np.testing.assert_allclose(a_bar, first + third * B, rtol=1e-14)
    np.testing.assert_allclose(b_bar, second + third * A, rtol=1e-14)


def test_rows_as_columns() -> None:
    def columns(a):
        return np.stack([row * 2.0 for row in (a[0], a[1])], axis=-1)

    np.testing.assert_array_equal(rg.jit(columns)(A), columns(A))


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_that_is_not_there(axis: int) -> None:
    with pytest.raises(rg.RetrogradError, match=f"rank 1 along axis {axis}"):
        rg.jit(lambda a: np.stack((a, a), axis=axis))(A[0])


def test_different_shapes() -> None:
    with pytest.raises(ValueError, match="same shape"):
        rg.jit(lambda a, b: np.stack((a, b), axis=1))(A, B[:, :2])


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_along_an_axis_from_outside(axis: int) -> None:
    def joined(a, b):
        return np.concatenate((a, b), axis=axis)

    np.testing.assert_array_equal(rg.jit(joined)(A, B), joined(A, B))
