"""Inverse distribution functions of `scipy.special`, and the quantiles of `scipy.stats`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import special_quantiles as places
from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.continuous import quantile
from retrograd.frontend.library.plain.each_element import as_floats, of_each

__all__ = [
    "SPECIAL", "beta_isf", "beta_ppf", "betaincc", "betainccinv", "betaincinv", "chdtr", "chdtrc",
    "chdtri", "chi2_isf", "chi2_ppf", "f_isf", "f_ppf", "fdtr", "fdtrc", "fdtri", "gamma_isf",
    "gamma_ppf", "gammainccinv", "gammaincinv", "lognorm_isf", "pareto_isf", "stdtrit", "t_isf",
    "t_ppf", "uniform_isf", "weibull_min_isf",
]  # fmt: skip

np: Any = numpy


def gammaincinv(a: Any, y: Any) -> Any:
    return of_each(places.lower_gamma_place, places.every_lower_gamma_place, a, y)


def gammainccinv(a: Any, y: Any) -> Any:
    return of_each(places.upper_gamma_place, places.every_upper_gamma_place, a, y)


def betaincc(a: Any, b: Any, x: Any) -> Any:
    return own.betainc(b, a, 1.0 - as_floats(x))


def betaincinv(a: Any, b: Any, y: Any) -> Any:
    return of_each(places.part_of_beta_place, places.every_part_of_beta_place, a, b, y)


def betainccinv(a: Any, b: Any, y: Any) -> Any:
    return of_each(places.rest_of_beta_place, places.every_rest_of_beta_place, a, b, y)


def stdtrit(df: Any, p: Any) -> Any:
    return of_each(places.student_place, places.every_student_place, df, p)


def chdtr(v: Any, x: Any) -> Any:
    return own.gammainc(0.5 * as_floats(v), 0.5 * as_floats(x))


def chdtrc(v: Any, x: Any) -> Any:
    return own.gammaincc(0.5 * as_floats(v), 0.5 * as_floats(x))


def chdtri(v: Any, p: Any) -> Any:
    return 2.0 * gammainccinv(0.5 * as_floats(v), p)


def fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    n, m, x = as_floats(dfn), as_floats(dfd), as_floats(x)
    far = x == np.inf
    near = np.where(far, 1.0, x)
    return np.where(far, 1.0, own.betainc(0.5 * n, 0.5 * m, n * near / (n * near + m)))


def fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    n, m, x = as_floats(dfn), as_floats(dfd), as_floats(x)
    return own.betainc(0.5 * m, 0.5 * n, m / (n * x + m))


def fdtri(dfn: Any, dfd: Any, p: Any) -> Any:
    n, m = as_floats(dfn), as_floats(dfd)
    part = betaincinv(0.5 * n, 0.5 * m, p)
    return m * part / (n * betainccinv(0.5 * m, 0.5 * n, p))


SPECIAL = {
    "gammaincinv": "a y", "gammainccinv": "a y", "betaincc": "a b x", "betaincinv": "a b y",
    "betainccinv": "a b y", "stdtrit": "df p", "chdtr": "v x", "chdtrc": "v x", "chdtri": "v p",
    "fdtr": "dfn dfd x", "fdtrc": "dfn dfd x", "fdtri": "dfn dfd p",
}  # fmt: skip
"""Those of `scipy.special`, with their parameters."""


def _of_shape(q: Any, shape: Any, loc: Any, scale: Any, of: Any) -> Any:
    """A quantile of a distribution with one shape, which is positive."""
    a = as_floats(shape)
    right = a > 0.0
    known = np.where(right, a, 1.0)

    def at(p: Any) -> Any:
        return of(known, p)

    return np.where(right, quantile(q, loc, scale, at), np.nan)


def gamma_ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, a, loc, scale, gammaincinv)


def gamma_isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, a, loc, scale, gammainccinv)


def chi2_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_ppf(q, 0.5 * as_floats(df), loc, 2.0 * as_floats(scale))


def chi2_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_isf(q, 0.5 * as_floats(df), loc, 2.0 * as_floats(scale))


def t_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, df, loc, scale, stdtrit)


def _t_above(df: Any, q: Any) -> Any:
    return -stdtrit(df, q)


def t_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, df, loc, scale, _t_above)


def beta_ppf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    def at(p: Any) -> Any:
        return betaincinv(a, b, p)

    return quantile(q, loc, scale, at)


def beta_isf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    def at(p: Any) -> Any:
        return betainccinv(a, b, p)

    return quantile(q, loc, scale, at)


def f_ppf(q: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    def at(p: Any) -> Any:
        return fdtri(dfn, dfd, p)

    return quantile(q, loc, scale, at)


def f_isf(q: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> Any:
    def at(p: Any) -> Any:
        return 1.0 / fdtri(dfd, dfn, p)

    return quantile(q, loc, scale, at)


def uniform_isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    def at(p: Any) -> Any:
        return 1.0 - p

    return quantile(q, loc, scale, at)


def _lognormal_above(s: Any, q: Any) -> Any:
    return np.exp(-s * own.ndtri(q))


def lognorm_isf(q: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, s, loc, scale, _lognormal_above)


def _weibull_above(c: Any, q: Any) -> Any:
    return (-np.log(q)) ** (1.0 / c)


def weibull_min_isf(q: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, c, loc, scale, _weibull_above)


def _pareto_above(b: Any, q: Any) -> Any:
    return q ** (-1.0 / b)


def pareto_isf(q: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _of_shape(q, b, loc, scale, _pareto_above)
