"""Integrals of samples, linear filters, and elliptic integrals: of several modules of SciPy."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain import calculus, products
from retrograd.frontend.library.plain.axes import along, counted_from_zero, folded, unfolded

__all__ = [
    "cumulative_trapezoid", "ellipe", "ellipk", "ellipkm1", "issparse", "lfilter", "norm",
    "simpson", "trapezoid",
]  # fmt: skip

np: Any = numpy


def issparse(x: Any) -> Any:
    return False


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return calculus.trapezoid(y, x, dx, axis)


def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True
) -> Any:
    if check_finite and not np.all(np.isfinite(np.asarray(a))):
        raise ValueError("array must not contain infs or NaNs")
    return products.norm(a, ord, axis, keepdims)


def _steps(y: Any, x: Any, dx: Any, place: Any) -> Any:
    """The distances along an axis, so that they fit to differences of the samples."""
    if x is None:
        line = np.full((y.shape[place] - 1,), dx * 1.0)
        return line[(slice(None),) + (None,) * (y.ndim - place - 1)]
    x = np.asarray(x)
    if x.ndim == 1:
        if len(x) != y.shape[place]:
            raise ValueError("If given, length of x along axis must be the same as y.")
        return np.diff(x)[(slice(None),) + (None,) * (y.ndim - place - 1)]
    return np.diff(x, axis=place)


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    y = np.asarray(y) * 1.0
    place = counted_from_zero(axis, y.ndim)
    if y.shape[place] == 0:
        raise ValueError("At least one point is required along `axis`.")
    late, early = along(place, slice(1, None)), along(place, slice(None, -1))
    found = np.cumsum(_steps(y, x, dx, place) * (y[late] + y[early]) / 2.0, axis=place)
    if initial is None:
        return found
    if initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    first = np.zeros((*y.shape[:place], 1, *y.shape[place + 1 :]))
    return np.concatenate((first, found), place)


def simpson(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.asarray(y) * 1.0
    place = counted_from_zero(axis, y.ndim)
    n = y.shape[place]
    h = np.broadcast_to(_steps(y, x, dx, place), (*y.shape[:place], n - 1, *y.shape[place + 1 :]))
    found = written_kernels.simpson_along(folded(y, place), folded(h, place))
    return np.reshape(found, (*y.shape[:place], *y.shape[place + 1 :]))


def lfilter(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    b, a, x = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0, np.asarray(x) * 1.0
    if b.ndim != 1 or a.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if x.ndim == 0 or len(b) == 0 or len(a) == 0:
        raise ValueError("object of too small depth for desired array")
    if a[0] == 0.0:
        raise ValueError("`a[0]` cannot be zero")
    place = counted_from_zero(axis, x.ndim)
    found = written_kernels.filtered(b / a[0], a / a[0], folded(x, place))
    return unfolded(found, x.shape, place)


def _means(b: Any) -> Any:
    """The arithmetic-geometric mean of 1 and b, and the sum of what the means differed by."""
    a, total, weight = np.ones_like(b), 0.5 * (1.0 - b * b), 0.5
    for _ in range(14):
        middle, gap = 0.5 * (a + b), 0.5 * (a - b)
        b = np.sqrt(a * b)
        a = middle
        weight = 2.0 * weight
        total = total + weight * gap * gap
    return a, total


def _complement(m: Any) -> Any:
    """sqrt(1 - m), or 1 where an elliptic integral is infinite or none."""
    rest = 1.0 - np.asarray(m) * 1.0
    return np.sqrt(np.where(rest > 0.0, rest, 1.0)), rest


def ellipk(m: Any) -> Any:
    b, rest = _complement(m)
    found = 0.5 * np.pi / _means(b)[0]
    return np.where(rest > 0.0, found, np.where(rest == 0.0, np.inf, np.nan))


def ellipkm1(p: Any) -> Any:
    rest = np.asarray(p) * 1.0
    b = np.sqrt(np.where(rest > 0.0, rest, 1.0))
    found = 0.5 * np.pi / _means(b)[0]
    return np.where(rest > 0.0, found, np.where(rest == 0.0, np.inf, np.nan))


def ellipe(m: Any) -> Any:
    b, rest = _complement(m)
    mean, total = _means(b)
    found = 0.5 * np.pi / mean * (1.0 - total)
    return np.where(rest > 0.0, found, np.where(rest == 0.0, 1.0, np.nan))


def rosen(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1.0 - x[:-1]) ** 2.0, axis=0)
