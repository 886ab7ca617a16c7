"""Values at places that are on no grid: `scipy.interpolate.griddata` and its like."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse, refuse_if
from retrograd.frontend.library.written_bsplines import Fitted, Sums
from retrograd.frontend.library.written_interpolation import interp1d
from retrograd.frontend.library.written_trees import NearestValue

__all__ = ["NearestNDInterpolator", "fitted", "griddata"]

np: Any = numpy


def _rows(points: Any) -> Any:
    """Places as rows, of coordinates in a tuple, too."""
    if isinstance(points, tuple):
        spread = np.broadcast_arrays(*points)
        return np.stack([one * 1.0 for one in spread], axis=-1)
    return np.asarray(points) * 1.0


def NearestNDInterpolator(x: Any, y: Any, rescale: Any = False, tree_options: Any = None) -> Any:
    if tree_options is not None:
        refuse("NearestNDInterpolator with options of its tree", "leave tree_options out")
    places, values = _rows(x), np.asarray(y)
    places = places[:, None] if places.ndim == 1 else places
    if places.ndim != 2 or len(places) != len(values):
        raise ValueError("different number of values and points")
    if values.ndim != 1:
        refuse("NearestNDInterpolator of rows", "make one for each column")
    middle, width = np.zeros(places.shape[1]), np.ones(places.shape[1])
    if rescale:
        middle, width = np.mean(places, axis=0), np.ptp(places, axis=0)
        width = np.where(width > 0.0, width, 1.0)
    return NearestValue((places - middle) / width, values, middle, width)


def griddata(
    points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan,
    rescale: Any = False,
) -> Any:  # fmt: skip
    places = _rows(points)
    if places.ndim < 2:
        if method not in ("nearest", "linear", "cubic"):
            raise ValueError("Unknown interpolation method for 1 dimensional data")
        beyond = "extrapolate" if method == "nearest" else fill_value
        line = interp1d(places, values, method, False, beyond)
        return line(*xi) if isinstance(xi, tuple) else line(xi)
    refuse_if(
        places.shape[-1] == 1, "griddata on a line, with its places in a matrix",
        "give the places as vectors: points[:, 0]",
    )  # fmt: skip
    if method != "nearest":
        refuse("griddata by triangles", "method='nearest', or RegularGridInterpolator on a grid")
    return NearestNDInterpolator(places, values, rescale)(_rows(xi))


def fitted(parts: Any, ext: Any) -> Any:
    """A spline from outside, of its knots, coefficients and degree."""
    knots, given, k = parts
    return Fitted(Sums(knots, given[: len(knots) - k - 1, None], k, (), True), ext)
