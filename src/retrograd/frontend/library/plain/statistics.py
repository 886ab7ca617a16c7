"""Averages, order statistics and moments, also of what is not NaN."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import as_tuple, counted_from_zero, numbers, size_of
from retrograd.frontend.library.plain.norms import root_of_squares
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.quantile_places import DISCRETE, METHODS

__all__ = [
    "average", "corrcoef", "count_nonzero", "cov", "histogram", "median", "nan_to_num",
    "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin",
    "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "percentile", "ptp",
    "quantile",
]  # fmt: skip

np: Any = numpy


def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False) -> Any:
    a = np.asarray(a)
    if weights is None:
        mean = np.mean(a, axis=axis)
        if returned:
            return mean, np.sum(np.ones(a.shape), axis=axis)
        return mean
    w = np.asarray(weights)
    if w.ndim != a.ndim:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        place = counted_from_zero(axis, a.ndim)
        if w.ndim != 1 or len(w) != a.shape[place]:
            raise ValueError("Shape of weights must be consistent with shape of a")
        w = w[(slice(None),) + (None,) * (a.ndim - place - 1)]
    elif a.ndim > 0:
        for one, other in zip(a.shape, w.shape, strict=True):
            if one != other:
                raise ValueError("Shape of weights must be consistent with shape of a")
    total = np.sum(w * np.ones(a.shape), axis=axis)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.sum(a * w, axis=axis) / total
    return (mean, total) if returned else mean


def ptp(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def count_nonzero(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.sum(np.asarray(a) != 0, axis=axis, keepdims=keepdims)


def _last(a: Any, axis: Any) -> Any:
    """The array as (others, n): the axis is the last one; all are one for None."""
    if a.ndim == 0:
        return np.full((1, 1), a)
    if axis is None:
        return np.reshape(a, (1, a.size))
    axes = as_tuple(axis)
    moved = np.moveaxis(a, axes, tuple([k - len(axes) for k in range(len(axes))]))
    kept = a.ndim - len(axes)
    return np.reshape(moved, (size_of(moved.shape[:kept]), size_of(moved.shape[kept:])))


def _back(rows: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A number of each row in the shape of a reduction."""
    return np.reshape(rows, _reduced(a, axis, keepdims))


def _reduced(a: Any, axis: Any, keepdims: Any) -> Any:
    """The shape of a reduction."""
    if axis is None:
        return (1,) * a.ndim if keepdims else ()
    gone = tuple([counted_from_zero(k, a.ndim) for k in as_tuple(axis)])
    shape = ()
    for k in range(a.ndim):
        if k not in gone:
            shape = (*shape, a.shape[k])
        elif keepdims:
            shape = (*shape, 1)
    return shape


def _quantiles(a: Any, q: Any, axis: Any, keepdims: Any, method: Any) -> Any:
    a = np.asarray(a)
    found = _of_floats(a, q, axis, keepdims, method)
    return np.int64(found) if a.dtype == np.int64 and method in DISCRETE else found


def _of_floats(a: Any, q: Any, axis: Any, keepdims: Any, method: Any) -> Any:
    if method not in METHODS:
        raise ValueError("the method of a quantile is not one of NumPy's")
    if a.dtype == np.bool_:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    a = a.astype(float) if a.dtype == np.int64 else a
    q = np.asarray(q) * 1.0
    if np.any(np.logical_not(np.logical_and(q >= 0.0, q <= 1.0))):
        raise ValueError("Quantiles must be in the range [0, 1]")
    rows = _last(a, axis)
    if q.ndim == 0:
        found = written_kernels.quantiles(rows, np.full((1,), q), method)
        return _back(found[0], a, axis, keepdims)
    found = written_kernels.quantiles(rows, np.ravel(q), method)
    return np.reshape(found, (*q.shape, *_reduced(a, axis, keepdims)))


def quantile(
    a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False,
    overwrite_input: Any = False,
) -> Any:  # fmt: skip
    return _quantiles(a, q, axis, keepdims, method)


def _of_hundred(q: Any) -> Any:
    q = np.asarray(q)
    if np.any(np.logical_not(np.logical_and(q >= 0.0, q <= 100.0))):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return q / 100.0


def percentile(
    a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False,
    overwrite_input: Any = False,
) -> Any:  # fmt: skip
    return _quantiles(a, _of_hundred(q), axis, keepdims, method)


def median(a: Any, axis: Any = None, keepdims: Any = False, overwrite_input: Any = False) -> Any:
    a = numbers(a)
    a = a.astype(float) if a.dtype == np.int64 else a
    return _back(written_kernels.medians(_last(a, axis)), a, axis, keepdims)


def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None,
) -> Any:  # fmt: skip
    x = np.atleast_2d(np.asarray(m) * 1.0)
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    x = x.T if not rowvar and np.ndim(m) == 2 else x
    if y is not None:
        other = np.atleast_2d(np.asarray(y) * 1.0)
        other = other.T if not rowvar and np.ndim(y) == 2 else other
        x = np.concatenate((x, other), 0)
    less = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        off = x - np.mean(x, axis=1, keepdims=True)
        found = (off @ off.T) / float(max(x.shape[1] - less, 0))
    else:
        found = _weighted_products(x, fweights, aweights, less)
    return found[0, 0] if np.ndim(m) < 2 and y is None else found


def _weighted_products(x: Any, fweights: Any, aweights: Any, less: Any) -> Any:
    """Covariances with numbers of repetitions, and weights."""
    w = np.ones(x.shape[1])
    for given in (fweights, aweights):
        if given is not None:
            own = np.asarray(given) * 1.0
            if own.ndim != 1 or len(own) != len(w):
                raise RuntimeError("incompatible numbers of samples and weights")
            if np.any(own < 0.0):
                raise ValueError("weights cannot be negative")
            w = w * own
    total = np.sum(w)
    squares = total if aweights is None else np.sum(w * np.asarray(aweights)) / total
    count = total - less * (1.0 if aweights is None else squares)
    off = x - np.sum(x * w, axis=1, keepdims=True) / total
    return ((off * w) @ off.T) / np.maximum(count, 0.0)


def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    scale = np.sqrt(np.diag(c))
    return np.clip(c / scale[:, None] / scale[None, :], -1.0, 1.0)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    flat = np.ravel(numbers(a)) * 1.0
    edges = _edges(flat, bins, range)
    if weights is None:
        counts = written_kernels.histogram_counts(flat, edges)
    else:
        w = np.asarray(weights) * 1.0
        if w.ndim != np.ndim(a):
            raise ValueError("weights should have the same shape as a.")
        counts = written_kernels.histogram_weights(flat, edges, np.ravel(w))
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None) -> Any:
    return _edges(np.ravel(numbers(a)) * 1.0, bins, range)


def _edges(flat: Any, bins: Any, range: Any) -> Any:
    """The ends of the bins of a histogram."""
    number: Any = bins
    if isinstance(bins, str):
        refuse("bins that are chosen by name", "give their number, or their edges")
    if np.ndim(number) == 0:
        if number < 1:
            raise ValueError("`bins` must be positive, when an integer")
        if range is not None:
            low, high = range[0] * 1.0, range[1] * 1.0
            if low > high:
                raise ValueError("max must be larger than min in range parameter.")
        else:
            low, high = written_kernels.ends(flat)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError("autodetected range is not finite")
        flat_range = low == high
        low, high = (low - 0.5, high + 0.5) if flat_range else (low, high)
        edges = np.linspace(low, high, number + 1)
    else:
        edges = np.asarray(number) * 1.0
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _known(a: Any, instead: Any) -> Any:
    """NaN replaced."""
    a = numbers(a)
    return a if a.dtype == np.int64 else np.where(np.isnan(a), instead, a)


def _counted(a: Any, axis: Any, keepdims: Any) -> Any:
    return np.sum(np.logical_not(np.isnan(a)), axis=axis, keepdims=keepdims)


def nansum(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.sum(_known(a, 0.0), axis=axis, keepdims=keepdims)


def nanprod(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.prod(_known(a, 1.0), axis=axis, keepdims=keepdims)


def nancumsum(a: Any, axis: Any = None) -> Any:
    return np.cumsum(_known(a, 0.0), axis=axis)


def nancumprod(a: Any, axis: Any = None) -> Any:
    return np.cumprod(_known(a, 1.0), axis=axis)


def nanmean(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    a = np.asarray(a) * 1.0
    total = np.sum(_known(a, 0.0), axis=axis, keepdims=keepdims)
    return total / (_counted(a, axis, keepdims) * 1.0)


def nanvar(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    a = np.asarray(a) * 1.0
    off = np.where(np.isnan(a), 0.0, a - nanmean(a, axis, True))
    count = _counted(a, axis, keepdims) - ddof
    total = np.sum(off * off, axis=axis, keepdims=keepdims)
    return np.where(count > 0, total / (np.maximum(count, 1) * 1.0), np.nan)


def nanstd(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return root_of_squares(nanvar(a, axis, ddof, keepdims))


def nanmax(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    a = numbers(a)
    if a.dtype == np.int64:
        return np.max(a, axis=axis, keepdims=keepdims)
    found = np.max(_known(a, -np.inf), axis=axis, keepdims=keepdims)
    return np.where(_counted(a, axis, keepdims) > 0, found, np.nan)


def nanmin(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    a = numbers(a)
    if a.dtype == np.int64:
        return np.min(a, axis=axis, keepdims=keepdims)
    found = np.min(_known(a, np.inf), axis=axis, keepdims=keepdims)
    return np.where(_counted(a, axis, keepdims) > 0, found, np.nan)


def nanmedian(a: Any, axis: Any = None, keepdims: Any = False, overwrite_input: Any = False) -> Any:
    a = np.asarray(a) * 1.0
    return _back(written_kernels.known_medians(_last(a, axis)), a, axis, keepdims)


def _known_quantiles(a: Any, q: Any, axis: Any, keepdims: Any, method: Any) -> Any:
    a = np.asarray(a)
    if a.dtype != np.float64:
        return _quantiles(a, q, axis, keepdims, method)
    if method not in METHODS:
        raise ValueError("the method of a quantile is not one of NumPy's")
    q = np.asarray(q) * 1.0
    if np.any(np.logical_not(np.logical_and(q >= 0.0, q <= 1.0))):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if q.ndim > 0:
        return np.stack([_known_quantile(a, one, axis, keepdims, method) for one in q])
    return _known_quantile(a, q, axis, keepdims, method)


def _known_quantile(a: Any, q: Any, axis: Any, keepdims: Any, method: Any) -> Any:
    return _back(written_kernels.known_quantiles(_last(a, axis), q, method), a, axis, keepdims)


def nanquantile(
    a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False,
    overwrite_input: Any = False,
) -> Any:  # fmt: skip
    return _known_quantiles(a, q, axis, keepdims, method)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False,
    overwrite_input: Any = False,
) -> Any:  # fmt: skip
    return _known_quantiles(a, _of_hundred(q), axis, keepdims, method)


def _all_of_them(a: Any, axis: Any) -> Any:
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return None


def nanargmax(a: Any, axis: Any = None) -> Any:
    a = np.asarray(a) * 1.0
    _all_of_them(a, axis)
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis)


def nanargmin(a: Any, axis: Any = None) -> Any:
    a = np.asarray(a) * 1.0
    _all_of_them(a, axis)
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis)


def nan_to_num(
    x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    if not copy:
        refuse("np.nan_to_num in place", "assign what it gives: x = np.nan_to_num(x)")
    x = np.asarray(x)
    if x.dtype != np.float64:
        return x.copy()
    most, least = 1.7976931348623157e308, -1.7976931348623157e308
    x = np.where(np.isnan(x), nan, x)
    x = np.where(x == np.inf, most if posinf is None else posinf, x)
    return np.where(x == -np.inf, least if neginf is None else neginf, x)
