"""Curves through points (`scipy.interpolate`): what is given and which kind it is.

C. de Boor, A practical guide to splines, 1978, chapter IV: cubic polynomials between the places.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_splines
from retrograd.frontend.library.plain.axes import size_of
from retrograd.frontend.library.plain.slopes import (
    akima_slopes,
    monotone_slopes,
    periodic_slopes,
    spline_slopes,
)
from retrograd.frontend.library.plain.told import refuse, refuse_if
from retrograd.frontend.library.written_bsplines import (
    Fitted,
    Sheet,
    Sums,
    coefficients,
    knots_through,
)
from retrograd.frontend.library.written_pieces import Pieces, cubic
from retrograd.frontend.library.written_series import Highest
from retrograd.frontend.library.written_splines import through_all

__all__ = [
    "Akima1DInterpolator", "BSpline", "BarycentricInterpolator", "CubicHermiteSpline",
    "CubicSpline", "InterpolatedUnivariateSpline", "KroghInterpolator", "PPoly",
    "PchipInterpolator", "RectBivariateSpline", "RegularGridInterpolator", "UnivariateSpline",
    "barycentric_interpolate", "interpn", "krogh_interpolate", "lagrange", "make_interp_spline",
    "pchip_interpolate", "splev", "splint", "splrep",
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
    around = isinstance(bc_type, str) and bc_type == "periodic"
    if around:
        if np.any(np.abs(columns[-1] - columns[0]) > 1e-15 * (1.0 + np.abs(columns[0]))):
            raise ValueError("The first and last `y` point along axis 0 must be identical")
        slopes = periodic_slopes(places, columns)
    else:
        slopes = spline_slopes(places, columns, bc_type)
    beyond = ("periodic" if around else True) if extrapolate is None else extrapolate
    return cubic(places, columns, slopes, np.asarray(y).shape[1:], beyond)


def PPoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    parts, places = np.asarray(c) * 1.0, np.asarray(x) * 1.0
    if parts.ndim < 2:
        raise ValueError("Coefficients array must be at least 2-dimensional.")
    if parts.shape[0] == 0 or parts.shape[1] == 0 or len(places) != parts.shape[1] + 1:
        raise ValueError("number of coefficients != len(x)-1")
    rows = np.reshape(parts, (parts.shape[0], parts.shape[1], size_of(parts.shape[2:])))
    return Pieces(places, rows, parts.shape[2:], True if extrapolate is None else extrapolate)


def _spline(x: Any, y: Any, k: Any, axis: Any) -> Any:
    places, columns = _points(x, y, axis, k + 1)
    knots = knots_through(places, k)
    return Sums(knots, coefficients(places, columns, knots, k), k, np.asarray(y).shape[1:], True)


def make_interp_spline(
    x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0
) -> Any:
    if k < 1 or t is not None or bc_type is not None:
        refuse(
            "make_interp_spline of degree 0, with knots or bc_type", "CubicSpline(x, y, bc_type=..)"
        )
    return _spline(x, y, k, axis)


def BSpline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    knots, given = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    n = len(knots) - k - 1
    if n < k + 1:
        raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
    if np.any(knots[1:] < knots[:-1]):
        raise ValueError("Knots must be in a non-decreasing order.")
    if given.shape[0] < n:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    columns = np.reshape(given, (given.shape[0], given.size // given.shape[0]))[:n]
    return Sums(knots, columns, k, given.shape[1:], extrapolate)


def splrep(
    x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0,
    s: Any = None,
) -> Any:  # fmt: skip
    _through_points(w, xb, xe, s, "splrep")
    spline = _spline(x, y, k, 0)
    return spline.t, np.concatenate((spline.c, np.zeros(k + 1))), k


def _through_points(w: Any, low: Any, high: Any, s: Any, name: Any) -> Any:
    if w is not None or low is not None or high is not None or (s is not None and s != 0):
        refuse(
            f"a smoothing spline, whose knots are chosen ({name})",
            "give s=0, for the spline through the points",
        )


def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    if isinstance(tck, Sums):
        return tck(x, der)
    return Fitted(BSpline(tck[0], tck[1], tck[2]), ext)(x, der)


def splint(a: Any, b: Any, tck: Any) -> Any:
    return BSpline(tck[0], tck[1], tck[2]).integrate(a, b, False)


def PchipInterpolator(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    places, columns = _points(x, y, axis, 2)
    slopes = monotone_slopes(places, columns)
    return cubic(places, columns, slopes, np.asarray(y).shape[1:], extrapolate)


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
    return cubic(places, columns, slopes, np.asarray(y).shape[1:], beyond)


def BarycentricInterpolator(xi: Any, yi: Any, axis: Any = 0) -> Any:
    places, columns = np.asarray(xi) * 1.0, np.asarray(yi) * 1.0
    if columns.ndim == 0 or columns.ndim > 2 or axis != 0:
        refuse("a polynomial through arrays of this rank or axis", "one line for each row")
    if len(places) != columns.shape[0]:
        raise ValueError("The length of `yi` along `axis` doesn't match the length of `xi`")
    rest = columns.shape[1:]
    columns = np.reshape(columns, (len(places), size_of(rest)))

    def call(x: Any) -> Any:
        q = np.asarray(x) * 1.0
        found = through_all(places, np.ravel(q)) @ columns
        return np.reshape(found, q.shape + rest)

    return call


def barycentric_interpolate(xi: Any, yi: Any, x: Any, axis: Any = 0) -> Any:
    return BarycentricInterpolator(xi, yi, axis)(x)


def KroghInterpolator(xi: Any, yi: Any, axis: Any = 0) -> Any:
    ordered = np.sort(np.asarray(xi) * 1.0)
    again = np.any(ordered[1:] == ordered[:-1])
    refuse_if(again, "KroghInterpolator with derivatives", "give each place once")
    return BarycentricInterpolator(xi, yi, axis)


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if der != 0:
        refuse("krogh_interpolate of derivatives", "differentiate what it gives")
    return KroghInterpolator(xi, yi, axis)(x)


def lagrange(x: Any, w: Any) -> Any:
    places, values = np.asarray(x) * 1.0, np.asarray(w) * 1.0
    n = len(places)
    found = np.zeros(n)
    for j in range(n):
        part = np.zeros(n)
        part[-1] = values[j]
        for k in range(n):
            if k != j:
                part[:-1] = part[1:] - part[:-1] * places[k]
                part[-1] = -part[-1] * places[k]
                part = part / (places[j] - places[k])
        found = found + part
    return Highest(found)


def CubicHermiteSpline(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    places, columns = _points(x, y, axis, 2)
    slopes = np.reshape(np.asarray(dydx) * 1.0, columns.shape)
    return cubic(places, columns, slopes, np.asarray(y).shape[1:], extrapolate)


def InterpolatedUnivariateSpline(
    x: Any, y: Any, w: Any = None, bbox: Any = None, k: Any = 3, ext: Any = 0,
    check_finite: Any = False,
) -> Any:  # fmt: skip
    if np.ndim(y) != 1:
        raise ValueError("y must be 1-dimensional")
    if k < 1 or k > 5:
        raise ValueError("k should be 1 <= k <= 5")
    _through_points(None, bbox, None, None, "bbox")
    return Fitted(_spline(x, y, k, 0), ext)


def UnivariateSpline(
    x: Any, y: Any, w: Any = None, bbox: Any = None, k: Any = 3, s: Any = None, ext: Any = 0,
    check_finite: Any = False,
) -> Any:  # fmt: skip
    _through_points(w, bbox, None, 1 if s is None else s, "UnivariateSpline")
    return InterpolatedUnivariateSpline(x, y, None, None, k, ext)


def RectBivariateSpline(
    x: Any, y: Any, z: Any, bbox: Any = None, kx: Any = 3, ky: Any = 3, s: Any = 0
) -> Any:
    _through_points(None, bbox, None, s, "RectBivariateSpline")
    table = np.asarray(z) * 1.0
    if table.ndim != 2:
        raise ValueError("z must be a matrix")
    p, columns = _points(x, table, 0, kx + 1)
    q, _ = _points(y, table.T, 0, ky + 1)
    s_knots, t_knots = knots_through(p, kx), knots_through(q, ky)
    half = coefficients(p, columns, s_knots, kx)
    return Sheet(s_knots, t_knots, coefficients(q, half.T, t_knots, ky).T, (kx, ky))


def RegularGridInterpolator(
    points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    if method not in ("linear", "nearest"):
        refuse("RegularGridInterpolator by another method", "'linear' and 'nearest' are known")
    table = np.asarray(values) * 1.0
    axes = tuple([np.asarray(p) * 1.0 for p in points])
    if len(axes) != table.ndim or len(axes) > 3:
        refuse("a grid of more than three axes, or with rows as values", "a table for each number")
    for k in range(len(axes)):
        if len(axes[k]) != table.shape[k]:
            raise ValueError("the points of a dimension and the values do not fit")
        if np.any(axes[k][1:] <= axes[k][:-1]):
            raise ValueError("The points of a dimension must be strictly ascending here")
    return written_splines.table_at(axes, table, bounds_error, fill_value, method)


def interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    found = RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
    return np.atleast_1d(found)
