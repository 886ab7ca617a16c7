"""Ranks of samples, and what is told by them: `scipy.stats`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import scipy.special

from retrograd.frontend.library.plain.hypotheses import Verdict, by_normal, by_side
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "energy_distance", "friedmanchisquare", "kendalltau", "kruskal", "mannwhitneyu", "mode",
    "percentileofscore", "rankdata", "siegelslopes", "spearmanr", "theilslopes", "tiecorrect",
    "wasserstein_distance", "wilcoxon",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special


class Mode(NamedTuple):
    """The commonest value."""

    mode: Any
    count: Any


class Slopes(NamedTuple):
    """A line through the middle of all pairs, and how far its slope may be off."""

    slope: Any
    intercept: Any
    low_slope: Any
    high_slope: Any


class Line(NamedTuple):
    """A line through the middle of the middles."""

    slope: Any
    intercept: Any


def _flat(x: Any, name: Any) -> Any:
    x = np.asarray(x)
    if x.ndim != 1:
        refuse(f"scipy.stats.{name} of arrays with several axes", "call it for each row")
    return x


def _unknown(x: Any) -> Any:
    """NaN where something is NaN, else zero."""
    return np.where(np.any(np.isnan(x * 1.0)), np.nan, 0.0)


def _ranks(x: Any, method: Any) -> Any:
    n = len(x)
    order = np.argsort(x, kind="stable")
    back = np.zeros(n, dtype=int)
    back[order] = np.arange(n)
    if method == "ordinal":
        return back + 1
    sorted_x = x[order]
    first = np.ones(n, dtype=bool)
    first[1:] = sorted_x[1:] != sorted_x[:-1]
    dense = np.cumsum(first)[back]
    if method == "dense":
        return dense
    count = np.append(np.flatnonzero(first), n)
    if method == "max":
        return count[dense]
    if method == "min":
        return count[dense - 1] + 1
    if method != "average":
        raise ValueError(f'unknown method "{method}"')
    return 0.5 * (count[dense] + count[dense - 1] + 1)


def rankdata(a: Any, method: Any = "average", axis: Any = None) -> Any:
    a = np.asarray(a)
    if axis is not None and a.ndim != 1:
        refuse("scipy.stats.rankdata along an axis", "call it for each row")
    found = _ranks(np.ravel(a), method)
    return found + _unknown(a) if a.dtype == np.float64 and method == "average" else found


def _ties(x: Any) -> Any:
    """How many elements each value has."""
    return np.unique(x, return_counts=True)[1]


def tiecorrect(rankvals: Any) -> Any:
    counts = _ties(rankvals) * 1.0
    n = len(rankvals) * 1.0
    return 1.0 if n < 2 else 1.0 - np.sum(counts**3 - counts) / (n**3 - n)


def spearmanr(a: Any, b: Any = None, alternative: Any = "two-sided") -> Any:
    if b is None:
        refuse("scipy.stats.spearmanr of one array", "give it two columns")
    x, y = _ranks(_flat(a, "spearmanr"), "average"), _ranks(_flat(b, "spearmanr"), "average")
    if len(x) < 3:
        return Verdict(np.nan, np.nan)
    off, other = x - np.mean(x), y - np.mean(y)
    r = (
        _unknown(a)
        + _unknown(b)
        + np.sum(off * other) / np.sqrt(np.sum(off * off) * np.sum(other * other))
    )
    free = len(x) - 2.0
    t = r * np.sqrt(np.maximum(free / ((r + 1.0) * (1.0 - r)), 0.0))
    p = by_side(special.stdtr(free, t), special.stdtr(free, -t), alternative)
    return Verdict(r, p)


def _kendall_exact(n: Any, c: Any, alternative: Any) -> Any:
    """How likely `c` discordant pairs are, of `n` without ties."""
    every = n * (n - 1) // 2
    right = c >= every - c
    c = min(c, every - c)
    if n < 3 or 4 * c == n * (n - 1):
        p, new = 1.0, np.zeros(c + 1)
    else:
        new = np.zeros(c + 1)
        new[0:2] = 1.0
        for j in range(3, n + 1):
            new = np.cumsum(new)
            if j <= c:
                before = new[: c + 1 - j].copy()
                new[j:] = new[j:] - before
        p = 2.0 * np.sum(new) / np.exp(special.gammaln(n + 1.0))
    p = np.minimum(p, 1.0)
    if alternative == "two-sided":
        return p
    if right == (alternative == "greater"):
        return p / 2.0
    return 1.0 - p / 2.0 + new[c] / np.exp(special.gammaln(n + 1.0))


def kendalltau(
    x: Any, y: Any, method: Any = "auto", variant: Any = "b", alternative: Any = "two-sided"
) -> Any:
    x, y = _flat(x, "kendalltau"), _flat(y, "kendalltau")
    if variant != "b":
        refuse("scipy.stats.kendalltau of variant 'c'", "variant='b' is known")
    n = len(x)
    if n != len(y):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    bad = _unknown(x) + _unknown(y)
    if n < 2 or np.isnan(bad):
        return Verdict(np.nan, np.nan)
    agree = 0
    for i in range(n):
        for j in range(i):
            agree += int(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]))
    a, b = _ties(x) * 1.0, _ties(y) * 1.0
    every = n * (n - 1.0) / 2.0
    x_ties, y_ties = np.sum(a * (a - 1.0)) / 2.0, np.sum(b * (b - 1.0)) / 2.0
    tau = agree / np.sqrt(every - x_ties) / np.sqrt(every - y_ties)
    apart = (n * (n - 1) // 2 - agree) // 2
    few = n <= 33 or min(apart, n * (n - 1) // 2 - apart) <= 1
    alone = x_ties == 0.0 and y_ties == 0.0
    if method == "exact" or (method == "auto" and alone and few):
        return Verdict(tau, _kendall_exact(n, n * (n - 1) // 2 - apart, alternative))
    m = n * (n - 1.0)
    v = (m * (2.0 * n + 5.0) - np.sum(a * (a - 1.0) * (2.0 * a + 5.0))) / 18.0
    v = v - np.sum(b * (b - 1.0) * (2.0 * b + 5.0)) / 18.0 + 2.0 * x_ties * y_ties / m
    more = np.sum(a * (a - 1.0) * (a - 2.0)) * np.sum(b * (b - 1.0) * (b - 2.0))
    z = agree / np.sqrt(v + more / (9.0 * m * (n - 2.0)))
    return Verdict(tau, by_normal(z, alternative).pvalue)


def _sums_at_least(n: Any, k: Any, u: Any) -> Any:
    """How likely Mann and Whitney's statistic of `n` and `k` elements is at least `u`."""
    ways = np.zeros(n * k + 1)
    ways[0] = 1.0
    for i in range(1, n + 1):
        for j in range(n * k, k + i - 1, -1):
            ways[j] = ways[j] - ways[j - k - i]
        for j in range(i, n * k + 1):
            ways[j] = ways[j] + ways[j - i]
    return np.sum(ways[u:]) / np.sum(ways)


def mannwhitneyu(
    x: Any, y: Any, use_continuity: Any = True, alternative: Any = "two-sided", method: Any = "auto"
) -> Any:
    x, y = _flat(x, "mannwhitneyu"), _flat(y, "mannwhitneyu")
    n, k = len(x), len(y)
    both = np.concatenate((x, y))
    if n == 0 or k == 0 or np.isnan(_unknown(both)):
        return Verdict(np.nan, np.nan)
    u = np.sum(_ranks(both, "average")[:n]) - n * (n + 1) / 2.0
    other = n * k - u
    counts = _ties(both) * 1.0
    small = (n <= 8 or k <= 8) and len(counts) == n + k
    if alternative == "greater":
        most, factor = u, 1.0
    elif alternative == "less":
        most, factor = other, 1.0
    else:
        most, factor = np.maximum(u, other), 2.0
    if method == "exact" or (method == "auto" and small):
        p = _sums_at_least(n, k, int(most))
    else:
        both_n = n + k + 0.0
        ties = np.sum(counts**3 - counts) / (both_n * (both_n - 1.0))
        spread = np.sqrt(n * k / 12.0 * ((both_n + 1.0) - ties))
        above = most - n * k / 2.0 - (0.5 if use_continuity else 0.0)
        p = special.ndtr(-above / spread)
    return Verdict(u, np.clip(p * factor, 0.0, 1.0))


def _sums_at_most(ranks: Any, w: Any) -> Any:
    """How likely the sum of those ranks that are positive is at most `w`, by any signs."""
    twice = np.round(2.0 * ranks).astype(int)
    whole = np.sum(twice)
    ways = np.zeros(whole + 1)
    ways[0] = 1.0
    for one in twice:
        for j in range(whole, one - 1, -1):
            ways[j] = ways[j] + ways[j - one]
    return np.sum(ways[: int(np.round(2.0 * w)) + 1]) / np.sum(ways)


def wilcoxon(
    x: Any, y: Any = None, zero_method: Any = "wilcox", correction: Any = False,
    alternative: Any = "two-sided", method: Any = "auto",
) -> Any:  # fmt: skip
    if zero_method != "wilcox":
        refuse("scipy.stats.wilcoxon that keeps zeros", "zero_method='wilcox' is known")
    d = _flat(x, "wilcoxon") * 1.0 if y is None else (_flat(x, "wilcoxon") - y) * 1.0
    some = d[d != 0.0]
    n = len(some)
    if n == 0 or np.isnan(_unknown(d)):
        return Verdict(np.nan, np.nan)
    ranks = _ranks(np.abs(some), "average")
    above, below = np.sum(ranks[some > 0.0]), np.sum(ranks[some < 0.0])
    found = np.minimum(above, below) if alternative == "two-sided" else above
    counts = _ties(np.abs(some)) * 1.0
    alone = n == len(d) and len(counts) == n
    if method == "exact" or (method == "auto" and len(d) <= (50 if alone else 13)):
        low, high = _sums_at_most(ranks, above), _sums_at_most(ranks, below)
        return Verdict(found, np.minimum(by_side(low, high, alternative), 1.0))
    mean = n * (n + 1.0) * 0.25
    spread = n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * np.sum(counts**3 - counts)
    z = above - mean
    if correction:
        if alternative == "two-sided":
            side = np.sign(z)
        else:
            side = 1.0 if alternative == "greater" else -1.0
        z = z - 0.5 * side
    return Verdict(found, by_normal(z / np.sqrt(spread / 24.0), alternative).pvalue)


def kruskal(*samples: Any) -> Any:
    if len(samples) < 2:
        raise ValueError("Must provide at least two samples.")
    parts: Any = [np.asarray(one) for one in samples]
    every = np.concatenate(parts)
    ranks = _ranks(every, "average")
    n, start, between = len(every), 0, 0.0
    for one in parts:
        between = between + np.sum(ranks[start : start + len(one)]) ** 2 / len(one)
        start += len(one)
    h = _unknown(every) + (12.0 / (n * (n + 1.0)) * between - 3.0 * (n + 1.0)) / tiecorrect(ranks)
    return Verdict(h, special.chdtrc(len(samples) - 1.0, h))


def friedmanchisquare(*samples: Any) -> Any:
    k = len(samples)
    if k < 3:
        raise ValueError("At least 3 samples must be given for Friedman test, got " + str(k) + ".")
    table = np.stack(samples, axis=1)
    n, ties, sums = len(table), 0.0, np.zeros(k)
    for row in table:
        counts = _ties(row) * 1.0
        ties = ties + np.sum(counts * (counts * counts - 1.0))
        sums = sums + _ranks(row, "average")
    c = 1.0 - ties / (k * (k * k - 1.0) * n)
    found = (
        _unknown(table) + (12.0 / (k * n * (k + 1.0)) * np.sum(sums**2) - 3.0 * n * (k + 1.0)) / c
    )
    return Verdict(found, special.chdtrc(k - 1.0, found))


def mode(a: Any, axis: Any = 0) -> Any:
    a = np.asarray(a)
    if axis is not None and a.ndim != 1:
        refuse("scipy.stats.mode along an axis", "call it for each row")
    values, counts = np.unique(a, return_counts=True)
    best = np.argmax(counts)
    return Mode(values[best], counts[best])


def percentileofscore(a: Any, score: Any, kind: Any = "rank") -> Any:
    a = np.ravel(np.asarray(a))
    if np.ndim(score) > 0:
        refuse("scipy.stats.percentileofscore of several scores", "call it for each")
    n = len(a) + _unknown(a)
    below, most = np.sum(a < score), np.sum(a <= score)
    if kind == "rank":
        return (below + most + (below < most)) * (50.0 / n)
    if kind == "strict":
        return below * (100.0 / n)
    if kind == "weak":
        return most * (100.0 / n)
    if kind != "mean":
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    return (below + most) * (50.0 / n)


def _line(y: Any, x: Any, name: Any) -> Any:
    y = _flat(y, name) * 1.0
    x = np.arange(len(y)) * 1.0 if x is None else _flat(x, name) * 1.0
    if len(x) != len(y):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    return y + _unknown(x), x + _unknown(y)


def theilslopes(y: Any, x: Any = None, alpha: Any = 0.95, method: Any = "separate") -> Any:
    y, x = _line(y, x, "theilslopes")
    if method not in ("separate", "joint"):
        raise ValueError("method must be either 'joint' or 'separate'.")
    steps = np.ravel(x[:, None] - x)
    rises = np.ravel(y[:, None] - y)
    if len(y) < 2 or np.isnan(_unknown(x)):
        return Slopes(np.nan, np.nan, np.nan, np.nan)
    slopes = np.sort(rises[steps > 0.0] / steps[steps > 0.0])
    slope = np.median(slopes)
    middle = np.median(y) - slope * np.median(x)
    start = np.median(y - slope * x) if method == "joint" else middle
    z = special.ndtri((1.0 - alpha if alpha > 0.5 else alpha) / 2.0)
    n, pairs = len(y) * 1.0, len(slopes)
    a, b = _ties(x) * 1.0, _ties(y) * 1.0
    spread = n * (n - 1.0) * (2.0 * n + 5.0) - np.sum(a * (a - 1.0) * (2.0 * a + 5.0))
    spread = spread - np.sum(b * (b - 1.0) * (2.0 * b + 5.0))
    sigma = np.sqrt(spread / 18.0)
    high = min(int(np.round((pairs - z * sigma) / 2.0)), pairs - 1)
    low = max(int(np.round((pairs + z * sigma) / 2.0)) - 1, 0)
    return Slopes(slope, start, slopes[low], slopes[high])


def siegelslopes(y: Any, x: Any = None, method: Any = "hierarchical") -> Any:
    y, x = _line(y, x, "siegelslopes")
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'.")
    n = len(x)
    slopes, starts = np.zeros(n), np.zeros(n)
    for j in range(n):
        steps, rises = x[j] - x, y[j] - y
        some = steps != 0.0
        slopes[j] = np.median(rises[some] / steps[some])
        starts[j] = np.median((y * x[j] - y[j] * x)[some] / steps[some])
    slope = np.median(slopes)
    start = np.median(y - slope * x) if method == "hierarchical" else np.median(starts)
    return Line(slope, start)


def _shares(values: Any, weights: Any, at: Any) -> Any:
    """How much of a sample is not above each place."""
    order = np.argsort(values)
    place = np.searchsorted(values[order], at, side="right")
    if weights is None:
        return place / len(values)
    sums = np.append(np.zeros(1), np.cumsum(np.asarray(weights)[order]))
    return sums[place] / sums[-1]


def _apart(u: Any, v: Any, u_weights: Any, v_weights: Any, p: Any) -> Any:
    u, v = np.asarray(u) * 1.0, np.asarray(v) * 1.0
    every = np.sort(np.concatenate((u, v)))
    off = _shares(u, u_weights, every[:-1]) - _shares(v, v_weights, every[:-1])
    if p == 1:
        return np.sum(np.abs(off) * np.diff(every))
    return np.sqrt(np.sum(off**2 * np.diff(every)))


def wasserstein_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    return _apart(u_values, v_values, u_weights, v_weights, 1)


def energy_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    return 1.4142135623730951 * _apart(u_values, v_values, u_weights, v_weights, 2)
