"""Linear algebra through LAPACK: values, errors and derivatives of any order, in every way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl

import retrograd as rg
from tests.frontend.harness import agree

RNG = np.random.default_rng(7)
A = RNG.normal(size=(5, 5)) + 3.0 * np.eye(5)
B = RNG.normal(size=(5, 3))


def _energy(a: Any, b: Any) -> Any:
    x = np.linalg.solve(a, b)
    sign, log = np.linalg.slogdet(a @ a.T)
    return np.sum(np.sin(x)) + log * sign + np.sum(np.linalg.inv(a) ** 2.0)


def test_all_ways_give_the_same() -> None:
    agree(_energy, A, B)
    assert rg.jit(_energy)(A, B) == pytest.approx(_energy(A, B), rel=1e-13)
    rg.check_grads(_energy, (A, B), order=1)
    one = rg.grad(_energy, argnums=(0, 1))(A, B)
    two = rg.grad(_energy, argnums=(0, 1), memory="20kB")(A, B)
    for x, y in zip(one, two, strict=True):
        np.testing.assert_array_equal(x, y)


def _of_third_order(f: Callable[..., Any], a: Any, v: Any) -> float:
    def along(t: float) -> Any:
        return f(a + t * v)

    return rg.grad(rg.grad(rg.grad(along)))(0.0)


@pytest.mark.slow
def test_derivatives_of_the_third_order() -> None:
    a, v = np.array([[2.0, 0.5], [-0.3, 1.5]]), np.array([[0.3, -0.2], [0.7, 0.4]])

    def f(a: Any) -> Any:
        return np.sum(np.linalg.solve(a, np.array([1.0, -2.0])) ** 2.0) + np.linalg.slogdet(a)[1]

    h = 1e-2
    ends = [f(a + k * h * v) for k in (-3, -2, -1, 1, 2, 3)]
    near = (ends[0] - 8 * ends[1] + 13 * ends[2] - 13 * ends[3] + 8 * ends[4] - ends[5]) / (
        8 * h**3
    )
    assert _of_third_order(f, a, v) == pytest.approx(near, rel=1e-5)


def test_jacobians_solve_for_sixteen_directions_at_once() -> None:
    b = B[:, 0]

    def f(a: Any) -> Any:
        return np.linalg.solve(a, b)

    found = rg.jacfwd(f)(A)
    x, inverse = f(A), np.linalg.inv(A)
    np.testing.assert_allclose(found, -np.einsum("ij,k->ijk", inverse, x), rtol=1e-11)
    np.testing.assert_allclose(rg.jacrev(f)(A), found, rtol=1e-11, atol=1e-13)
    flat = rg.hessian(lambda t: np.sum(f(A * t[0] + np.eye(5) * t[1]) ** 2.0))(np.array([1.0, 0.5]))
    assert flat[0, 1] == pytest.approx(flat[1, 0], rel=1e-12)


SINGULAR = {
    "one zero": np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [0.5, 1.0, -1.0]]),
    "two zeros": np.outer([1.0, 2.0, -1.0], [0.5, 1.0, 3.0]),
    "nothing": np.zeros((3, 3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SINGULAR)
def test_the_determinant_of_a_singular_matrix_has_its_derivatives(name: str) -> None:
    a = SINGULAR[name]

    def polynomial(a: Any) -> Any:
        return (
            a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
            - a[0, 1] * (a[1, 0] * a[2, 2] - a[1, 2] * a[2, 0])
            + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
        )

    def pieces(f: Any) -> Any:
        v = np.array([[0.3, -1.0, 0.2], [0.7, 0.4, -0.6], [1.1, 0.9, 0.5]])
        once = rg.grad(f)(a)
        twice = rg.grad(lambda a: np.sum(rg.grad(f)(a) * v))(a)
        return np.concatenate([once.ravel(), twice.ravel()])

    found = pieces(lambda a: np.linalg.det(a))
    np.testing.assert_allclose(found, pieces(polynomial), rtol=1e-12, atol=1e-13)


def test_the_determinant_of_a_singular_matrix_has_a_gradient() -> None:
    value, slope = rg.value_and_grad(lambda a: np.linalg.det(a))(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert value == 0.0
    np.testing.assert_allclose(slope, [[4.0, -2.0], [-2.0, 1.0]], rtol=1e-14)


def test_errors_are_those_of_numpy() -> None:
    singular, f = np.array([[1.0, 2.0], [2.0, 4.0]]), rg.jit(lambda a, b: np.linalg.solve(a, b))
    with pytest.raises(np.linalg.LinAlgError, match="^Singular matrix") as caught:
        f(singular, np.ones(2))
    assert "test_linalg.py" in caught.value.__notes__[0]
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        rg.grad(lambda a: np.sum(np.linalg.inv(a)))(singular)
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        f(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match=r"\(m,m\),\(m\)->\(m\) \(size 3 is different from 2\)"):
        f(np.eye(2), np.ones(3))
    with pytest.raises(np.linalg.LinAlgError, match="own text"):
        rg.jit(_raises)(1.0)


def _raises(x: float) -> float:
    if x > 0.0:
        raise np.linalg.LinAlgError("own text")
    return x


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_matrices(n: int) -> None:
    a, b = 2.0 * np.eye(n), np.ones(n)

    def f(a: Any, b: Any) -> Any:
        log = np.linalg.slogdet(a)[1]
        total = np.sum(np.linalg.inv(a)) + np.linalg.det(a) + log
        return total + np.sum(np.linalg.solve(a, b))

    value, (a_bar, b_bar) = rg.value_and_grad(f, argnums=(0, 1))(a, b)
    assert value == pytest.approx(f(a, b))
    np.testing.assert_allclose(a_bar, np.full((n, n), -0.25 + 1.0 + 0.5 - 0.25))
    np.testing.assert_allclose(b_bar, np.full(n, 0.5))


def test_a_batch_is_a_loop_over_matrices() -> None:
    many = RNG.normal(size=(4, 3, 3)) + 3.0 * np.eye(3)

    def f(many: Any, b: Any) -> Any:
        found = np.linalg.solve(many, b)
        return np.sum(found * found) + np.sum(np.linalg.inv(many))

    rg.check_grads(f, (many, RNG.normal(size=(3, 2))), order=1)
    assert rg.jit(lambda a: np.linalg.inv(a))(np.zeros((0, 2, 2))).shape == (0, 2, 2)


def test_views_and_ints_are_taken_as_they_are() -> None:
    whole = RNG.normal(size=(8, 8))
    for f in (
        lambda w: np.linalg.solve(w[::2, 1::2].T, w[0, :4]),
        lambda w: sl.solve(w[:4, :4], w[:4, 4:], transposed=True),
        lambda w: np.linalg.inv(np.eye(3, dtype=int) * 2),
    ):
        np.testing.assert_allclose(rg.jit(f)(whole), f(whole), rtol=1e-10)


def test_scipy_looks_for_numbers_that_are_not_finite() -> None:
    bad = np.array([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(ValueError, match="must not contain infs or NaNs"):
        rg.jit(lambda a: sl.inv(a))(bad)
