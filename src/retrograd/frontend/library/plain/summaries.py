"""Numbers that describe samples: means, moments and scores of `scipy.stats`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "entropy", "gmean", "hmean", "iqr", "kurtosis", "linregress", "median_abs_deviation", "moment",
    "pearsonr", "scoreatpercentile", "sem", "skew", "variation", "zscore",
]  # fmt: skip

np: Any = numpy


def _along(a: Any, axis: Any) -> Any:
    """The array as floats, flat where there is no axis, and the axis."""
    a = np.asarray(a) * 1.0
    if axis is None:
        return np.ravel(a), 0
    return np.atleast_1d(a), axis


def _mean(a: Any, axis: Any, weights: Any) -> Any:
    return np.mean(a, axis=axis) if weights is None else np.average(a, axis=axis, weights=weights)


def gmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    a, axis = _along(a, axis)
    return np.exp(_mean(np.log(a), axis, weights))


def hmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    a, axis = _along(a, axis)
    return np.where(np.any(a < 0, axis=axis), np.nan, 1.0 / _mean(1.0 / a, axis, weights))


def _off(a: Any, axis: Any) -> Any:
    return a - np.mean(a, axis=axis, keepdims=True)


def moment(a: Any, order: Any = 1, axis: Any = 0) -> Any:
    a, axis = _along(a, axis)
    if np.ndim(order) > 0:
        refuse("several moments at once", "ask for one order")
    if order == 1:
        return np.mean(_off(a, axis) * 0.0, axis=axis)
    return np.mean(_off(a, axis) ** order, axis=axis)


def _ratio(a: Any, axis: Any, order: Any) -> Any:
    """A central moment over the power of the second one, nan where that is only rounding."""
    off = _off(a, axis)
    m2 = np.mean(off**2, axis=axis)
    rounding = (2.220446049250313e-16 * np.mean(a, axis=axis)) ** 2
    known = np.where(m2 <= rounding, np.nan, m2)
    return np.mean(off**order, axis=axis) / known ** (order / 2.0)


def skew(a: Any, axis: Any = 0, bias: Any = True) -> Any:
    a, axis = _along(a, axis)
    found = _ratio(a, axis, 3)
    n = a.shape[axis]
    if bias or n < 3:
        return found
    return ((n - 1.0) * n) ** 0.5 / (n - 2.0) * found


def kurtosis(a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True) -> Any:
    a, axis = _along(a, axis)
    found = _ratio(a, axis, 4)
    n = a.shape[axis]
    if not bias and n > 3:
        found = ((n**2 - 1.0) * found - 3 * (n - 1) ** 2.0) / (n - 2) / (n - 3) + 3.0
    return found - 3.0 if fisher else found


def sem(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    a, axis = _along(a, axis)
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(a.shape[axis])


def variation(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    a, axis = _along(a, axis)
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


def zscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    a = np.asarray(a) * 1.0
    if axis is None:
        return (a - np.mean(a)) / np.std(a, ddof=ddof)
    return _off(a, axis) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def iqr(x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0) -> Any:
    x, axis = _along(x, axis)
    low, high = np.percentile(x, rng[0], axis=axis), np.percentile(x, rng[1], axis=axis)
    if scale == "normal":
        return (high - low) / 1.3489795003921634
    return (high - low) / scale


def median_abs_deviation(x: Any, axis: Any = 0, scale: Any = 1.0) -> Any:
    x, axis = _along(x, axis)
    found = np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis)
    return found / (0.6744897501960817 if scale == "normal" else scale)


def scoreatpercentile(a: Any, per: Any, axis: Any = None) -> Any:
    a, axis = _along(a, axis)
    if np.ndim(per) > 0:
        refuse("several percentiles at once", "use np.percentile")
    if per < 0 or per > 100:
        raise ValueError("percentile must be in the range [0, 100]")
    ordered = np.sort(a, axis=axis)
    place = per / 100.0 * (a.shape[axis] - 1)
    low = int(place)
    off = place - low
    if off == 0.0:
        return np.take(ordered, low, axis=axis)
    return (
        np.take(ordered, low, axis=axis) * (1.0 - off) + np.take(ordered, low + 1, axis=axis) * off
    )


class PearsonRResult(NamedTuple):
    """A correlation, and how likely one as large is without any."""

    statistic: Any
    pvalue: Any


class LinregressResult(NamedTuple):
    """A line through points."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


def pearsonr(x: Any, y: Any) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        refuse("scipy.stats.pearsonr of arrays with several axes", "write a loop over the rows")
    if len(x) != len(y):
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    n = len(x)
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    off, other = x - np.mean(x), y - np.mean(y)
    size = np.sqrt(np.sum(off * off)) * np.sqrt(np.sum(other * other))
    r = np.clip(np.sum(off * other) / size, -1.0, 1.0)
    half = max(0.5 * n - 1.0, 0.5)
    p = 2.0 * own.betainc(half, half, 0.5 * (1.0 - np.abs(r)))
    return PearsonRResult(r, np.where(n == 2, 1.0, p))


def linregress(x: Any, y: Any) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        refuse("scipy.stats.linregress of arrays with several axes", "write a loop over the rows")
    n = len(x)
    if n == 0 or n != len(y):
        raise ValueError("Inputs must not be empty, and must have the same length.")
    if np.max(x) == np.min(x) and n > 1:
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    off, other = x - np.mean(x), y - np.mean(y)
    wide, high, both = np.sum(off * off), np.sum(other * other), np.sum(off * other)
    slope = both / wide
    r = np.where(high > 0.0, np.clip(both / np.sqrt(wide * high), -1.0, 1.0), 0.0)
    free = n - 2.0
    ratio = np.sqrt(free / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    t = r * ratio
    p = own.betainc(0.5 * max(free, 1.0), 0.5, free / (free + t * t))
    error = np.sqrt((1.0 - r * r) * high / wide / max(free, 1.0))
    return LinregressResult(slope, np.mean(y) - slope * np.mean(x), r, p, error)


def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    if qk is None:
        p, axis = _along(pk, axis)
        terms = own.entr(p / np.sum(p, axis=axis, keepdims=True))
    else:
        both = np.broadcast_arrays(pk, qk)
        p, place = _along(both[0], axis)
        q, axis = _along(both[1], axis)
        whole = np.sum(q, axis=axis, keepdims=True)
        terms = own.rel_entr(p / np.sum(p, axis=place, keepdims=True), q / whole)
    found = np.sum(terms, axis=axis)
    return found if base is None else found / np.log(base)
