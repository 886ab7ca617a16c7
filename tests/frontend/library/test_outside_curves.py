"""Curves and tables of SciPy's that were made outside: as globals, attributes, items, arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import interpolate

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

X = np.array([0.0, 0.1, 0.3, 0.6, 0.9, 1.0])
Y = np.array([3.0, 3.4, 3.6, 3.75, 4.0, 4.2])
CUBIC = interpolate.CubicSpline(X, Y)
BOTH = interpolate.CubicSpline(X, np.stack([Y, Y * Y], axis=1))
TABLES = {
    "pchip": interpolate.PchipInterpolator(X, Y, extrapolate=False),
    "akima": interpolate.Akima1DInterpolator(X, Y),
    "knots": interpolate.make_interp_spline(X, Y),
    "lines": interpolate.interp1d(X, Y, fill_value="extrapolate"),
    "steps": interpolate.interp1d(X, Y, kind="previous"),
    "left": interpolate.interp1d(X, Y, bounds_error=False, fill_value=-1.0),
}
GRID = interpolate.RegularGridInterpolator((X, X[:4]), np.outer(Y, Y[:4]), bounds_error=False)
WIDE = interpolate.CubicSpline(X, np.stack([Y, Y]), axis=1)


class Cell:
    def __init__(self, voltage: Any) -> None:
        self.voltage = voltage

    def power(self, q: Any) -> Any:
        return self.voltage(q) ** 2


CELL = Cell(CUBIC)


def values(q: Any) -> Any:
    made = [curve(q) for curve in TABLES.values()]
    return sum(made) + TABLES["left"](1.0 + q) + GRID((q, 0.5 * q)) + CELL.power(q)


def more(q: Any) -> Any:
    rows = BOTH(np.array([0.2, q]))
    return np.sum(rows) + CUBIC(q, 1) + CUBIC.derivative()(q) + CUBIC.integrate(0.0, q) * CUBIC.x[1]


@pytest.mark.parametrize("f", [values, more])
def test_they_are_scipys(f: Any) -> None:
    np.testing.assert_allclose(rg.jit(f)(0.47), f(0.47), rtol=1e-13)
    slope = (f(0.47 + 1e-6) - f(0.47 - 1e-6)) / 2e-6
    np.testing.assert_allclose(rg.grad(f)(0.47), slope, rtol=1e-7)


def test_they_are_read_at_every_call() -> None:
    curve = interpolate.CubicSpline(X, Y)
    f = rg.jit(lambda q: curve(q))
    assert f(1.2) == pytest.approx(curve(1.2))
    curve.c[:] *= 2.0
    assert f(1.2) == pytest.approx(curve(1.2))
    curve.extrapolate = False
    assert np.isnan(f(1.2))
    g = rg.jit(lambda q, curve: curve(q))
    assert g(0.2, CUBIC) == pytest.approx(CUBIC(0.2))
    assert g(0.2, TABLES["lines"]) == pytest.approx(TABLES["lines"](0.2))


def test_what_is_not_known_of_one_is_refused() -> None:
    with pytest.raises(rg.UserError, match="another axis"):
        rg.jit(lambda q: WIDE(q))(0.2)
    sides = interpolate.interp1d(X, Y, bounds_error=False, fill_value=(0.0, 1.0))
    with pytest.raises(rg.UserError, match="fill_value of"):
        rg.jit(lambda q: sides(q))(0.2)
    with pytest.raises(ValueError, match="interpolation range"):
        rg.jit(lambda q: TABLES["steps"](q))(1.4)
