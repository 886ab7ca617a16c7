"""Integrals of functions: values are SciPy's, derivatives those of the integral."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import dblquad, fixed_quad, quad
from scipy.special import roots_legendre

import retrograd as rg
from retrograd.errors import RetrogradError

INF = float("inf")
LOWS = np.array([0.0, 0.0, -INF, -INF, 0.0, 0.0, 2.0, 0.3, 0.0])
HIGHS = np.array([1.0, INF, 0.4, INF, 1.0, 1.0, -1.0, 0.3, INF])


def integrand(x: Any, p: Any, k: Any) -> Any:
    if k < 4:
        return np.exp(-p * x * x) * (1.0 + x)
    if k < 5:
        return x ** (-p)  # infinite at 0
    if k < 6:
        return np.sqrt(x) * np.log(x) * p
    if k < 8:
        return np.abs(np.sin(7.0 * p * x)) + p
    return x ** (p - 1.0) * np.exp(-x)


def one(p: Any, k: Any, low: Any, high: Any) -> Any:
    moved = high if abs(high) == INF else high * (1.0 + 0.01 * p)
    return quad(integrand, low, moved, args=(p, k))[0]


def test_integrals_of_many_kinds() -> None:
    moved = rg.value_and_grad(one)
    for k in range(len(LOWS)):
        ends = (LOWS[k], HIGHS[k])
        value, slope = moved(0.45, k, *ends)
        expected = one(0.45, k, *ends)
        assert abs(value - expected) <= 2e-9 * (1.0 + abs(expected)), k
        step = 1e-4
        rise = one(0.45 + step, k, *ends) - one(0.45 - step, k, *ends)
        assert abs(slope - rise / (2.0 * step)) <= 1e-4 * (1.0 + abs(slope)), k


def over_parts(p: Any) -> Any:
    """An integrand that jumps at a break point: its place has a slope as well."""
    return quad(lambda x: 3.0 * x if x < p else 0.5 * p, 2.0, 0.0, points=[p, 9.0])[0]


def double(p: Any) -> Any:
    return dblquad(lambda y, x: x * y * p, 0.0, p, lambda x: x, 2.0)[0]


def fixed(p: Any) -> Any:
    nodes, weights = np.polynomial.legendre.leggauss(4)
    inner, rest = fixed_quad(lambda x: np.exp(-p * x), 0.0, p, n=8)
    assert rest is None
    return inner + np.sum(weights * np.sin(p * nodes + 1.0))


def test_break_points() -> None:
    value, slope = rg.value_and_grad(over_parts)(0.7)
    assert abs(value - over_parts(0.7)) < 1e-12
    # -(1.5 p^2 + 0.5 p (2 - p))
    assert abs(slope + 2.0 * 0.7 + 1.0) < 1e-10


def test_rules_of_fixed_points() -> None:
    value, slope = rg.value_and_grad(fixed)(0.6)
    assert abs(value - fixed(0.6)) < 1e-14
    assert abs(slope - (fixed(0.6001) - fixed(0.5999)) / 2e-4) < 1e-7
    for n in (1, 2, 7, 40):
        found, expected = rg.jit(lambda n: np.polynomial.legendre.leggauss(n))(n), nodes_of(n)
        assert np.max(np.abs(np.array(found) - np.array(expected))) < 4e-15
    places, weights, total = rg.jit(lambda: roots_legendre(5, mu=True))()
    expected = roots_legendre(5, mu=True)
    np.testing.assert_allclose((places, weights), expected[:2], rtol=1e-13, atol=1e-15)
    assert total == expected[2]


def nodes_of(n: int) -> Any:
    return np.polynomial.legendre.leggauss(n)


@pytest.mark.slow
def test_other_ways() -> None:
    value, slope = rg.value_and_grad(double)(0.6)
    assert abs(value - double(0.6)) < 1e-12
    assert abs(slope - (double(0.6001) - double(0.5999)) / 2e-4) < 1e-6
    args = (0.45, 1, 0.0, INF)
    plain = rg.value_and_grad(one)(*args)
    assert rg.value_and_grad(one, memory=200_000)(*args) == plain
    tangent = rg.jvp(lambda p: one(p, 1, 0.0, INF), (0.45,), (1.0,))[1]
    assert abs(tangent - plain[1]) < 1e-12 * abs(tangent)


def loud(p: Any) -> Any:
    def f(x: Any) -> Any:
        print(x)
        return x * p

    return quad(f, 0.0, 1.0)[0]


def weighted(p: Any) -> Any:
    return quad(lambda x: x * p, 0.0, 1.0, weight="cos", wvar=2.0)[0]


def in_time(p: Any) -> Any:
    return integrate.solve_bvp(lambda x, y: y, lambda a, b: a - p, [0.0, 1.0], [[1.0, p]]).y[0, 0]


REFUSED = (
    (loud, "RG0128", "of a function that prints", "print the integral"),
    (weighted, "RG0108", "scipy.integrate.quad with 'weight'", "leave it out"),
    (in_time, "RG0107", "scipy.integrate.solve_bvp is not compiled", "solve_ivp"),
)


@pytest.mark.parametrize(("f", "code", "message", "way_out"), REFUSED)
def test_refusals(f: Any, code: str, message: str, way_out: str) -> None:
    with pytest.raises(RetrogradError) as caught:
        rg.grad(f)(0.5)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert way_out in str(caught.value)
    assert "test_quadrature.py:" in str(caught.value)


def test_exceptions() -> None:
    def bounded(p: Any) -> Any:
        return quad(lambda x: x * p, 0.0, INF, points=[1.0])[0]

    with pytest.raises(ValueError, match="break points"):
        rg.jit(bounded)(0.5)
