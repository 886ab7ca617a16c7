"""Images of `scipy.ndimage` between their elements: by splines of an order up to three."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_resampling
from retrograd.frontend.library.plain.axes import counted_from_zero, size_of, unfolded
from retrograd.frontend.library.plain.filters import along_lines, each, own_mode
from retrograd.frontend.library.plain.told import refuse

__all__ = ["map_coordinates", "shift", "spline_filter", "spline_filter1d", "zoom"]

np: Any = numpy

_FAR = 32
"""The poles to this power are nothing beside 1."""


def _pole(order: Any) -> Any:
    """Of the recursive filter whose result are the coefficients."""
    return 8.0**0.5 - 3.0 if order == 2 else 3.0**0.5 - 2.0


def _checked(order: Any) -> Any:
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if order > 3:
        refuse("splines of order 4 and 5", "use order=3")


def spline_filter1d(input: Any, order: Any = 3, axis: Any = -1, mode: Any = "mirror") -> Any:
    _checked(order)
    x = np.asarray(input) * 1.0
    if order < 2 or x.size == 0:
        return x
    place = counted_from_zero(axis, x.ndim)
    given = own_mode(mode)
    by = "reflect" if given == "nearest" else "mirror" if given == "constant" else given
    if mode == "wrap":
        by = "mirror"
    lines = along_lines(x, place, _FAR, _FAR, by, 0.0)
    found = written_resampling.coefficients(lines, _pole(order))
    inside = found[:, _FAR : _FAR + x.shape[place]]
    return np.reshape(inside, x.shape) if found.ndim == 2 else unfolded(inside, x.shape, place)


def spline_filter(input: Any, order: Any = 3, mode: Any = "mirror") -> Any:
    _checked(order)
    if order < 2:
        raise RuntimeError("spline order not supported")
    x = np.asarray(input) * 1.0
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, mode)
    return x


def _at(image: Any, coordinates: Any, order: Any, mode: Any, cval: Any, prefilter: Any) -> Any:
    """The values of an image at points, whose coordinates are columns; in its dtype."""
    x = np.asarray(image)
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    if x.ndim > 3:
        refuse("an image of more than three axes", "write a loop over the first axis")
    if x.dtype != np.float64 and order > 0:
        refuse("an image of ints between its elements", "convert it: x.astype(float)")
    own = own_mode(mode)
    splines = prefilter and order > 1
    widened = splines and (mode == "nearest" or mode == "grid-constant")
    y = x * 1.0
    if widened:
        y = np.pad(y, 12, "edge") if mode == "nearest" else np.pad(y, 12, constant_values=cval)
    if splines:
        y = spline_filter(y, order, mode)
    moved = coordinates + 12.0 if widened else coordinates
    if mode == "grid-constant":
        y, moved = np.pad(y, 3, constant_values=cval), moved + 3.0
        own = "nearest"
    elif mode == "wrap":
        own = "period"
    if y.size == 0:
        return np.full(coordinates.shape[1], cval).astype(x.dtype)
    found = written_resampling.sampled(y, moved, order, own, cval)
    return found if x.dtype == np.float64 else np.rint(found).astype(x.dtype)


def map_coordinates(
    input: Any, coordinates: Any, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:  # fmt: skip
    _checked(order)
    at = np.asarray(coordinates) * 1.0
    if at.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if len(at) != np.ndim(input):
        raise RuntimeError("invalid shape for coordinate array")
    shape = at.shape[1:]
    points = np.reshape(at, (np.ndim(input), size_of(shape)))
    return np.reshape(_at(input, points, order, mode, cval, prefilter), shape)


def _grid(lines: Any) -> Any:
    """The points of a grid, from the coordinates along its axes, as columns."""
    shape = tuple([len(line) for line in lines])
    rank = len(shape)
    rows = [
        np.ravel(np.broadcast_to(lines[k][(slice(None),) + (None,) * (rank - k - 1)], shape))
        for k in range(rank)
    ]
    return np.stack(rows)


def shift(
    input: Any, shift: Any, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:  # fmt: skip
    _checked(order)
    x = np.asarray(input)
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    by = each(shift, x.ndim)
    points = _grid([np.arange(x.shape[k]) - by[k] * 1.0 for k in range(x.ndim)])
    return np.reshape(_at(x, points, order, mode, cval, prefilter), x.shape)


def _zoomed(n: Any, m: Any, grid_mode: Any) -> Any:
    """Where the m elements of the result are among n."""
    if grid_mode:
        return (np.arange(m) + 0.5) * (n / max(m, 1)) - 0.5
    return np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 1.0)


def zoom(
    input: Any, zoom: Any, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True, *, grid_mode: Any = False,
) -> Any:  # fmt: skip
    _checked(order)
    x = np.asarray(input)
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    by = each(zoom, x.ndim)
    shape = tuple([int(np.rint(x.shape[k] * by[k])) for k in range(x.ndim)])
    points = _grid([_zoomed(x.shape[k], shape[k], grid_mode) for k in range(x.ndim)])
    return np.reshape(_at(x, points, order, mode, cval, prefilter), shape)
