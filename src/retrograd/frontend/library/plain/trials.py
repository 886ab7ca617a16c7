"""Distributions of `scipy.stats` that count trials: binom, nbinom, geom, bernoulli."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.distributions import supported

__all__ = ["LAWS"]

np: Any = numpy
special: Any = scipy.special


def _chances(k: Any, p: Any, loc: Any) -> Any:
    """The counts from zero, the probability, and whether both are meant to be used."""
    k = np.asarray(k) * 1.0 - np.asarray(loc)
    p = np.asarray(p) * 1.0
    right = np.logical_and(p >= 0.0, p <= 1.0)
    return k, np.where(right, p, 0.5), np.logical_and(right, np.logical_not(np.isnan(k)))


def _whole(k: Any, low: Any, high: Any) -> Any:
    return np.logical_and(np.logical_and(k >= low, k <= high), np.floor(k) == k)


def _trials(n: Any) -> Any:
    n = np.asarray(n) * 1.0
    right = np.logical_and(n >= 0.0, np.floor(n) == n)
    return np.where(right, n, 1.0), right


def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n, right = _trials(n)
    inside = _whole(k, 0.0, n)
    k = np.where(inside, k, 0.0)
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    found = ways + own.xlogy(k, p) + own.xlog1py(n - k, -p)
    return supported(np.logical_and(good, right), inside, found, -np.inf)


def binom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(binom_logpmf(k, n, p, loc))


def binom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n, right = _trials(n)
    inside = np.logical_and(k >= 0.0, k < n)
    at = np.where(inside, np.floor(k), 0.0)
    found = own.betainc(np.where(inside, n - at, 1.0), at + 1.0, 1.0 - p)
    return supported(np.logical_and(good, right), inside, found, np.where(k < 0.0, 0.0, 1.0))


def binom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n, right = _trials(n)
    inside = np.logical_and(k >= 0.0, k < n)
    at = np.where(inside, np.floor(k), 0.0)
    found = own.betainc(at + 1.0, np.where(inside, n - at, 1.0), p)
    return supported(np.logical_and(good, right), inside, found, np.where(k < 0.0, 1.0, 0.0))


def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n = np.asarray(n) * 1.0
    right = np.logical_and(n > 0.0, p > 0.0)
    n = np.where(right, n, 1.0)
    inside = _whole(k, 0.0, np.inf)
    k = np.where(inside, k, 0.0)
    ways = special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)
    found = ways + n * np.log(np.where(right, p, 0.5)) + own.xlog1py(k, -p)
    return supported(np.logical_and(good, right), inside, found, -np.inf)


def nbinom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(nbinom_logpmf(k, n, p, loc))


def nbinom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n = np.asarray(n) * 1.0
    right = np.logical_and(n > 0.0, p > 0.0)
    n = np.where(right, n, 1.0)
    inside = k >= 0.0
    found = own.betainc(n, np.where(inside, np.floor(k), 0.0) + 1.0, p)
    return supported(np.logical_and(good, right), inside, found, 0.0)


def nbinom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    n = np.asarray(n) * 1.0
    right = np.logical_and(n > 0.0, p > 0.0)
    n = np.where(right, n, 1.0)
    inside = k >= 0.0
    found = own.betainc(np.where(inside, np.floor(k), 0.0) + 1.0, n, 1.0 - p)
    return supported(np.logical_and(good, right), inside, found, 1.0)


def geom_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    good = np.logical_and(good, p > 0.0)
    inside = _whole(k, 1.0, np.inf)
    k = np.where(inside, k, 1.0)
    found = own.xlog1py(k - 1.0, -p) + np.log(np.where(p > 0.0, p, 0.5))
    return supported(good, inside, found, -np.inf)


def geom_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(geom_logpmf(k, p, loc))


def geom_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    good = np.logical_and(good, p > 0.0)
    inside = k >= 1.0
    found = -np.expm1(np.floor(np.where(inside, k, 1.0)) * np.log1p(-p))
    return supported(good, inside, found, 0.0)


def geom_sf(k: Any, p: Any, loc: Any = 0) -> Any:
    k, p, good = _chances(k, p, loc)
    good = np.logical_and(good, p > 0.0)
    inside = k >= 1.0
    found = np.exp(np.floor(np.where(inside, k, 1.0)) * np.log1p(-p))
    return supported(good, inside, found, 1.0)


def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return binom_logpmf(k, 1, p, loc)


def bernoulli_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return binom_pmf(k, 1, p, loc)


def bernoulli_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    return binom_cdf(k, 1, p, loc)


def bernoulli_sf(k: Any, p: Any, loc: Any = 0) -> Any:
    return binom_sf(k, 1, p, loc)


LAWS: Any = {
    "binom": {"logpmf": binom_logpmf, "pmf": binom_pmf, "cdf": binom_cdf, "sf": binom_sf},
    "nbinom": {"logpmf": nbinom_logpmf, "pmf": nbinom_pmf, "cdf": nbinom_cdf, "sf": nbinom_sf},
    "geom": {"logpmf": geom_logpmf, "pmf": geom_pmf, "cdf": geom_cdf, "sf": geom_sf},
    "bernoulli": {
        "logpmf": bernoulli_logpmf, "pmf": bernoulli_pmf, "cdf": bernoulli_cdf, "sf": bernoulli_sf,
    },
}  # fmt: skip
"""The methods of each distribution."""
