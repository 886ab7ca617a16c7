"""Sums, means and the like of the parts of an image that labels name: `scipy.ndimage`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_resampling
from retrograd.frontend.library.plain.axes import numbers

__all__ = [
    "center_of_mass", "maximum", "mean", "minimum", "standard_deviation", "sum", "sum_labels",
    "variance",
]  # fmt: skip

np: Any = numpy


def _chosen(x: Any, labels: Any, index: Any) -> Any:
    """The elements that are meant, where one number is the result."""
    if labels is None:
        return np.ravel(x)
    x, named = np.broadcast_arrays(x, labels)
    return x[named > 0] if index is None else x[named == index]


def _several(labels: Any, index: Any) -> bool:
    return labels is not None and index is not None and np.asarray(index).ndim > 0


def _named(x: Any, labels: Any) -> Any:
    """The elements and the label of each, flat."""
    x, named = np.broadcast_arrays(x, labels)
    return np.ravel(x) * 1.0, np.ravel(numbers(named))


def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    if _several(labels, index):
        flat, named = _named(x, labels)
        return written_resampling.sums_by_label(flat, named, numbers(index))[1]
    return np.sum(_chosen(x, labels, index))


def sum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return sum_labels(input, labels, index)


def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    if _several(labels, index):
        flat, named = _named(x, labels)
        counts, sums = written_resampling.sums_by_label(flat, named, numbers(index))
        return sums / counts
    return np.mean(_chosen(x, labels, index))


def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    if not _several(labels, index):
        return np.var(_chosen(x, labels, index))
    flat, named = _named(x, labels)
    counts, sums = written_resampling.sums_by_label(flat, named, named)
    off = flat - sums / counts
    counts, squares = written_resampling.sums_by_label(off * off, named, numbers(index))
    return squares / counts


def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.sqrt(variance(input, labels, index))


def _extreme(image: Any, labels: Any, index: Any, sign: Any) -> Any:
    x = np.asarray(image)
    if _several(labels, index):
        flat, named = _named(x, labels)
        found = written_resampling.extremes_by_label(flat, named, numbers(index), sign)
        return found.astype(x.dtype)
    chosen = _chosen(x, labels, index)
    return np.max(chosen) if sign > 0 else np.min(chosen)


def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return _extreme(input, labels, index, 1)


def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return _extreme(input, labels, index, -1)


def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    whole = sum_labels(x, labels, index)
    found = ()
    for k in range(x.ndim):
        line = np.arange(x.shape[k])[(slice(None),) + (None,) * (x.ndim - k - 1)]
        found = (*found, sum_labels(x * (line * 1.0), labels, index) / whole)
    if not _several(labels, index):
        return found
    rows = np.stack(found, axis=1)
    return [tuple([row[k] for k in range(x.ndim)]) for row in rows]
