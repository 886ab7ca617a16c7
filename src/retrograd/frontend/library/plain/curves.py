"""Curves through points (`scipy.interpolate`): what is given and which kind it is.

C. de Boor, A practical guide to splines, 1978, chapter IV: cubic polynomials between the places.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_splines
from retrograd.frontend.library.plain.slopes import akima_slopes, monotone_slopes, spline_slopes
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "Akima1DInterpolator", "CubicHermiteSpline", "CubicSpline", "InterpolatedUnivariateSpline",
    "PchipInterpolator", "RegularGridInterpolator", "interpn", "make_interp_spline",
    "pchip_interpolate",
]  # fmt: skip

np: Any = numpy


def _points(x: Any, y: Any, axis: Any, least: Any) -> Any:
    """Places, and values as columns."""
    places, values = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if places.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if values.ndim == 0 or values.ndim > 2 or (axis != 0 and values.ndim != 1):
        refuse(
            "a spline through arrays of this rank or axis", "one line for each row, along axis 0"
        )
    if len(places) != values.shape[0]:
        raise ValueError("The length of `y` along `axis` doesn't match the length of `x`")
    if len(places) < least:
        raise ValueError(f"at least {least} points are needed")
    if np.any(places[1:] <= places[:-1]):
        raise ValueError("`x` must be strictly increasing sequence.")
    return places, np.reshape(values, (len(places), values.size // len(places)))


def CubicSpline(
    x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> Any:
    places, columns = _points(x, y, axis, 2)
    slopes = spline_slopes(places, columns, bc_type)
    return written_splines.through(places, columns, slopes, np.asarray(y).shape[1:], extrapolate)


def make_interp_spline(x: Any, y: Any, k: Any = 3, bc_type: Any = None, axis: Any = 0) -> Any:
    if k != 3 or bc_type is not None:
        refuse(
            "make_interp_spline of another degree, or with bc_type", "CubicSpline(x, y, bc_type=..)"
        )
    places, columns = _points(x, y, axis, 4)
    slopes = spline_slopes(places, columns, "not-a-knot")
    return written_splines.through(places, columns, slopes, np.asarray(y).shape[1:], None)


def PchipInterpolator(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    places, columns = _points(x, y, axis, 2)
    slopes = monotone_slopes(places, columns)
    return written_splines.through(places, columns, slopes, np.asarray(y).shape[1:], extrapolate)


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    return PchipInterpolator(xi, yi, axis)(x, der)


def Akima1DInterpolator(
    x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None
) -> Any:
    if method != "akima":
        refuse("Akima1DInterpolator by another method", "leave method='akima'")
    places, columns = _points(x, y, axis, 2)
    beyond = False if extrapolate is None else extrapolate
    slopes = akima_slopes(places, columns)
    return written_splines.through(places, columns, slopes, np.asarray(y).shape[1:], beyond)


def CubicHermiteSpline(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    places, columns = _points(x, y, axis, 2)
    slopes = np.reshape(np.asarray(dydx) * 1.0, columns.shape)
    return written_splines.through(places, columns, slopes, np.asarray(y).shape[1:], extrapolate)


def InterpolatedUnivariateSpline(
    x: Any, y: Any, w: Any = None, bbox: Any = None, k: Any = 3, ext: Any = 0,
    check_finite: Any = False,
) -> Any:  # fmt: skip
    if k != 3 and k != 1:
        refuse("InterpolatedUnivariateSpline of this degree", "k=3 and k=1 are known")
    if np.ndim(y) != 1:
        raise ValueError("y must be 1-dimensional")
    places, columns = _points(x, y, 0, k + 1)
    if k == 1:
        return written_splines.line_through(places, columns[:, 0], ext)
    slopes = spline_slopes(places, columns, "not-a-knot")
    return written_splines.spline_through(places, columns, slopes, ext)


def RegularGridInterpolator(
    points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    if method != "linear":
        refuse("RegularGridInterpolator by another method", "method='linear' is known")
    table = np.asarray(values) * 1.0
    axes = tuple([np.asarray(p) * 1.0 for p in points])
    if len(axes) != table.ndim or len(axes) > 3:
        refuse("a grid of more than three axes, or with rows as values", "a table for each number")
    for k in range(len(axes)):
        if len(axes[k]) != table.shape[k]:
            raise ValueError("the points of a dimension and the values do not fit")
        if np.any(axes[k][1:] <= axes[k][:-1]):
            raise ValueError("The points of a dimension must be strictly ascending here")
    return written_splines.table_at(axes, table, bounds_error, fill_value)


def interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
