"""Factorisations: derivatives where values are equal, ranks are less, and there is nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import retrograd as rg
from retrograd.prims.lapack import cholesky_factor

RNG = np.random.default_rng(11)
G = RNG.normal(size=(4, 4))
H = G @ G.T + np.eye(4)
W = RNG.normal(size=(4, 4))


def _many(a: Any) -> Any:
    values, vectors = np.linalg.eigh(a)
    q, r = np.linalg.qr(a[:, :3])
    u, s, vt = np.linalg.svd(a[:2, :], full_matrices=False)
    lower = np.linalg.cholesky(a)
    total = np.sum((vectors * np.sin(values)) @ vectors.T * W) + np.sum(lower * W)
    return total + np.sum(q * W[:, :3]) + np.sum(r**2.0) + np.sum((u * s**3.0) @ vt * W[:2])


def test_a_budget_changes_no_bit() -> None:
    def f(a: Any) -> Any:
        values, vectors = np.linalg.eigh(a)
        return np.sum((vectors * np.sin(values)) @ vectors.T * np.linalg.cholesky(a))

    found = rg.grad(f)(H)
    np.testing.assert_array_equal(found, rg.grad(f, memory="30kB")(H))
    ends = [f(H + t * W @ W.T) for t in (1e-6, -1e-6)]
    assert np.sum(found * (W @ W.T)) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


@pytest.mark.slow
def test_all_ways_give_the_same() -> None:
    assert rg.jit(_many)(H) == pytest.approx(_many(H), rel=1e-12)
    rg.check_grads(_many, (H,), order=1)
    np.testing.assert_array_equal(rg.grad(_many)(H), rg.grad(_many, memory="30kB")(H))


def test_the_triangle_that_is_not_read_has_no_slope() -> None:
    slope = rg.grad(lambda a: np.sum(np.linalg.cholesky(a)) + np.sum(np.linalg.eigvalsh(a) ** 2.0))
    found = slope(H)
    assert np.all(np.triu(found, 1) == 0.0)
    assert np.all(found[np.tril(np.ones((4, 4), dtype=bool))] != 0.0)


def test_functions_of_equal_eigenvalues_have_their_slopes() -> None:
    a = np.diag([2.0, 2.0, 5.0])
    found = rg.grad(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3.0))(a)
    np.testing.assert_allclose(found, np.diag([12.0, 12.0, 75.0]))
    first = rg.grad(lambda a: np.linalg.eigh(a)[1][1, 0])(a)
    assert not np.all(np.isfinite(first))


@pytest.mark.slow
def test_functions_of_equal_singular_values_have_their_slopes() -> None:
    a = np.diag([2.0, 2.0, 5.0])
    found = rg.grad(lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2.0))(a)
    np.testing.assert_allclose(found, 2.0 * a)


def test_where_there_is_no_factor() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="^Matrix is not positive definite"):
        rg.grad(lambda a: np.sum(np.linalg.cholesky(a)))(-np.eye(2))
    with pytest.raises(np.linalg.LinAlgError, match="^SVD did not converge"):
        rg.jit(lambda a: np.linalg.svd(a, full_matrices=False)[1])(np.full((2, 2), np.nan))
    with pytest.raises(np.linalg.LinAlgError, match="linearly dependent"):
        rg.grad(lambda a: np.sum(np.linalg.qr(a)[0]))(np.ones((3, 2)))
    assert np.isfinite(rg.jit(lambda a: np.linalg.qr(a)[1])(np.ones((3, 2)))).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_matrices(n: int) -> None:
    def f(a: Any) -> Any:
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        q, r = np.linalg.qr(a)
        values, vectors = np.linalg.eigh(a)
        total = np.sum(np.linalg.cholesky(a)) + np.sum(u) + np.sum(s) + np.sum(vt) + np.sum(q)
        return total + np.sum(r) + np.sum(values) + np.sum(vectors)

    a = 4.0 * np.eye(n)
    value, slope = rg.value_and_grad(f)(a)
    assert value == pytest.approx(f(a))
    np.testing.assert_allclose(slope, np.full((n, n), 0.25 + 1.0 + 1.0 + 1.0))


def test_pseudo_inverses_of_less_than_full_rank() -> None:
    a = np.outer([1.0, 2.0, -1.0], [1.0, 0.5])
    found = rg.jvp(lambda a: np.linalg.pinv(a), (a,), (np.outer([1.0, 2.0, -1.0], [0.3, -1.0]),))
    h = 1e-6
    ends = [np.linalg.pinv(a + t * np.outer([1.0, 2.0, -1.0], [0.3, -1.0])) for t in (h, -h)]
    np.testing.assert_allclose(found[0], np.linalg.pinv(a), atol=1e-14)
    np.testing.assert_allclose(found[1], (ends[0] - ends[1]) / (2 * h), atol=1e-8)


def of_eigenvalues(a: Any) -> Any:
    found = np.linalg.eigvals(a)
    return np.concatenate((found.real, found.imag, np.abs(scipy.linalg.eigvals(a.T @ a @ a))))


def test_eigenvalues_of_general_matrices() -> None:
    a = np.array([[0.5, -0.3, 0.1], [0.2, 0.1, -0.4], [0.3, 0.6, -0.2]])
    weights, d = np.cos(np.arange(9.0)), np.sin(np.arange(9.0)).reshape(3, 3)

    def loss(a: Any) -> Any:
        return np.sum(of_eigenvalues(a) ** 2 * weights)

    assert np.any(np.linalg.eigvals(a).imag != 0.0)
    np.testing.assert_allclose(rg.jit(of_eigenvalues)(a), of_eigenvalues(a), atol=1e-14)
    rise = (loss(a + 1e-5 * d) - loss(a - 1e-5 * d)) / 2e-5
    slopes = rg.grad(loss)(a)
    assert abs(np.sum(slopes * d) - rise) < 1e-8
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        rg.jit(lambda a: np.linalg.eigvals(a).real)(np.full((2, 2), np.nan))
    with pytest.raises(RuntimeError, match="complex eigenvalues"):
        rg.jit(lambda a: np.linalg.eig(a)[1])(a)


def of_eigenvectors(a: Any) -> Any:
    values, vectors = np.linalg.eig(a)
    same, others = scipy.linalg.eig(a @ a)
    return np.concatenate((values, np.ravel(vectors), same.real, np.ravel(others)))


def test_eigenvectors_of_matrices_with_a_real_spectrum() -> None:
    a = np.array([[2.0, 0.3, 0.1], [0.5, 1.0, -0.2], [0.2, 0.4, -0.7]])
    np.testing.assert_allclose(rg.jit(of_eigenvectors)(a), of_eigenvectors(a), atol=1e-14)
    weights = np.cos(np.arange(24.0))

    def loss(a: Any) -> Any:
        return np.sum(of_eigenvectors(a) ** 3 * weights)

    assert rg.check_grads(loss, (a,), 1).ok
    assert np.array_equal(rg.grad(loss, memory="1MB")(a), rg.grad(loss)(a))
    assert rg.jit(np.linalg.eig)(np.zeros((0, 0)))[1].shape == (0, 0)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        rg.grad(loss)(np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        rg.jit(np.linalg.eig)(np.ones((2, 3)))


@pytest.mark.slow
def test_second_derivatives_of_eigenvalues() -> None:
    a = np.array([[0.5, -0.3, 0.1], [0.2, 0.1, -0.4], [0.3, 0.6, -0.2]])
    d = np.sin(np.arange(9.0)).reshape(3, 3)

    def loss(a: Any) -> Any:
        return np.sum(np.abs(np.linalg.eigvals(a)) ** 3 * np.array([1.0, 0.3, -0.5]))

    found = rg.hvp(loss, (a,), (d,))
    rise = (rg.grad(loss)(a + 1e-5 * d) - rg.grad(loss)(a - 1e-5 * d)) / 2e-5
    np.testing.assert_allclose(found, rise, atol=1e-7)


def test_full_vectors_are_refused_with_a_way_out() -> None:
    with pytest.raises(ValueError, match="write full_matrices=False"):
        rg.jit(lambda a: np.linalg.svd(a)[0])(np.ones((3, 2)))


@pytest.mark.parametrize("n", [*range(1, 10), 15, 16, 17, 33])
def test_the_lower_triangle_alone_is_turned_round_and_back(n: int) -> None:
    """Sizes around those of tiles; of matrices in both orders, and of a part of one."""
    a = np.random.default_rng(n).normal(size=(n + 1, n + 1))
    a = a @ a.T + n * np.eye(n + 1)
    a[np.triu_indices(n + 1, 1)] = np.nan
    whole, columns, part = FACTORS(a, np.ascontiguousarray(a.T))
    assert np.array_equal(whole, cholesky_factor(a))
    assert np.array_equal(columns, whole)
    assert np.array_equal(part, cholesky_factor(a[1:, 1:]))


def _three(a: Any, turned: Any) -> Any:
    return np.linalg.cholesky(a), np.linalg.cholesky(turned.T), np.linalg.cholesky(a[1:, 1:])


FACTORS = rg.jit(_three)
