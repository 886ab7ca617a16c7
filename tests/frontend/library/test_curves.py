"""Curves through points: values are SciPy's, derivatives those of the curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    PchipInterpolator,
    RegularGridInterpolator,
    interp1d,
    interpn,
    make_interp_spline,
    pchip_interpolate,
)

import retrograd as rg
from retrograd.errors import RetrogradError

X = np.array([0.0, 0.5, 1.2, 2.0, 3.0])
Q = np.array([-0.2, 0.0, 0.3, 0.9, 1.5, 2.7, 3.0, 3.4])
Y = np.array([0.5, 1.4, 0.2, 0.9, 1.7])


def cubic(y: Any) -> Any:
    return CubicSpline(X, np.stack((y, y * y), axis=1))(Q)


def of_ends(y: Any) -> Any:
    natural = CubicSpline(X, y, bc_type="natural")(Q, 1)
    given = CubicSpline(X, y, bc_type=((1, 0.5), (2, -0.7)))(Q, 2)
    return natural + given + CubicSpline(X, y, bc_type="clamped")(Q, nu=3)


def of_few(y: Any) -> Any:
    three = CubicSpline(X[:3], y[:3])(Q) + CubicSpline(X[:3], y[:3], 0, ("not-a-knot", "natural"))(
        Q
    )
    return three + CubicSpline(X[:2], y[:2])(Q) + PchipInterpolator(X[:2], y[:2])(Q)


def of_places(y: Any) -> Any:
    return CubicSpline(np.cumsum(y) + X, y)(0.3 + y)


def monotone(y: Any) -> Any:
    inside = Akima1DInterpolator(X, y)(Q)
    return PchipInterpolator(X, y)(Q) + pchip_interpolate(X, y, Q, 1) + np.nan_to_num(inside)


def with_slopes(y: Any) -> Any:
    return CubicHermiteSpline(X, y, y * y)(Q) + make_interp_spline(X, y)(Q)


def of_fitpack(y: Any) -> Any:
    spline = InterpolatedUnivariateSpline(X, y)
    line = InterpolatedUnivariateSpline(X, y, k=1, ext=1)
    return spline(Q) + spline(Q, 1) + line(Q) + spline(Q, ext=3)


def tables(y: Any) -> Any:
    plane, place = np.outer(y, y[:3]), np.array([[0.2, 0.3], [2.2, 1.1]])
    space = RegularGridInterpolator((X, X[:3], X[:2]), plane[:, :, None] * y[:2])
    line = RegularGridInterpolator((X,), y, bounds_error=False, fill_value=None)
    found = interpn((X, X[:3]), plane, (Q[2:4], Q[2:4])) + space((y[1:3], y[2:4], 0.1))
    return found + RegularGridInterpolator((X, X[:3]), plane)(place) + line(Q[:2])


def steps(y: Any) -> Any:
    inner = Q[1:7] + 0.01 * (Q[1:7] < 3.0)
    found = interp1d(X, y, kind="cubic")(inner)
    return found + interp1d(X, y, "nearest")(inner) * interp1d(X, y, kind="previous")(inner)


CURVES = (cubic, of_ends, of_few, of_places, monotone, with_slopes, of_fitpack, tables, steps)
CHEAP = (cubic,)


@pytest.mark.parametrize(
    "f", [pytest.param(f, marks=() if f in CHEAP else pytest.mark.slow) for f in CURVES]
)
def test_values_and_derivatives(f: Callable[..., Any]) -> None:
    weights = np.cos(np.arange(np.size(f(Y)))).reshape(np.shape(f(Y)))

    def loss(y: Any, weights: Any) -> Any:
        return np.sum(f(y) * weights)

    value, slopes = rg.value_and_grad(loss)(Y, weights)
    assert abs(value - loss(Y, weights)) < 1e-11 * np.sum(np.abs(f(Y)))
    for k in range(5):
        step = 1e-6 * np.eye(5)[k]
        rise = loss(Y + step, weights) - loss(Y - step, weights)
        assert abs(slopes[k] - rise / 2e-6) < 1e-6 * (1.0 + abs(slopes[k]))


@pytest.mark.slow
def test_other_ways() -> None:
    def loss(y: Any) -> Any:
        return np.sum(PchipInterpolator(X, y)(Q) ** 2)

    assert rg.check_grads(loss, (Y,), 1).ok
    assert rg.value_and_grad(loss, memory=100_000)(Y)[0] == rg.value_and_grad(loss)(Y)[0]
    assert np.array_equal(rg.grad(loss, memory=100_000)(Y), rg.grad(loss)(Y))


def test_bad_input() -> None:
    def unsorted(y: Any) -> Any:
        return CubicSpline(y, y)(0.3)

    with pytest.raises(ValueError, match="strictly increasing"):
        rg.jit(unsorted)(Y)

    def periodic(y: Any) -> Any:
        return CubicSpline(X, y, bc_type="periodic")(0.3)

    with pytest.raises(RetrogradError, match=r"test_curves\.py:.*the end 'periodic' of a spline"):
        rg.jit(periodic)(Y)

    def outside(y: Any) -> Any:
        return RegularGridInterpolator((X,), y)(9.0)

    with pytest.raises(ValueError, match="out of bounds"):
        rg.jit(outside)(Y)
