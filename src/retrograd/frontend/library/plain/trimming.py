"""Samples without what is far off, of circles and of powers, and by bins: `scipy.stats`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import scipy.special

from retrograd.frontend.library.plain import summaries
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "binned_statistic", "boxcox", "boxcox_llf", "circmean", "circstd", "circvar", "cumfreq",
    "describe", "gstd", "gzscore", "pmean", "pointbiserialr", "relfreq", "sigmaclip", "tmean",
    "trim_mean", "tsem", "tstd", "tvar", "yeojohnson", "yeojohnson_llf", "zmap",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special


class Description(NamedTuple):
    """What `scipy.stats.describe` gives."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


class Clipped(NamedTuple):
    """What `scipy.stats.sigmaclip` gives."""

    clipped: Any
    lower: Any
    upper: Any


class Binned(NamedTuple):
    """What `scipy.stats.binned_statistic` gives."""

    statistic: Any
    bin_edges: Any
    binnumber: Any


class Cumulated(NamedTuple):
    """What `scipy.stats.cumfreq` gives."""

    cumcount: Any
    lowerlimit: Any
    binsize: Any
    extrapoints: Any


class Relative(NamedTuple):
    """What `scipy.stats.relfreq` gives."""

    frequency: Any
    lowerlimit: Any
    binsize: Any
    extrapoints: Any


def _sample(a: Any, axis: Any) -> Any:
    a = np.asarray(a) * 1.0
    return (np.ravel(a), 0) if axis is None else (np.atleast_1d(a), axis)


def describe(a: Any, axis: Any = 0, ddof: Any = 1, bias: Any = True) -> Any:
    a, axis = _sample(a, axis)
    n = a.shape[axis]
    if n == 0:
        raise ValueError("The input must not be empty.")
    both = (np.min(a, axis=axis), np.max(a, axis=axis))
    spread = np.var(a, axis=axis, ddof=ddof)
    lean, heavy = summaries.skew(a, axis, bias), summaries.kurtosis(a, axis, True, bias)
    return Description(n, both, np.mean(a, axis=axis), spread, lean, heavy)


def _middle(a: Any, share: Any, axis: Any) -> Any:
    """The sorted sample without as many at each end."""
    n = a.shape[axis]
    low = int(share * n)
    if low >= n - low:
        raise ValueError("Proportion too big.")
    ordered = np.moveaxis(np.sort(a, axis=axis), axis, 0)
    return np.moveaxis(ordered[low : n - low], 0, axis)


def trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    a, axis = _sample(a, axis)
    found = np.mean(_middle(a, proportiontocut, axis), axis=axis)
    return np.where(np.any(np.isnan(a), axis=axis), np.nan, found)


def _within(a: Any, limits: Any, inclusive: Any) -> Any:
    """Which elements lie between the limits."""
    inside = np.ones(a.shape, dtype=bool)
    if limits is None:
        return inside
    low, high = limits
    if low is not None:
        inside = np.logical_and(inside, a >= low if inclusive[0] else a > low)
    if high is not None:
        inside = np.logical_and(inside, a <= high if inclusive[1] else a < high)
    return np.logical_or(inside, np.isnan(a))


def tmean(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None) -> Any:
    a, axis = _sample(a, axis)
    return np.mean(a, axis=axis, where=_within(a, limits, inclusive))


def tvar(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1
) -> Any:
    a, axis = _sample(a, axis)
    return np.var(a, axis=axis, ddof=ddof, where=_within(a, limits, inclusive))


def tstd(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1
) -> Any:
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof))


def tsem(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1
) -> Any:
    a, axis = _sample(a, axis)
    n = np.sum(_within(a, limits, inclusive), axis=axis)
    return tstd(a, limits, inclusive, axis, ddof) / np.sqrt(n * 1.0)


def sigmaclip(a: Any, low: Any = 4.0, high: Any = 4.0) -> Any:
    c = np.ravel(np.asarray(a))
    gone, below, above = 1, 0.0, 0.0
    while gone > 0:
        size = len(c)
        below = np.mean(c) - np.std(c) * low
        above = np.mean(c) + np.std(c) * high
        c = c[np.logical_and(c >= below, c <= above)]
        gone = size - len(c)
    return Clipped(c, below, above)


def gstd(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    a, axis = _sample(a, axis)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    a = np.asarray(compare) * 1.0
    if axis is None:
        return (scores - np.mean(a)) / np.std(a, ddof=ddof)
    off = np.std(a, axis=axis, ddof=ddof, keepdims=True)
    return (np.asarray(scores) - np.mean(a, axis=axis, keepdims=True)) / off


def gzscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    return summaries.zscore(np.log(np.asarray(a) * 1.0), axis, ddof)


def pmean(a: Any, p: Any, axis: Any = 0, weights: Any = None) -> Any:
    if np.ndim(p) > 0:
        raise ValueError("Power mean only implemented for finite `p`")
    if p == 0:
        return summaries.gmean(a, axis, weights)
    a, axis = _sample(a, axis)
    a = np.where(np.any(a < 0.0, axis=axis, keepdims=True), np.nan, a)
    if weights is None:
        return np.mean(a**p, axis=axis) ** (1.0 / p)
    return np.average(a**p, axis=axis, weights=weights) ** (1.0 / p)


def pointbiserialr(x: Any, y: Any) -> Any:
    return summaries.pearsonr(np.asarray(x) * 1.0, y)


def _turned(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    """Means of sine and cosine, with what one radian is."""
    a, axis = _sample(samples, axis)
    unit = (high - low) / (2.0 * np.pi)
    angle = (a - low) / unit
    return np.mean(np.sin(angle), axis=axis), np.mean(np.cos(angle), axis=axis), unit


def circmean(samples: Any, high: Any = 6.283185307179586, low: Any = 0, axis: Any = None) -> Any:
    s, c, unit = _turned(samples, high, low, axis)
    found = np.arctan2(s, c)
    return np.where(found < 0.0, found + 2.0 * np.pi, found) * unit + low


def circvar(samples: Any, high: Any = 6.283185307179586, low: Any = 0, axis: Any = None) -> Any:
    s, c, _ = _turned(samples, high, low, axis)
    return 1.0 - np.minimum(np.hypot(s, c), 1.0)


def circstd(
    samples: Any, high: Any = 6.283185307179586, low: Any = 0, axis: Any = None,
    normalize: Any = False,
) -> Any:  # fmt: skip
    s, c, unit = _turned(samples, high, low, axis)
    found = np.sqrt(-2.0 * np.log(np.minimum(np.hypot(s, c), 1.0)))
    return found if normalize else found * unit


def boxcox(x: Any, lmbda: Any = None) -> Any:
    x = np.asarray(x) * 1.0
    if lmbda is None:
        refuse("scipy.stats.boxcox that looks for lmbda", "give lmbda, or minimise boxcox_llf")
    return special.boxcox(x, lmbda)


def boxcox_llf(lmb: Any, data: Any, axis: Any = 0) -> Any:
    a, axis = _sample(data, axis)
    logs = np.log(a)
    if lmb == 0:
        spread = np.log(np.var(logs, axis=axis))
    else:
        spread = np.log(np.var(np.exp(lmb * logs), axis=axis) / lmb**2)
    return (lmb - 1.0) * np.sum(logs, axis=axis) - a.shape[axis] / 2.0 * spread


def yeojohnson(x: Any, lmbda: Any = None) -> Any:
    if lmbda is None:
        refuse("scipy.stats.yeojohnson that looks for lmbda", "give it lmbda")
    return _yeojohnson(np.asarray(x) * 1.0, lmbda)


def _yeojohnson(x: Any, lmbda: Any) -> Any:
    above = x >= 0.0
    up, down = np.where(above, x, 0.0), np.where(above, 0.0, -x)
    if np.abs(lmbda) < 2.220446049250313e-16:
        high = np.log1p(up)
    else:
        high = np.expm1(lmbda * np.log1p(up)) / lmbda
    if np.abs(lmbda - 2.0) > 2.220446049250313e-16:
        below = -np.expm1((2.0 - lmbda) * np.log1p(down)) / (2.0 - lmbda)
    else:
        below = -np.log1p(down)
    return np.where(above, high, below)


def yeojohnson_llf(lmb: Any, data: Any, axis: Any = 0) -> Any:
    a, axis = _sample(data, axis)
    spread = np.var(_yeojohnson(a, lmb), axis=axis)
    more = (lmb - 1.0) * np.sum(np.sign(a) * np.log1p(np.abs(a)), axis=axis)
    return -a.shape[axis] / 2.0 * np.log(spread) + more


def _edges(x: Any, bins: Any, range: Any) -> Any:
    if np.ndim(bins) > 0:
        return np.asarray(bins) * 1.0
    if range is not None:
        low, high = range
    else:
        low, high = np.min(x), np.max(x)
    wide = np.where(low == high, 0.5, 0.0)
    return np.linspace(low - wide, high + wide, bins + 1)


def binned_statistic(
    x: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None
) -> Any:
    x, values = np.asarray(x) * 1.0, np.asarray(values) * 1.0
    if values.ndim != 1:
        refuse("scipy.stats.binned_statistic of several sequences", "call it for each")
    if statistic not in ("mean", "sum", "count", "std", "median", "min", "max"):
        refuse(
            "scipy.stats.binned_statistic by this statistic",
            "mean, sum, count, std, median, min and max are known",
        )
    edges = _edges(x, bins, range)
    number = np.digitize(x, edges) - np.where(x == edges[-1], 1, 0)
    n = len(edges) - 1
    found = np.full(n, 0.0 if statistic in ("sum", "count") else np.nan)
    for k in np.arange(n):
        some = values[number == k + 1]
        if len(some) > 0:
            found[k] = _statistic(some, statistic)
    return Binned(found, edges, number)


def _statistic(some: Any, statistic: Any) -> Any:
    if statistic == "mean":
        return np.mean(some)
    if statistic == "sum":
        return np.sum(some)
    if statistic == "count":
        return len(some) * 1.0
    if statistic == "std":
        return np.std(some)
    if statistic == "median":
        return np.median(some)
    return np.min(some) if statistic == "min" else np.max(some)


def _frequencies(a: Any, numbins: Any, defaultreallimits: Any, weights: Any) -> Any:
    a = np.ravel(np.asarray(a) * 1.0)
    if defaultreallimits is not None:
        low, high = defaultreallimits
    else:
        wide = (np.max(a) - np.min(a)) / (2.0 * (numbins - 1.0))
        low, high = np.min(a) - wide, np.max(a) + wide
    found, edges = np.histogram(a, bins=numbins, range=(low, high), weights=weights)
    out = np.sum(np.logical_or(a < low, a > high))
    return found * 1.0, low, edges[1] - edges[0], out


def cumfreq(a: Any, numbins: Any = 10, defaultreallimits: Any = None, weights: Any = None) -> Any:
    found, low, wide, out = _frequencies(a, numbins, defaultreallimits, weights)
    return Cumulated(np.cumsum(found), low, wide, out)


def relfreq(a: Any, numbins: Any = 10, defaultreallimits: Any = None, weights: Any = None) -> Any:
    found, low, wide, out = _frequencies(a, numbins, defaultreallimits, weights)
    return Relative(found / np.asarray(a).shape[0], low, wide, out)
