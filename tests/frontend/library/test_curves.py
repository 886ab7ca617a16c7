"""Curves through points: values are SciPy's, derivatives those of the curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import (
    Akima1DInterpolator,
    BarycentricInterpolator,
    BSpline,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    PchipInterpolator,
    PPoly,
    RectBivariateSpline,
    RegularGridInterpolator,
    UnivariateSpline,
    barycentric_interpolate,
    interp1d,
    interpn,
    lagrange,
    make_interp_spline,
    pchip_interpolate,
    splev,
    splint,
    splrep,
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


def as_objects(y: Any) -> Any:
    spline, slope = CubicSpline(X, y), PchipInterpolator(X, y).derivative()
    both = spline(Q) + spline.derivative(2)(Q) + slope(Q) + spline.antiderivative()(Q)
    return both + spline.integrate(0.3, 2.1) + spline.c[0, 1] * spline.x[1]


def periodic(y: Any) -> Any:
    spline = CubicSpline(X, np.concatenate((y[:-1], y[:1])), bc_type="periodic")
    return spline(3.0 * Q) + spline(Q, 1) + spline.integrate(-1.0, 9.0)


def of_degrees(y: Any) -> Any:
    rows = np.stack((y, y * y), axis=1)
    one, two = make_interp_spline(X, rows, k=2), make_interp_spline(X, rows, k=4)
    spline = BSpline(np.array([0, 0, 0, 0.7, 2.0, 2, 2]), y[:4], 2)
    found = spline(Q) + spline.derivative()(Q) + spline.antiderivative()(Q)
    pieces = PPoly(np.stack((y[:4], y[1:])), X)
    return found + one(Q)[:, 0] * two(Q)[:, 1] + pieces(Q) + pieces.derivative()(Q)


def of_fitpack_alone(y: Any) -> Any:
    tck = splrep(X, y, s=0)
    spline, other = UnivariateSpline(X, y, s=0), InterpolatedUnivariateSpline(X, y, k=2, ext=3)
    found = splev(Q, tck, der=1) + splev(Q, tck, ext=1) + splint(0.1, 2.2, tck) + tck[1][1]
    slope = spline.derivative()(Q) + other(Q) + spline.antiderivative()(Q)
    return found + slope + spline.integral(-0.2, 1.5) + spline.derivatives(1.0)[2]


def sheets(y: Any) -> Any:
    sheet = RectBivariateSpline(X, X[:4], np.outer(y, y[:4]) + X[:4] ** 2, kx=2)
    grid = sheet(Q, Q[:3]) + sheet(Q, Q[:3], dx=1)
    return grid[:, 1] + sheet.ev(Q, Q[::-1]) + sheet.ev(Q, 0.3, dy=1) + sheet.integral(0, 1, 0.2, 1)


def of_one_polynomial(y: Any) -> Any:
    rows = BarycentricInterpolator(X, np.stack((y, y * y), axis=1))(Q)
    line = interp1d(X, y, kind="quadratic", fill_value="extrapolate")(Q)
    found = line + barycentric_interpolate(X, y, Q) + lagrange(X, y)(Q)
    return found + rows[:, 1] + interp1d(X, y, kind="slinear")(np.clip(Q, 0.0, 3.0))


CURVES = (of_one_polynomial, as_objects, periodic, of_degrees, of_fitpack_alone, sheets)
CURVES += (cubic, of_ends, of_few, of_places, monotone, with_slopes, of_fitpack, tables, steps)
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

    def unknown(y: Any) -> Any:
        return CubicSpline(X, y, bc_type="parabolic")(0.3)

    with pytest.raises(RetrogradError, match=r"test_curves\.py:.*the end 'parabolic' of a spline"):
        rg.jit(unknown)(Y)
    with pytest.raises(ValueError, match="must be identical"):
        rg.jit(lambda y: CubicSpline(X, y, bc_type="periodic")(0.3))(Y)
    with pytest.raises(RetrogradError, match="a smoothing spline"):
        rg.jit(lambda y: UnivariateSpline(X, y)(0.3))(Y)
    with pytest.raises(ValueError, match="must not be negative"):
        rg.jit(lambda y: CubicSpline(X, y).derivative(-1)(0.3))(Y)

    def outside(y: Any) -> Any:
        return RegularGridInterpolator((X,), y)(9.0)

    with pytest.raises(ValueError, match="out of bounds"):
        rg.jit(outside)(Y)
