"""`scipy.interpolate.interp1d` along lines, compiled as a function that gives a function."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import refuse

__all__ = ["interp1d"]

np: Any = numpy


def interp1d(
    x: Any, y: Any, kind: Any = "linear", bounds_error: Any = None, fill_value: Any = None,
    assume_sorted: Any = False,
) -> Any:  # fmt: skip
    if kind != "linear" and kind != 1:
        refuse("scipy.interpolate.interp1d of another kind", "kind='linear' is known")
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
    if not assume_sorted:
        order = np.argsort(places)
        places, values = places[order], values[order]
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
        at = np.clip(np.searchsorted(places, flat), 1, len(places) - 1)
        slope = (values[at] - values[at - 1]) / (places[at] - places[at - 1])
        found = slope * (flat - places[at - 1]) + values[at - 1]
        if not beyond:
            found = np.where(under, low, np.where(over, high, found))
        elif fill_value is None:
            found = np.where(np.logical_or(under, over), np.nan, found)
        return np.reshape(found, q.shape)

    return call
