"""Functions of `np.polynomial`: sums of powers, of Chebyshev's and of Legendre's polynomials."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.polynomials import check_places
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_series import Highest, Power

__all__ = [
    "chebfit", "chebval", "chebvander", "coefficients", "legfit", "legval", "legvander", "poly1d",
    "polyadd", "polyder", "polyfit", "polyint", "polymul", "polynomial", "polyroots", "polysub",
    "polyvander",
]  # fmt: skip

np: Any = numpy


def polynomial(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Power(coef, domain, window)


def poly1d(c_or_r: Any, r: Any = False) -> Any:
    return c_or_r if isinstance(c_or_r, Highest) else Highest(c_or_r, r)


def coefficients(c: Any) -> Any:
    """Those of one polynomial, as floats."""
    c = np.atleast_1d(c) * 1.0
    if c.ndim != 1:
        refuse("coefficients that are no vector", "evaluate one polynomial after the other")
    return c


def chebval(x: Any, c: Any) -> Any:
    """By Clenshaw's recurrence."""
    c, x = coefficients(c), np.asarray(x) * 1.0
    one, two = 0.0 * x, 0.0 * x
    for k in range(len(c) - 1):
        one, two = c[len(c) - 1 - k] + 2.0 * x * one - two, one
    return c[0] + x * one - two


def legval(x: Any, c: Any) -> Any:
    c, x = coefficients(c), np.asarray(x) * 1.0
    one, two = 0.0 * x, 0.0 * x
    for j in range(len(c) - 1):
        k = len(c) - 1 - j
        up = (2.0 * k + 1.0) / (k + 1.0)
        one, two = c[k] + up * x * one - (k + 1.0) / (k + 2.0) * two, one
    return c[0] + x * one - 0.5 * two


def _columns(x: Any, deg: Any, kind: Any) -> Any:
    """A polynomial of each degree at each place."""
    x = np.atleast_1d(x) * 1.0
    if deg < 0:
        raise ValueError("deg must be non-negative")
    flat = np.ravel(x)
    out = np.zeros((len(flat), deg + 1))
    out[:, 0] = 0.0 * flat + 1.0
    for k in range(1, deg + 1):
        if k == 1:
            out[:, k] = flat
        elif kind == "power":
            out[:, k] = out[:, k - 1] * flat
        elif kind == "chebyshev":
            out[:, k] = out[:, k - 1] * (2.0 * flat) - out[:, k - 2]
        else:
            out[:, k] = (out[:, k - 1] * flat * (2.0 * k - 1.0) - out[:, k - 2] * (k - 1.0)) / k
    return np.reshape(out, (*x.shape, deg + 1))


def polyvander(x: Any, deg: Any) -> Any:
    return _columns(x, deg, "power")


def chebvander(x: Any, deg: Any) -> Any:
    return _columns(x, deg, "chebyshev")


def legvander(x: Any, deg: Any) -> Any:
    return _columns(x, deg, "legendre")


def _fitted(columns: Any, y: Any, w: Any) -> Any:
    y = np.asarray(y) * 1.0
    if columns.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None:
        weights = np.asarray(w) * 1.0
        columns = columns * weights[:, None]
        y = y * weights if y.ndim == 1 else y * weights[:, None]
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    scale = np.where(scale == 0.0, 1.0, scale)
    cutoff = columns.shape[0] * 2.220446049250313e-16
    found = np.linalg.lstsq(columns / scale, y, cutoff)[0]
    return found / scale if y.ndim == 1 else found / scale[:, None]


def _places(x: Any, deg: Any) -> Any:
    x = np.asarray(x) * 1.0
    check_places(x, deg)
    return x


def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    return _fitted(polyvander(_places(x, deg), deg), y, w)


def chebfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    return _fitted(chebvander(_places(x, deg), deg), y, w)


def legfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    return _fitted(legvander(_places(x, deg), deg), y, w)


def polyder(c: Any, m: Any = 1, scl: Any = 1) -> Any:
    power = Power(coefficients(c))
    return power.deriv(m).coef * (scl * 1.0) ** m


def polyint(c: Any, m: Any = 1, k: Any = 0.0, lbnd: Any = 0) -> Any:
    return Power(coefficients(c)).integ(m, k, lbnd).coef


def polyadd(c1: Any, c2: Any) -> Any:
    return (Power(coefficients(c1)) + Power(coefficients(c2))).coef


def polysub(c1: Any, c2: Any) -> Any:
    return (Power(coefficients(c1)) - Power(coefficients(c2))).coef


def polymul(c1: Any, c2: Any) -> Any:
    return (Power(coefficients(c1)) * Power(coefficients(c2))).coef


def polyroots(c: Any) -> Any:
    return Power(coefficients(c)).roots()
