"""Filters of `scipy.ndimage` whose windows have several axes."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_filters
from retrograd.frontend.library.plain import views
from retrograd.frontend.library.plain.axes import as_tuple, is_sequence
from retrograd.frontend.library.plain.filters import (
    along_lines,
    as_image,
    each,
    extreme_along,
    of_all_axes,
    own_mode,
    places_of,
)
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "convolve", "correlate", "generic_filter", "maximum_filter", "median_filter", "minimum_filter",
    "percentile_filter", "rank_filter",
]  # fmt: skip

np: Any = numpy


def _spread(window: Any, rank: Any, places: Any) -> Any:
    """A window of some axes as one of all."""
    if window.ndim != len(places) or window.size == 0:
        raise RuntimeError("the window must have as many axes as are filtered")
    if rank > 3:
        refuse("a filter with windows of arrays of more than three axes", "filter axis by axis")
    if len(places) == rank:
        return window
    return views.expand_dims(window, tuple([k for k in range(rank) if k not in places]))


def _origins(origin: Any, rank: Any, places: Any) -> Any:
    return of_all_axes(each(origin, len(places)), places, rank, 0)


def _planes(x: Any) -> Any:
    return np.reshape(x, (1,) * (3 - x.ndim) + tuple(x.shape))


def _surrounded(x: Any, extents: Any, origins: Any, mode: Any, cval: Any) -> Any:
    """The image, extended so that every window lies inside, as planes."""
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    out = x * 1.0
    for k in range(x.ndim):
        before = extents[k] // 2 + origins[k]
        if before < 0 or before >= extents[k]:
            raise ValueError("invalid origin")
        rest = extents[k] - 1 - before
        lines = along_lines(out, k, before, rest, own_mode(mode), cval)
        longer = (*out.shape[:k], lines.shape[1], *out.shape[k + 1 :])
        out = np.reshape(lines, longer)
    return _planes(out)


def _correlated(image: Any, weights: Any, mode: Any, cval: Any, origins: Any, places: Any) -> Any:
    w = np.asarray(weights)
    x = as_image(image, w.dtype != np.float64)
    w = _spread(w * 1.0, x.ndim, places)
    if x.size == 0:
        return np.zeros(x.shape, dtype=x.dtype)
    planes = _surrounded(x, w.shape, origins, mode, cval)
    found = written_filters.weighted_windows(planes, _planes(w))
    return np.reshape(found, x.shape).astype(x.dtype)


def correlate(
    input: Any, weights: Any, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    rank = np.ndim(input)
    places = places_of(axes, rank)
    return _correlated(input, weights, mode, cval, _origins(origin, rank, places), places)


def convolve(
    input: Any, weights: Any, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    rank, w = np.ndim(input), np.asarray(weights)
    places = places_of(axes, rank)
    if w.ndim != len(places):
        raise RuntimeError("weights must have as many axes as are filtered")
    given = each(origin, len(places))
    turned = tuple(
        [-given[k] - 1 if w.shape[k] % 2 == 0 else -given[k] for k in range(len(places))]
    )
    back = w[(slice(None, None, -1),) * w.ndim]
    return _correlated(input, back, mode, cval, _origins(turned, rank, places), places)


def _extreme(
    sign: Any, image: Any, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any, axes: Any
) -> Any:
    x = np.asarray(image)
    places = places_of(axes, x.ndim)
    if footprint is not None:
        chosen = np.asarray(footprint) != 0
        if not np.any(chosen):
            raise ValueError("All-zero footprint is not supported.")
        chosen = _spread(chosen, x.ndim, places)
        if x.size == 0:
            return x.copy()
        origins = _origins(origin, x.ndim, places)
        planes = _surrounded(x, chosen.shape, origins, mode, cval)
        found = written_filters.extremes_of_windows(planes, _planes(chosen), sign)
        return np.reshape(found, x.shape).astype(x.dtype)
    if size is None:
        raise RuntimeError("no footprint provided")
    count = len(places)
    sizes, modes, origins = each(size, count), each(mode, count), each(origin, count)
    x = x.copy()
    for k in range(count):
        if sizes[k] > 1:
            x = extreme_along(x, sign, sizes[k], places[k], modes[k], cval, origins[k])
    return x


def maximum_filter(
    input: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    return _extreme(1.0, input, size, footprint, mode, cval, origin, axes)


def minimum_filter(
    input: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    return _extreme(-1.0, input, size, footprint, mode, cval, origin, axes)


def _chosen(size: Any, footprint: Any, rank: Any, places: Any) -> Any:
    """Which elements of a window count."""
    if footprint is not None:
        return _spread(np.asarray(footprint) != 0, rank, places)
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    return _spread(np.ones(each(size, len(places))) > 0.0, rank, places)


def _ranked(
    image: Any, place: Any, chosen: Any, mode: Any, cval: Any, origin: Any, places: Any
) -> Any:
    x = np.asarray(image)
    count = np.sum(chosen)
    at = place + count if place < 0 else place
    if at < 0 or at >= count:
        raise RuntimeError("rank not within filter footprint size")
    if x.size == 0:
        return x.copy()
    planes = _surrounded(x, chosen.shape, _origins(origin, x.ndim, places), mode, cval)
    found = written_filters.ranked(planes, _planes(chosen), at)
    return np.reshape(found, x.shape).astype(x.dtype)


def rank_filter(
    input: Any, rank: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    places = places_of(axes, np.ndim(input))
    chosen = _chosen(size, footprint, np.ndim(input), places)
    return _ranked(input, rank, chosen, mode, cval, origin, places)


def median_filter(
    input: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    places = places_of(axes, np.ndim(input))
    chosen = _chosen(size, footprint, np.ndim(input), places)
    return _ranked(input, np.sum(chosen) // 2, chosen, mode, cval, origin, places)


def percentile_filter(
    input: Any, percentile: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    places = places_of(axes, np.ndim(input))
    chosen = _chosen(size, footprint, np.ndim(input), places)
    part = percentile + 100.0 if percentile < 0.0 else percentile * 1.0
    if part < 0.0 or part > 100.0:
        raise RuntimeError("invalid percentile")
    count = np.sum(chosen)
    place = count - 1 if part == 100.0 else int(count * part / 100.0)
    return _ranked(input, place, chosen, mode, cval, origin, places)


def generic_filter(
    input: Any, function: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (), *, axes: Any = None,
) -> Any:  # fmt: skip
    x = as_image(input, False)
    places = places_of(axes, x.ndim)
    chosen = _chosen(size, footprint, x.ndim, places)
    if x.size == 0:
        return x.copy()
    planes = _surrounded(x, chosen.shape, _origins(origin, x.ndim, places), mode, cval)
    more = tuple(extra_arguments) if is_sequence(extra_arguments) else as_tuple(extra_arguments)
    found = written_filters.function_of_windows(function, planes, _planes(chosen), more)
    return np.reshape(found, x.shape)
