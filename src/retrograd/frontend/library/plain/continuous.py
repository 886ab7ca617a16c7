"""Densities and distribution functions of `scipy.stats` that are short formulas.

As in `distributions`: outside of the support arguments are replaced before they are used.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import distributions
from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.distributions import standardised, supported

__all__ = [
    "chi2_cdf", "chi2_logpdf", "chi2_pdf", "chi2_sf", "expon_cdf", "expon_isf", "expon_logpdf",
    "expon_pdf", "expon_ppf", "expon_sf", "lognorm_cdf", "lognorm_logpdf", "lognorm_pdf",
    "lognorm_ppf", "lognorm_sf", "norm_isf", "quantile", "uniform_cdf", "uniform_logpdf",
    "uniform_pdf", "uniform_ppf", "uniform_sf",
]  # fmt: skip

np: Any = numpy

_HALF_LOG_2PI = 0.9189385332046728


def norm_isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    found = loc - own.ndtri(q) * scale
    return np.where(np.asarray(scale) > 0.0, found, np.nan)


def quantile(q: Any, loc: Any, scale: Any, of: Any) -> Any:
    """`loc + scale * of(q)` for q from 0 to 1."""
    q, scale = np.asarray(q) * 1.0, np.asarray(scale) * 1.0
    inside = np.logical_and(q >= 0.0, q <= 1.0)
    found = of(np.where(inside, q, 0.5)) * scale + loc
    return np.where(np.logical_and(inside, scale > 0.0), found, np.nan)


def expon_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return supported(good, y >= 0.0, -y - np.log(scale), -np.inf)


def expon_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return supported(good, y >= 0.0, np.exp(-np.where(y >= 0.0, y, 0.0)) / scale, 0.0)


def expon_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return supported(good, y >= 0.0, -np.expm1(-np.where(y >= 0.0, y, 0.0)), 0.0)


def expon_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    return supported(good, y >= 0.0, np.exp(-np.where(y >= 0.0, y, 0.0)), 1.0)


def _itself(p: Any) -> Any:
    return p


def _exponential(p: Any) -> Any:
    return -np.log1p(-p)


def _exponential_above(p: Any) -> Any:
    return -np.log(p)


def expon_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return quantile(q, loc, scale, _exponential)


def expon_isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return quantile(q, loc, scale, _exponential_above)


def uniform_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    inside = np.logical_and(y >= 0.0, y <= 1.0)
    return supported(good, inside, 0.0 * y - np.log(scale), -np.inf)


def uniform_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, scale, good = standardised(x, loc, scale)
    inside = np.logical_and(y >= 0.0, y <= 1.0)
    return supported(good, inside, 0.0 * y + 1.0 / scale, 0.0)


def uniform_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, np.clip(y, 0.0, 1.0), np.nan)


def uniform_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, _, good = standardised(x, loc, scale)
    return np.where(good, 1.0 - np.clip(y, 0.0, 1.0), np.nan)


def uniform_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return quantile(q, loc, scale, _itself)


def _logarithm(x: Any, s: Any, loc: Any, scale: Any) -> Any:
    """Of what is positive; the width; whether it is; whether all is meant to be used."""
    y, scale, good = standardised(x, loc, scale)
    s = np.asarray(s) * 1.0
    inside = y > 0.0
    logarithm = np.log(np.where(inside, y, 1.0))
    return logarithm, np.where(s > 0.0, s, 1.0), scale, inside, np.logical_and(good, s > 0.0)


def lognorm_logpdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    logarithm, s, scale, inside, good = _logarithm(x, s, loc, scale)
    u = logarithm / s
    found = -0.5 * u * u - _HALF_LOG_2PI - np.log(s) - logarithm - np.log(scale)
    return supported(good, inside, found, -np.inf)


def lognorm_pdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(lognorm_logpdf(x, s, loc, scale))


def lognorm_cdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    logarithm, s, scale, inside, good = _logarithm(x, s, loc, scale)
    return supported(good, inside, own.ndtr(logarithm / s), 0.0)


def lognorm_sf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    logarithm, s, scale, inside, good = _logarithm(x, s, loc, scale)
    return supported(good, inside, own.ndtr(-logarithm / s), 1.0)


def lognorm_ppf(q: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    found = np.exp(own.ndtri(q) * s) * scale + loc
    good = np.logical_and(np.asarray(scale) > 0.0, np.asarray(s) > 0.0)
    return np.where(good, found, np.nan)


def chi2_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return distributions.gamma_logpdf(x, 0.5 * np.asarray(df), loc, 2.0 * np.asarray(scale))


def chi2_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return distributions.gamma_pdf(x, 0.5 * np.asarray(df), loc, 2.0 * np.asarray(scale))


def chi2_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return distributions.gamma_cdf(x, 0.5 * np.asarray(df), loc, 2.0 * np.asarray(scale))


def chi2_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return distributions.gamma_sf(x, 0.5 * np.asarray(df), loc, 2.0 * np.asarray(scale))
