"""Histograms of pairs, parts of arrays that are in order, and reductions of stretches."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import (
    as_tuple,
    counted_from_zero,
    folded,
    is_sequence,
    numbers,
    unfolded,
)
from retrograd.frontend.library.plain.told import refuse

__all__ = ["argpartition", "histogram2d", "partition", "reduceat"]

np: Any = numpy


def _checked(a: Any, kth: Any, axis: Any) -> Any:
    """The array, flat where no axis is given; an error for places that it does not have."""
    x = np.asarray(a)
    if axis is None:
        x = np.ravel(x)
    if x.ndim == 0:
        counted_from_zero(axis, 0)
    n = x.shape[-1 if axis is None else counted_from_zero(axis, x.ndim)]
    for k in as_tuple(kth):
        if k < -n or k >= n:
            raise ValueError("kth out of bounds")
    return x


def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return np.sort(_checked(a, kth, axis), axis=-1 if axis is None else axis)


def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return np.argsort(_checked(a, kth, axis), axis=-1 if axis is None else axis)


def _edges(x: Any, bins: Any, span: Any) -> Any:
    """The ends of bins along one axis."""
    if np.ndim(bins) > 0:
        edges = np.asarray(bins) * 1.0
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = written_kernels.ends(x) if span is None else (span[0] * 1.0, span[1] * 1.0)
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError("autodetected range is not finite")
    flat = low == high
    low, high = (low - 0.5, high + 0.5) if flat else (low, high)
    return np.linspace(low, high, bins + 1)


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("x and y must be one-dimensional")
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    pair = is_sequence(bins) and len(bins) == 2
    if is_sequence(bins) and len(bins) == 1:
        refuse("one item of bins in np.histogram2d", "give two, or a number")
    one, other = bins if pair else (bins, bins)
    spans = (None, None) if range is None else range
    across, down = _edges(x, one, spans[0]), _edges(y, other, spans[1])
    given = np.ones(len(x)) if weights is None else np.asarray(weights) * 1.0
    if len(given) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    found = written_kernels.histogram_of_pairs(x, y, across, down, given)
    if density:
        areas = np.diff(across)[:, None] * np.diff(down)[None, :]
        found = found / areas / np.sum(found)
    return found, across, down


def reduceat(op: Any, array: Any, indices: Any, axis: Any) -> Any:
    x = numbers(array) if op is np.add or op is np.multiply else np.asarray(array)
    if x.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    place = counted_from_zero(axis, x.ndim)
    at = numbers(indices)
    return unfolded(written_kernels.reduced_at(op, folded(x, place), at), x.shape, place)
