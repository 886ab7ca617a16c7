"""Distributions of `scipy.stats` whose quantiles are short formulas.

As in `distributions`: outside of the support arguments are replaced before they are used.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.continuous import quantile
from retrograd.frontend.library.plain.distributions import standardised, supported

__all__ = ["LAWS"]

np: Any = numpy

_LOG_2, _LOG_PI, _HALF_LOG_2_BY_PI = 0.6931471805599453, 1.1447298858494002, -0.22579135264472744
_ROOT_HALF = 0.7071067811865476


def _law(log_density: Any, below: Any, above: Any, quantile_of: Any, upper: Any) -> Any:
    """The methods of a distribution on the whole line, from those of its standard form."""

    def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, wide, good = standardised(x, loc, scale)
        return np.where(good, log_density(y) - np.log(wide), np.nan)

    def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, wide, good = standardised(x, loc, scale)
        return np.where(good, np.exp(log_density(y)) / wide, np.nan)

    def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, _, good = standardised(x, loc, scale)
        return np.where(good, below(y), np.nan)

    def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, _, good = standardised(x, loc, scale)
        return np.where(good, above(y), np.nan)

    def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return quantile(q, loc, scale, quantile_of)

    def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return quantile(q, loc, scale, upper)

    return {"logpdf": logpdf, "pdf": pdf, "cdf": cdf, "sf": sf, "ppf": ppf, "isf": isf}


def _laplace(y: Any) -> Any:
    return -np.abs(y) - _LOG_2


def _laplace_below(y: Any) -> Any:
    tail = 0.5 * np.exp(-np.abs(y))
    return np.where(y > 0.0, 1.0 - tail, tail)


def _laplace_above(y: Any) -> Any:
    return _laplace_below(-y)


def _laplace_quantile(q: Any) -> Any:
    tail = np.log(2.0 * np.where(q > 0.5, 1.0 - q, q))
    return np.where(q > 0.5, -tail, tail)


def _laplace_upper(q: Any) -> Any:
    return -_laplace_quantile(q)


def _logistic(y: Any) -> Any:
    far = np.isinf(y)
    near = np.where(far, 0.0, y)
    return np.where(far, -np.inf, near - 2.0 * np.logaddexp(0.0, near))


def _logistic_above(y: Any) -> Any:
    return own.expit(-y)


def _logistic_upper(q: Any) -> Any:
    return -own.logit(q)


def _cauchy(y: Any) -> Any:
    return -_LOG_PI - np.log1p(y * y)


def _cauchy_below(y: Any) -> Any:
    return np.arctan2(1.0, -y) / np.pi


def _cauchy_above(y: Any) -> Any:
    return np.arctan2(1.0, y) / np.pi


def _cauchy_quantile(q: Any) -> Any:
    tail = np.pi * np.where(q > 0.5, 1.0 - q, q)
    found = np.cos(tail) / np.sin(tail)
    return np.where(q > 0.5, found, -found)


def _cauchy_upper(q: Any) -> Any:
    return -_cauchy_quantile(q)


def _gumbel(y: Any) -> Any:
    return -y - np.exp(-y)


def _gumbel_below(y: Any) -> Any:
    return np.exp(-np.exp(-y))


def _gumbel_above(y: Any) -> Any:
    return -np.expm1(-np.exp(-y))


def _gumbel_quantile(q: Any) -> Any:
    return -np.log(-np.log(q))


def _gumbel_upper(q: Any) -> Any:
    return -np.log(-np.log1p(-q))


def _half(y: Any) -> Any:
    return np.where(y >= 0.0, _HALF_LOG_2_BY_PI - 0.5 * y * y, -np.inf)


def _half_below(y: Any) -> Any:
    return np.where(y >= 0.0, 1.0 - 2.0 * own.ndtr(-np.abs(y)), 0.0)


def _half_above(y: Any) -> Any:
    return np.where(y >= 0.0, 2.0 * own.ndtr(-np.abs(y)), 1.0)


def _half_quantile(q: Any) -> Any:
    return own.ndtri(0.5 * (1.0 + q))


def _half_upper(q: Any) -> Any:
    return -own.ndtri(0.5 * q)


def _from(least: Any, x: Any, c: Any, loc: Any, scale: Any) -> Any:
    """What is in a support that begins with `least`, its shape and scale, whether it is, whether
    all is meant."""
    y, wide, good = standardised(x, loc, scale)
    c = np.asarray(c) * 1.0
    inside = y >= least
    meant = np.logical_and(good, c > 0.0)
    return np.where(inside, y, least + 1.0), np.where(c > 0.0, c, 1.0), wide, inside, meant


def _weibull(x: Any, c: Any, loc: Any, scale: Any) -> Any:
    return _from(0.0, x, c, loc, scale)


def weibull_min_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, c, wide, inside, good = _weibull(x, c, loc, scale)
    found = np.log(c) + own.xlogy(c - 1.0, y) - y**c - np.log(wide)
    return supported(good, inside, found, -np.inf)


def weibull_min_pdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


def weibull_min_cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, c, _, inside, good = _weibull(x, c, loc, scale)
    return supported(good, inside, -np.expm1(-(y**c)), 0.0)


def weibull_min_sf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, c, _, inside, good = _weibull(x, c, loc, scale)
    return supported(good, inside, np.exp(-(y**c)), 1.0)


def weibull_min_ppf(q: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    c = np.asarray(c) * 1.0
    power = 1.0 / np.where(c > 0.0, c, 1.0)

    def of(p: Any) -> Any:
        return (-np.log1p(-p)) ** power

    found = quantile(q, loc, scale, of)
    return np.where(c > 0.0, found, np.nan)


def _pareto(x: Any, b: Any, loc: Any, scale: Any) -> Any:
    return _from(1.0, x, b, loc, scale)


def pareto_logpdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, b, wide, inside, good = _pareto(x, b, loc, scale)
    return supported(good, inside, np.log(b) - (b + 1.0) * np.log(y) - np.log(wide), -np.inf)


def pareto_pdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(pareto_logpdf(x, b, loc, scale))


def pareto_cdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, b, _, inside, good = _pareto(x, b, loc, scale)
    return supported(good, inside, -np.expm1(-b * np.log(y)), 0.0)


def pareto_sf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, b, _, inside, good = _pareto(x, b, loc, scale)
    return supported(good, inside, y**-b, 1.0)


def pareto_ppf(q: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    b = np.asarray(b) * 1.0
    power = -1.0 / np.where(b > 0.0, b, 1.0)

    def of(p: Any) -> Any:
        return (1.0 - p) ** power

    found = quantile(q, loc, scale, of)
    return np.where(b > 0.0, found, np.nan)


def _ratio(x: Any, dfn: Any, dfd: Any, loc: Any, scale: Any) -> Any:
    y, wide, good = standardised(x, loc, scale)
    n, m = np.asarray(dfn) * 1.0, np.asarray(dfd) * 1.0
    inside, right = y >= 0.0, np.logical_and(n > 0.0, m > 0.0)
    y = np.where(inside, y, 1.0)
    return (
        y, np.where(n > 0.0, n, 1.0), np.where(m > 0.0, m, 1.0), wide, inside,
        np.logical_and(good, right),
    )  # fmt: skip


def f_logpdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, n, m, wide, inside, good = _ratio(x, dfn, dfd, loc, scale)
    front = 0.5 * m * np.log(m) + 0.5 * n * np.log(n) - own.betaln(0.5 * n, 0.5 * m)
    found = front + own.xlogy(0.5 * n - 1.0, y) - 0.5 * (n + m) * np.log(m + n * y)
    return supported(good, inside, found - np.log(wide), -np.inf)


def f_pdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(f_logpdf(x, dfn, dfd, loc, scale))


def f_cdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, n, m, _, inside, good = _ratio(x, dfn, dfd, loc, scale)
    far = y == np.inf
    near = np.where(far, 1.0, y)
    found = own.betainc(0.5 * n, 0.5 * m, n * near / (n * near + m))
    return supported(good, inside, np.where(far, 1.0, found), 0.0)


def f_sf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    y, n, m, _, inside, good = _ratio(x, dfn, dfd, loc, scale)
    return supported(good, inside, own.betainc(0.5 * m, 0.5 * n, m / (n * y + m)), 1.0)


LAWS: Any = {
    "laplace": _law(_laplace, _laplace_below, _laplace_above, _laplace_quantile, _laplace_upper),
    "logistic": _law(_logistic, own.expit, _logistic_above, own.logit, _logistic_upper),
    "cauchy": _law(_cauchy, _cauchy_below, _cauchy_above, _cauchy_quantile, _cauchy_upper),
    "gumbel_r": _law(_gumbel, _gumbel_below, _gumbel_above, _gumbel_quantile, _gumbel_upper),
    "halfnorm": _law(_half, _half_below, _half_above, _half_quantile, _half_upper),
    "weibull_min": {
        "logpdf": weibull_min_logpdf, "pdf": weibull_min_pdf, "cdf": weibull_min_cdf,
        "sf": weibull_min_sf, "ppf": weibull_min_ppf,
    },
    "pareto": {
        "logpdf": pareto_logpdf, "pdf": pareto_pdf, "cdf": pareto_cdf, "sf": pareto_sf,
        "ppf": pareto_ppf,
    },
    "f": {"logpdf": f_logpdf, "pdf": f_pdf, "cdf": f_cdf, "sf": f_sf},
}  # fmt: skip
"""The methods of each distribution."""
