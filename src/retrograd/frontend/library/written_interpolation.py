"""`scipy.interpolate.interp1d` along lines, compiled as a function that gives a function."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.slopes import spline_slopes
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_bsplines import coefficients, knots_through, valued
from retrograd.frontend.library.written_splines import curve

__all__ = ["interp1d"]

np: Any = numpy


def interp1d(
    x: Any, y: Any, kind: Any = "linear", bounds_error: Any = None, fill_value: Any = None,
    assume_sorted: Any = False,
) -> Any:  # fmt: skip
    kind, places, values = _given(x, y, kind, fill_value)
    if not assume_sorted:
        order = np.argsort(places)
        places, values = places[order], values[order]
    knots, slopes = _smooth(kind, places, values)
    beyond = fill_value is None or isinstance(fill_value, str)
    strict = fill_value is None if bounds_error is None else bounds_error
    ends: Any = fill_value if is_sequence(fill_value) else (fill_value, fill_value)
    low, high = ends[0], ends[1]

    def call(points: Any) -> Any:
        q = np.asarray(points) * 1.0
        flat = np.ravel(q)
        under, over = flat < places[0], flat > places[-1]
        if strict and np.any(np.logical_or(under, over)):
            raise ValueError("A value in x_new is outside the interpolation range.")
        if kind == "linear":
            at = np.clip(np.searchsorted(places, flat), 1, len(places) - 1)
            slope = (values[at] - values[at - 1]) / (places[at] - places[at - 1])
            found = slope * (flat - places[at - 1]) + values[at - 1]
        elif kind == "cubic":
            found = curve(places, values[:, None], slopes, flat, 0)[:, 0]
        elif kind == "quadratic":
            found = valued(knots, slopes, 2, flat)[:, 0]
        else:
            found = values[_step(places, flat, kind)]
        if not beyond:
            found = np.where(under, low, np.where(over, high, found))
        elif fill_value is None:
            found = np.where(np.logical_or(under, over), np.nan, found)
        return np.reshape(found, q.shape)

    return call


def _smooth(kind: Any, places: Any, values: Any) -> Any:
    """Knots and coefficients, or slopes, of the kinds that have them."""
    columns = values[:, None]
    if kind == "cubic":
        if len(places) < 4:
            raise ValueError("The number of derivatives at boundaries does not match")
        return places, spline_slopes(places, columns, "not-a-knot")
    if kind == "quadratic":
        if len(places) < 3:
            raise ValueError("Expect x to have at least three elements")
        knots = knots_through(places, 2)
        return knots, coefficients(places, columns, knots, 2)
    return places, columns


def _given(x: Any, y: Any, kind: Any, fill_value: Any) -> Any:
    kind = "linear" if kind == 1 or kind == "slinear" else kind
    kind = "quadratic" if kind == 2 else "cubic" if kind == 3 else kind
    if kind not in ("linear", "quadratic", "cubic", "nearest", "previous", "next"):
        refuse(
            "scipy.interpolate.interp1d of another kind",
            "kind='linear', 'quadratic', 'cubic', 'nearest', 'previous' and 'next' are known",
        )
    places, values = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if places.ndim != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if values.ndim != 1:
        refuse("scipy.interpolate.interp1d of several lines", "write a loop over them")
    if len(places) != len(values):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if len(places) < 2:
        raise ValueError("interp1d takes at least two points here")
    if isinstance(fill_value, str) and fill_value != "extrapolate":
        refuse(f"the fill_value {fill_value!r}", "give 'extrapolate', a number, or two")
    return kind, places, values


def _step(places: Any, q: Any, kind: Any) -> Any:
    """The place whose value holds."""
    if kind == "previous":
        at = np.searchsorted(places, q, side="right") - 1
    elif kind == "next":
        at = np.searchsorted(places, q)
    else:
        at = np.searchsorted((places[1:] + places[:-1]) / 2.0, q)
    return np.clip(at, 0, len(places) - 1)
