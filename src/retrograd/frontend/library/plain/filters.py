"""Filters of `scipy.ndimage` that go along one axis after the other."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_filters
from retrograd.frontend.library.plain.axes import (
    as_tuple,
    counted_from_zero,
    folded,
    is_sequence,
    size_of,
    unfolded,
)
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "along_lines", "as_image", "convolve1d", "correlate1d", "each", "extreme_along",
    "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace",
    "laplace", "maximum_filter1d", "minimum_filter1d", "of_all_axes", "own_mode", "places_of",
    "prewitt", "sobel", "uniform_filter", "uniform_filter1d",
]  # fmt: skip

np: Any = numpy


def each(value: Any, count: Any) -> Any:
    """What is said once, or for each axis, for each axis."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        if len(value) != count:
            raise RuntimeError("sequence argument must have length equal to input rank")
        return tuple([value[k] for k in range(count)])
    if not is_sequence(value):
        return (value,) * count
    if len(value) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return tuple(value)


def places_of(axes: Any, rank: Any) -> Any:
    """The axes that are meant, from zero; all where none are given."""
    if axes is None:
        return tuple([k for k in range(rank)])
    found = tuple([counted_from_zero(k, rank) for k in as_tuple(axes)])
    for k in range(len(found)):
        if found[k] in found[:k]:
            raise ValueError("axes must be unique")
    return found


def of_all_axes(values: Any, places: Any, rank: Any, other: Any) -> Any:
    """What some axes have, and another value for the rest."""
    found = ()
    for k in range(rank):
        own = other
        for value, place in zip(values, places, strict=True):
            if place == k:
                own = value
        found = (*found, own)
    return found


def own_mode(mode: Any) -> Any:
    """How an image goes on, by its first name."""
    if mode == "grid-mirror":
        return "reflect"
    if mode == "grid-wrap":
        return "wrap"
    if mode == "grid-constant":
        return "constant"
    if mode not in ("reflect", "constant", "nearest", "mirror", "wrap"):
        raise RuntimeError("boundary mode not supported")
    return mode


def as_image(image: Any, whole: Any) -> Any:
    """As an array; refused where sums would be cut off to ints or bools. `whole` says that they
    have no fractions."""
    x = np.asarray(image)
    if x.dtype == np.bool_:
        refuse("this filter of bools", "convert them: x.astype(float)")
    if x.dtype != np.float64 and not whole:
        refuse("this filter of ints, which cuts sums off", "convert them: x.astype(float)")
    return x


def along_lines(x: Any, axis: Any, before: Any, after: Any, mode: Any, cval: Any) -> Any:
    """The lines along an axis, extended."""
    rows = (
        np.reshape(x, (size_of(x.shape[:-1]), x.shape[axis]))
        if axis == x.ndim - 1
        else folded(x, axis)
    )
    if mode == "constant":
        return written_filters.extended_by(rows * 1.0, before, after, cval)
    return written_filters.extended(rows * 1.0, before, after, mode)


def _back(lines: Any, like: Any, axis: Any) -> Any:
    """Filtered lines as the array that they are of, in its dtype."""
    found = np.reshape(lines, like.shape) if lines.ndim == 2 else unfolded(lines, like.shape, axis)
    return found.astype(like.dtype)


def _summed(x: Any, weights: Any, axis: Any, mode: Any, cval: Any, origin: Any) -> Any:
    if x.size == 0:
        return np.zeros(x.shape, dtype=x.dtype)
    before = len(weights) // 2 + origin
    lines = along_lines(x, axis, before, len(weights) - 1 - before, own_mode(mode), cval)
    return _back(written_filters.weighted(lines, weights), x, axis)


def _weights_of(weights: Any) -> Any:
    w = np.asarray(weights)
    if w.ndim != 1 or len(w) < 1:
        raise RuntimeError("no filter weights given")
    return w


def correlate1d(
    input: Any, weights: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    w = _weights_of(weights)
    x = as_image(input, w.dtype != np.float64)
    place = counted_from_zero(axis, x.ndim)
    if len(w) // 2 + origin < 0 or len(w) // 2 + origin >= len(w):
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= "
                         "(len(weights)-1) // 2")  # fmt: skip
    return _summed(x, w * 1.0, place, mode, cval, origin)


def convolve1d(
    input: Any, weights: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    w = _weights_of(weights)
    shift = -origin - 1 if len(w) % 2 == 0 else -origin
    return correlate1d(input, w[::-1], axis, mode, cval, shift)


def _bell(sigma: Any, order: Any, radius: Any) -> Any:
    """A derivative of the Gaussian as weights of a correlation, by Hermite's polynomials."""
    if order < 0:
        raise ValueError("order must be non-negative")
    u = np.arange(-radius, radius + 1) / sigma
    phi = np.exp(-0.5 * u * u)
    before, here = np.zeros(len(u)), np.ones(len(u))
    for k in range(order):
        before, here = here, (u * here - k * before) / sigma
        before = before / sigma
    # The sign is that of a convolution's reversed weights.
    return here * phi / np.sum(phi)


def gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, False)
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    if reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return _summed(x, _bell(sigma, order, reach), counted_from_zero(axis, x.ndim), mode, cval, 0)


def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, False) * 1.0
    places = places_of(axes, x.ndim)
    count = len(places)
    widths, orders, modes = each(sigma, count), each(order, count), each(mode, count)
    reaches = each(radius, count)
    for k in range(count):
        if widths[k] > 1e-15:
            x = gaussian_filter1d(
                x, widths[k], places[k], orders[k], modes[k], cval, truncate, radius=reaches[k]
            )
    return x


def uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    x = as_image(input, True)
    place = counted_from_zero(axis, x.ndim)
    before = _before(size, origin)
    if x.size == 0:
        return np.zeros(x.shape, dtype=x.dtype)
    lines = along_lines(x, place, before, size - 1 - before, own_mode(mode), cval)
    return _back(written_filters.means(lines, size), x, place)


def _before(size: Any, origin: Any) -> Any:
    """How many neighbours come before the element that a window belongs to."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    before = size // 2 + origin
    if before < 0 or before >= size:
        raise ValueError("invalid origin")
    return before


def uniform_filter(
    input: Any, size: Any = 3, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, True).copy()
    places = places_of(axes, x.ndim)
    count = len(places)
    sizes, modes, origins = each(size, count), each(mode, count), each(origin, count)
    for k in range(count):
        if sizes[k] > 1:
            x = uniform_filter1d(x, sizes[k], places[k], modes[k], cval, origins[k])
    return x


def _edges(image: Any, axis: Any, mode: Any, cval: Any, middle: Any) -> Any:
    x = as_image(image, True)
    place = counted_from_zero(axis, x.ndim)
    modes = each(mode, x.ndim)
    found = _summed(x, np.array([-1.0, 0.0, 1.0]), place, modes[place], cval, 0)
    for k in range(x.ndim):
        if k != place:
            found = _summed(found, np.array([1.0, middle, 1.0]), k, modes[k], cval, 0)
    return found


def prewitt(input: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _edges(input, axis, mode, cval, 1.0)


def sobel(input: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _edges(input, axis, mode, cval, 2.0)


def laplace(input: Any, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    x = as_image(input, True)
    places = places_of(axes, x.ndim)
    if len(places) == 0:
        return x.copy()
    modes = each(mode, len(places))
    found = np.zeros(x.shape, dtype=x.dtype)
    for k in range(len(places)):
        weights = np.array([1.0, -2.0, 1.0])
        found = found + _summed(x, weights, places[k], modes[k], cval, 0)
    return found


def _orders(rank: Any, place: Any, order: Any) -> Any:
    return tuple([order if k == place else 0 for k in range(rank)])


def gaussian_laplace(
    input: Any, sigma: Any, mode: Any = "reflect", cval: Any = 0.0, axes: Any = None,
    truncate: Any = 4.0, radius: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, False)
    places = places_of(axes, x.ndim)
    given, modes = each(sigma, len(places)), each(mode, len(places))
    if len(places) == 0:
        return x.copy()
    widths = of_all_axes(given, places, x.ndim, 0.0)
    found = np.zeros(x.shape)
    for k in range(len(places)):
        orders = _orders(x.ndim, places[k], 2)
        found = found + gaussian_filter(x, widths, orders, modes[k], cval, truncate, radius=radius)
    return found


def gaussian_gradient_magnitude(
    input: Any, sigma: Any, mode: Any = "reflect", cval: Any = 0.0, axes: Any = None,
    truncate: Any = 4.0, radius: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, False)
    places = places_of(axes, x.ndim)
    if len(places) == 0:
        return x.copy()
    modes = each(mode, len(places))
    squares = np.zeros(x.shape)
    for k in range(len(places)):
        orders = _orders(x.ndim, places[k], 1)
        one = gaussian_filter(x, sigma, orders, modes[k], cval, truncate, radius=radius)
        squares = squares + one * one
    return np.sqrt(squares)


def extreme_along(
    x: Any, sign: Any, size: Any, axis: Any, mode: Any, cval: Any, origin: Any
) -> Any:
    """One pass of a filter of the largest, or with the sign -1 of the least."""
    before = _before(size, origin)
    if x.size == 0:
        return x.copy()
    lines = along_lines(x, axis, before, size - 1 - before, own_mode(mode), cval)
    rows = lines[:, :, None] if lines.ndim == 2 else lines
    found = written_filters.extremes(rows, size, sign)
    return np.reshape(found, x.shape).astype(x.dtype)


def maximum_filter1d(
    input: Any, size: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    x = np.asarray(input)
    return extreme_along(x, 1.0, size, counted_from_zero(axis, x.ndim), mode, cval, origin)


def minimum_filter1d(
    input: Any, size: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    x = np.asarray(input)
    return extreme_along(x, -1.0, size, counted_from_zero(axis, x.ndim), mode, cval, origin)
