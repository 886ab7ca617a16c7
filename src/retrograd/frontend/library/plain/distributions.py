"""Densities and distribution functions of `scipy.stats`: norm, t, gamma, beta, poisson.

Outside of the support, and where a parameter is none, arguments are replaced before they are used,
so that no derivative is 0 * inf. There the densities are zero and the results NaN, as SciPy's are.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain import special as own

__all__ = [
    "beta_cdf", "beta_logpdf", "beta_pdf", "beta_sf", "gamma_cdf", "gamma_logpdf", "gamma_pdf",
    "gamma_sf", "norm_cdf", "norm_logcdf", "norm_logpdf", "norm_logsf", "norm_pdf", "norm_ppf",
    "norm_sf", "poisson_cdf", "poisson_logpmf", "poisson_pmf", "poisson_sf", "t_cdf", "t_logpdf",
    "t_pdf", "t_sf",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special

_HALF_LOG_2PI = 0.9189385332046728
_LOG_PI = 1.1447298858494002
_INV_ROOT_2PI = 0.3989422804014327


def standardised(x: Any, loc: Any, scale: Any) -> Any:
    """(x - loc) / scale and scale, and whether both are meant to be used."""
    x, loc, scale = np.asarray(x) * 1.0, np.asarray(loc) * 1.0, np.asarray(scale) * 1.0
    wide = np.where(scale > 0.0, scale, 1.0)
    y = (x - loc) / wide
    return y, wide, np.logical_and(scale > 0.0, np.logical_not(np.isnan(y)))


def supported(good: Any, inside: Any, found: Any, outside: Any) -> Any:
    return np.where(good, np.where(inside, found, outside), np.nan)


def norm_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return np.where(good, -0.5 * y * y - _HALF_LOG_2PI - np.log(scale), np.nan)


def norm_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return np.where(good, np.exp(-0.5 * y * y) * _INV_ROOT_2PI / scale, np.nan)


def norm_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.ndtr(y), np.nan)


def norm_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.log_ndtr(y), np.nan)


def norm_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.ndtr(-y), np.nan)


def norm_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.log_ndtr(-y), np.nan)


def norm_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    found = own.ndtri(q) * scale + loc
    return np.where(np.asarray(scale) > 0.0, found, np.nan)


def _log_half_step(z: Any) -> Any:
    """The logarithm of gamma(z + 1/2) / gamma(z); by its asymptotic series where both are large."""
    few = z < 50.0
    small, large = np.where(few, z, 1.0), np.where(few, 50.0, z)
    u = 1.0 / (large * large)
    series = 0.5 * np.log(large) - (0.125 - u * (1.0 / 192.0 - u * (1.0 / 640.0))) / large
    return np.where(few, special.gammaln(small + 0.5) - special.gammaln(small), series)


def t_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    df = np.asarray(df) * 1.0
    endless = df == np.inf
    known = np.where(np.logical_and(df > 0.0, np.logical_not(endless)), df, 1.0)
    tail = (known + 1.0) * 0.5 * np.log1p(y * y / known)
    found = _log_half_step(0.5 * known) - 0.5 * (np.log(known) + _LOG_PI) - tail
    found = np.where(endless, -0.5 * y * y - _HALF_LOG_2PI, found) - np.log(scale)
    return np.where(np.logical_and(good, df > 0.0), found, np.nan)


def t_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(t_logpdf(x, df, loc, scale))


def t_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.stdtr(df, y), np.nan)


def t_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, own.stdtr(df, -y), np.nan)


def _log_gamma_density(y: Any, a: Any) -> Any:
    return own.xlogy(a - 1.0, y) - y - special.gammaln(a)


def _positive(x: Any, a: Any, loc: Any, scale: Any) -> Any:
    """What a density on the positive half of the line needs."""
    y, scale, good = standardised(x, loc, scale)
    a = np.asarray(a) * 1.0
    return y, np.where(a > 0.0, a, 1.0), scale, np.logical_and(good, a > 0.0)


def gamma_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, scale, good = _positive(x, a, loc, scale)
    inside = np.logical_and(y >= 0.0, y < np.inf)
    found = _log_gamma_density(np.where(inside, y, 1.0), a) - np.log(scale)
    return supported(good, inside, found, -np.inf)


def gamma_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, scale, good = _positive(x, a, loc, scale)
    inside = np.logical_and(y > 0.0, y < np.inf)
    found = np.exp(_log_gamma_density(np.where(inside, y, 1.0), a)) / scale
    edge = np.where(y == 0.0, y, 1.0)
    edge = edge ** (a - 1.0) * np.exp(-edge - special.gammaln(a)) / scale
    return supported(good, inside, found, np.where(y == 0.0, edge, 0.0))


def gamma_cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, scale, good = _positive(x, a, loc, scale)
    inside = y > 0.0
    return supported(good, inside, own.gammainc(a, np.where(inside, y, 1.0)), 0.0)


def gamma_sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, scale, good = _positive(x, a, loc, scale)
    inside = y > 0.0
    return supported(good, inside, own.gammaincc(a, np.where(inside, y, 1.0)), 1.0)


def _log_beta_density(y: Any, a: Any, b: Any) -> Any:
    return own.xlog1py(b - 1.0, -y) + own.xlogy(a - 1.0, y) - own.betaln(a, b)


def _between(x: Any, a: Any, b: Any, loc: Any, scale: Any) -> Any:
    y, a, scale, good = _positive(x, a, loc, scale)
    b = np.asarray(b) * 1.0
    return y, a, np.where(b > 0.0, b, 1.0), scale, np.logical_and(good, b > 0.0)


def beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, b, scale, good = _between(x, a, b, loc, scale)
    inside = np.logical_and(y >= 0.0, y <= 1.0)
    found = _log_beta_density(np.where(inside, y, 0.5), a, b) - np.log(scale)
    return supported(good, inside, found, -np.inf)


def beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, b, scale, good = _between(x, a, b, loc, scale)
    inside = np.logical_and(y > 0.0, y < 1.0)
    found = np.exp(_log_beta_density(np.where(inside, y, 0.5), a, b)) / scale
    ends = np.logical_or(y == 0.0, y == 1.0)
    z = np.where(ends, y, 0.5)
    edge = z ** (a - 1.0) * (1.0 - z) ** (b - 1.0) * np.exp(-own.betaln(a, b)) / scale
    return supported(good, inside, found, np.where(ends, edge, 0.0))


def beta_cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, b, scale, good = _between(x, a, b, loc, scale)
    inside = np.logical_and(y > 0.0, y < 1.0)
    found = own.betainc(a, b, np.where(inside, y, 0.5))
    return supported(good, inside, found, np.where(y >= 1.0, 1.0, 0.0))


def beta_sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, a, b, scale, good = _between(x, a, b, loc, scale)
    inside = np.logical_and(y > 0.0, y < 1.0)
    found = own.betainc(b, a, 1.0 - np.where(inside, y, 0.5))
    return supported(good, inside, found, np.where(y >= 1.0, 0.0, 1.0))


def _counts(k: Any, mu: Any, loc: Any) -> Any:
    k, mu, loc = np.asarray(k) * 1.0, np.asarray(mu) * 1.0, np.asarray(loc) * 1.0
    k = k - loc
    good = np.logical_and(mu >= 0.0, np.logical_not(np.isnan(k)))
    return k, np.where(mu >= 0.0, mu, 1.0), good


def poisson_logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, good = _counts(k, mu, loc)
    inside = np.logical_and(np.logical_and(k >= 0.0, k < np.inf), np.floor(k) == k)
    known = np.where(inside, k, 0.0)
    found = own.xlogy(known, mu) - special.gammaln(known + 1.0) - mu
    return supported(good, inside, found, -np.inf)


def poisson_pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, good = _counts(k, mu, loc)
    inside = np.logical_and(np.logical_and(k >= 0.0, k < np.inf), np.floor(k) == k)
    known = np.where(inside, k, 0.0)
    zero = mu == 0.0
    some = np.where(zero, 1.0, mu)
    found = np.exp(own.xlogy(known, some) - special.gammaln(known + 1.0) - some)
    edge = np.where(zero, mu, 1.0) ** known * np.exp(-mu)
    return supported(good, inside, np.where(zero, edge, found), 0.0)


def poisson_cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, good = _counts(k, mu, loc)
    inside = np.logical_and(k >= 0.0, k < np.inf)
    found = own.gammaincc(np.floor(np.where(inside, k, 0.0)) + 1.0, mu)
    return supported(good, inside, found, np.where(k > 0.0, 1.0, 0.0))


def poisson_sf(k: Any, mu: Any, loc: Any = 0) -> Any:
    k, mu, good = _counts(k, mu, loc)
    inside = np.logical_and(k >= 0.0, k < np.inf)
    found = own.gammainc(np.floor(np.where(inside, k, 0.0)) + 1.0, mu)
    return supported(good, inside, found, np.where(k > 0.0, 0.0, 1.0))
