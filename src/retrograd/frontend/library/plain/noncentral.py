"""Distributions of `scipy.stats` that are mixtures: noncentral ones, and draws without replacement.

N. Johnson, S. Kotz, N. Balakrishnan, Continuous univariate distributions, volume 2, 1995, chapters
29 and 30: with the weights of Poisson's distribution, a central one for each number.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.distributions import standardised, supported
from retrograd.frontend.library.plain.told import constant

__all__ = ["LAWS", "SHAPES"]

np: Any = numpy
special: Any = scipy.special


def _prepared(x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """The standard place, the scale, shapes and half the last one, and what is meant to be used."""
    y, wide, good = standardised(x, loc, scale)
    floats = [np.asarray(shape) * 1.0 for shape in shapes]
    for shape in floats[:-1]:
        good = np.logical_and(good, shape > 0.0)
    good = np.logical_and(good, floats[-1] >= 0.0)
    central = [np.where(shape > 0.0, shape, 1.0) for shape in floats[:-1]]
    half = 0.5 * np.where(floats[-1] >= 0.0, floats[-1], 0.0)
    inside = np.logical_and(y > 0.0, y < np.inf)
    return np.where(inside, y, 1.0), y, wide, central, half, good, inside


def _count(half: Any, peak: Any) -> Any:
    """How many terms there are to be."""
    most = constant(np.max(np.maximum(half, peak), initial=0.0))
    return int(most + 12.0 * np.sqrt(most)) + 60


def _log_weight(j: Any, half: Any) -> Any:
    return own.xlogy(1.0 * j, half) - half - special.gammaln(j + 1.0)


def _mixed(of: Any, y: Any, central: Any, half: Any, peak: Any) -> Any:
    """The sum of the terms of all numbers."""
    total = 0.0 * (y + half)
    for j in range(_count(half, peak)):
        total = total + np.exp(_log_weight(j, half)) * of(y, central, j)
    return total


def _log_mixed(of: Any, y: Any, central: Any, half: Any, peak: Any) -> Any:
    """The logarithm of a sum, of the logarithms of what is added up."""
    top = _log_weight(0, half) + of(y, central, 0)
    total = 0.0 * top + 1.0
    for j in range(1, _count(half, peak)):
        one = _log_weight(j, half) + of(y, central, j)
        high = np.maximum(top, one)
        total, top = total * np.exp(top - high) + np.exp(one - high), high
    return np.log(total) + top


def _at_zero(y: Any, central: Any, half: Any, middle: Any) -> Any:
    """The logarithm of a density outside, and at zero, where SciPy's is zero with a center."""
    limit = np.where(central[0] < 2.0, np.inf, np.where(central[0] == 2.0, middle, -np.inf))
    return np.where(np.logical_and(y == 0.0, half == 0.0), limit, -np.inf)


def _chi2_log(y: Any, central: Any, j: Any) -> Any:
    a = 0.5 * central[0] + j
    return (a - 1.0) * np.log(0.5 * y) - 0.5 * y - special.gammaln(a) - np.log(2.0)


def _chi2_below(y: Any, central: Any, j: Any) -> Any:
    return own.gammainc(0.5 * central[0] + j, 0.5 * y)


def _chi2_above(y: Any, central: Any, j: Any) -> Any:
    return own.gammaincc(0.5 * central[0] + j, 0.5 * y)


def ncx2_logpdf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, wide, central, half, good, inside = _prepared(x, (df, nc), loc, scale)
    found = _log_mixed(_chi2_log, z, central, half, np.sqrt(0.5 * half * z)) - np.log(wide)
    edge = _at_zero(y, central, half, np.log(0.5) - np.log(wide))
    return supported(good, inside, found, edge)


def ncx2_pdf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(ncx2_logpdf(x, df, nc, loc, scale))


def ncx2_cdf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, _, central, half, good, inside = _prepared(x, (df, nc), loc, scale)
    found = _mixed(_chi2_below, z, central, half, half)
    return supported(good, inside, found, np.where(y > 0.0, 1.0, 0.0))


def ncx2_sf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, _, central, half, good, inside = _prepared(x, (df, nc), loc, scale)
    found = _mixed(_chi2_above, z, central, half, np.sqrt(0.5 * half * z))
    return supported(good, inside, found, np.where(y > 0.0, 0.0, 1.0))


def _f_log(y: Any, central: Any, j: Any) -> Any:
    a, b = 0.5 * central[0] + j, 0.5 * central[1]
    ratio = central[0] / central[1]
    sides = special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)
    return a * np.log(ratio) + (a - 1.0) * np.log(y) - (a + b) * np.log1p(ratio * y) - sides


def _f_below(y: Any, central: Any, j: Any) -> Any:
    u = central[0] * y / (central[0] * y + central[1])
    return own.betainc(0.5 * central[0] + j, 0.5 * central[1], u)


def _f_above(y: Any, central: Any, j: Any) -> Any:
    u = central[1] / (central[0] * y + central[1])
    return own.betainc(0.5 * central[1], 0.5 * central[0] + j, u)


def ncf_logpdf(x: Any, dfn: Any, dfd: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, wide, central, half, good, inside = _prepared(x, (dfn, dfd, nc), loc, scale)
    found = _log_mixed(_f_log, z, central, half, half) - np.log(wide)
    return supported(good, inside, found, _at_zero(y, central, half, -np.log(wide)))


def ncf_pdf(x: Any, dfn: Any, dfd: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(ncf_logpdf(x, dfn, dfd, nc, loc, scale))


def ncf_cdf(x: Any, dfn: Any, dfd: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, _, central, half, good, inside = _prepared(x, (dfn, dfd, nc), loc, scale)
    found = _mixed(_f_below, z, central, half, half)
    return supported(good, inside, found, np.where(y > 0.0, 1.0, 0.0))


def ncf_sf(x: Any, dfn: Any, dfd: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z, y, _, central, half, good, inside = _prepared(x, (dfn, dfd, nc), loc, scale)
    found = _mixed(_f_above, z, central, half, half)
    return supported(good, inside, found, np.where(y > 0.0, 0.0, 1.0))


def _log_ways(n: Any, k: Any) -> Any:
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


def _drawn(k: Any, M: Any, n: Any, N: Any, loc: Any) -> Any:
    """Counts, the numbers of all, of the good and of the drawn ones, and whether all are meant."""
    k = np.asarray(k) * 1.0 - np.asarray(loc)
    whole, some, drawn = np.asarray(M) * 1.0, np.asarray(n) * 1.0, np.asarray(N) * 1.0
    right = (some >= 0.0) & (drawn >= 0.0) & (some <= whole) & (drawn <= whole) & (whole > 0.0)
    for one in (whole, some, drawn):
        right = np.logical_and(right, np.floor(one) == one)
    good = np.logical_and(right, np.logical_not(np.isnan(k)))
    return (
        k, np.where(right, whole, 2.0), np.where(right, some, 1.0), np.where(right, drawn, 1.0),
        good,
    )  # fmt: skip


def _log_chance(k: Any, whole: Any, some: Any, drawn: Any) -> Any:
    """That of k good ones, and whether there may be so many."""
    low, high = np.maximum(0.0, drawn - (whole - some)), np.minimum(some, drawn)
    inside = np.logical_and(np.logical_and(k >= low, k <= high), np.floor(k) == k)
    at = np.where(inside, k, low)
    ways = _log_ways(some, at) + _log_ways(whole - some, drawn - at)
    return ways - _log_ways(whole, drawn), inside


def hypergeom_logpmf(k: Any, M: Any, n: Any, N: Any, loc: Any = 0) -> Any:
    k, whole, some, drawn, good = _drawn(k, M, n, N, loc)
    found, inside = _log_chance(k, whole, some, drawn)
    return supported(good, inside, found, -np.inf)


def hypergeom_pmf(k: Any, M: Any, n: Any, N: Any, loc: Any = 0) -> Any:
    return np.exp(hypergeom_logpmf(k, M, n, N, loc))


def _sum_of_chances(k: Any, M: Any, n: Any, N: Any, loc: Any, above: Any) -> Any:
    k, whole, some, drawn, good = _drawn(k, M, n, N, loc)
    total = 0.0 * (np.where(np.isfinite(k), k, 0.0) + whole + some + drawn)
    low, high = np.maximum(0.0, drawn - (whole - some)), np.minimum(some, drawn)
    between = np.logical_and(k > low, k < high)  # where SciPy has no sum up to a fraction
    good = np.logical_and(good, np.logical_or(np.floor(k) == k, np.logical_not(between)))
    for j in range(int(np.max(np.minimum(some, drawn), initial=0.0)) + 1):
        chance, inside = _log_chance(j + 0.0 * total, whole, some, drawn)
        counts = j > np.floor(k) if above else j <= np.floor(k)
        total = total + np.where(np.logical_and(inside, counts), np.exp(chance), 0.0)
    return np.where(good, np.minimum(total, 1.0), np.nan)


def hypergeom_cdf(k: Any, M: Any, n: Any, N: Any, loc: Any = 0) -> Any:
    return _sum_of_chances(k, M, n, N, loc, False)


def hypergeom_sf(k: Any, M: Any, n: Any, N: Any, loc: Any = 0) -> Any:
    return _sum_of_chances(k, M, n, N, loc, True)


SHAPES = {
    "ncx2": "df nc loc scale", "ncf": "dfn dfd nc loc scale", "hypergeom": "M n N loc",
}  # fmt: skip
"""The parameters of each."""
LAWS: Any = {
    "ncx2": {"logpdf": ncx2_logpdf, "pdf": ncx2_pdf, "cdf": ncx2_cdf, "sf": ncx2_sf},
    "ncf": {"logpdf": ncf_logpdf, "pdf": ncf_pdf, "cdf": ncf_cdf, "sf": ncf_sf},
    "hypergeom": {
        "logpmf": hypergeom_logpmf, "pmf": hypergeom_pmf, "cdf": hypergeom_cdf, "sf": hypergeom_sf,
    },
}  # fmt: skip
"""The methods of each."""
