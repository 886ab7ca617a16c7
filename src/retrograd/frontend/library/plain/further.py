"""More distributions of `scipy.stats`, from what they are in standard form.

As in `shaped`: outside of the support arguments are replaced before they are used. Those whose
distribution functions are no short formulas have densities only.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain import bessel, quantiles
from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.shaped import (
    methods_of,
    of_two_shapes,
    positive,
    without_shape,
)

__all__ = ["COUNTED", "SHAPED", "SHAPES"]

np: Any = numpy
special: Any = scipy.special

_LOG_2, _HALF_LOG_2_PI = 0.6931471805599453, 0.9189385332046728


def _both_positive(shapes: Any) -> Any:
    (a, one), (b, other) = positive(shapes[0]), positive(shapes[1])
    return (a, b), np.logical_and(one, other)


def _last_positive(shapes: Any) -> Any:
    a, (b, meant) = np.asarray(shapes[0]) * 1.0, positive(shapes[1])
    return (a, b), np.logical_and(np.isfinite(a), meant)


def _finite(c: Any) -> Any:
    c = np.asarray(c) * 1.0
    return c, np.isfinite(c)


def _not_negative(c: Any) -> Any:
    c = np.asarray(c) * 1.0
    return np.where(c >= 0.0, c, 0.0), c >= 0.0


def _some(made: Any, *names: str) -> Any:
    return {name: made[name] for name in names}


def _on_half(log_density: Any, below: Any, above: Any) -> Any:
    """The density and both distribution functions of what is on the positive half."""

    def density_of(y: Any, c: Any) -> Any:
        inside = np.logical_and(y >= 0.0, y < np.inf)
        return np.where(inside, log_density(np.where(inside, y, 1.0), c), -np.inf)

    def below_of(y: Any, c: Any) -> Any:
        inside = np.logical_and(y > 0.0, y < np.inf)
        return np.where(inside, below(np.where(inside, y, 1.0), c), np.where(y > 0.0, 1.0, 0.0))

    def above_of(y: Any, c: Any) -> Any:
        inside = np.logical_and(y > 0.0, y < np.inf)
        return np.where(inside, above(np.where(inside, y, 1.0), c), np.where(y > 0.0, 0.0, 1.0))

    return density_of, below_of, above_of


def _power(y: Any, a: Any) -> Any:
    inside = np.logical_and(np.logical_or(y > 0.0, np.logical_and(y == 0.0, a >= 1.0)), y <= 1.0)
    return np.where(inside, np.log(a) + own.xlogy(a - 1.0, np.where(inside, y, 1.0)), -np.inf)


def _cut(y: Any) -> Any:
    return np.where(np.logical_and(y > 0.0, y < 1.0), y, 0.5)


def _power_below(y: Any, a: Any) -> Any:
    return np.where(y <= 0.0, 0.0, np.where(y >= 1.0, 1.0, _cut(y) ** a))


def _power_above(y: Any, a: Any) -> Any:
    found = -np.expm1(a * np.log(_cut(y)))
    return np.where(y <= 0.0, 1.0, np.where(y >= 1.0, 0.0, found))


def _power_quantile(q: Any, a: Any) -> Any:
    return q ** (1.0 / a)


def _power_upper(q: Any, a: Any) -> Any:
    return np.exp(np.log1p(-q) / a)


def _lomax(y: Any, c: Any) -> Any:
    return np.log(c) - (c + 1.0) * np.log1p(y)


def _lomax_below(y: Any, c: Any) -> Any:
    return -np.expm1(-c * np.log1p(y))


def _lomax_above(y: Any, c: Any) -> Any:
    return np.exp(-c * np.log1p(y))


def _lomax_quantile(q: Any, c: Any) -> Any:
    return np.expm1(-np.log1p(-q) / c)


def _lomax_upper(q: Any, c: Any) -> Any:
    return np.expm1(-np.log(q) / c)


def _fisk(y: Any, c: Any) -> Any:
    far = own.softplus(c * np.log(np.where(y > 0.0, y, 1.0)))
    return np.log(c) + own.xlogy(c - 1.0, y) - 2.0 * np.where(y > 0.0, far, 0.0)


def _fisk_below(y: Any, c: Any) -> Any:
    return own.expit(c * np.log(y))


def _fisk_above(y: Any, c: Any) -> Any:
    return own.expit(-c * np.log(y))


def _fisk_quantile(q: Any, c: Any) -> Any:
    return np.exp(own.logit(q) / c)


def _fisk_upper(q: Any, c: Any) -> Any:
    return np.exp(-own.logit(q) / c)


def _greatest(y: Any, c: Any) -> Any:
    inside = np.logical_and(y <= 0.0, y > -np.inf)
    z = np.where(inside, -y, 1.0)
    return np.where(inside, np.log(c) + own.xlogy(c - 1.0, z) - z**c, -np.inf)


def _greatest_below(y: Any, c: Any) -> Any:
    return np.where(y < 0.0, np.exp(-(np.where(y < 0.0, -y, 1.0) ** c)), 1.0)


def _greatest_above(y: Any, c: Any) -> Any:
    return np.where(y < 0.0, -np.expm1(-(np.where(y < 0.0, -y, 1.0) ** c)), 0.0)


def _greatest_quantile(q: Any, c: Any) -> Any:
    return -((-np.log(q)) ** (1.0 / c))


def _greatest_upper(q: Any, c: Any) -> Any:
    return -((-np.log1p(-q)) ** (1.0 / c))


def _gompertz(y: Any, c: Any) -> Any:
    return np.log(c) + y - c * np.expm1(y)


def _gompertz_below(y: Any, c: Any) -> Any:
    return -np.expm1(-c * np.expm1(y))


def _gompertz_above(y: Any, c: Any) -> Any:
    return np.exp(-c * np.expm1(y))


def _gompertz_quantile(q: Any, c: Any) -> Any:
    return np.log1p(-np.log1p(-q) / c)


def _gompertz_upper(q: Any, c: Any) -> Any:
    return np.log1p(-np.log(q) / c)


def _chi(y: Any, k: Any) -> Any:
    front = _LOG_2 * (1.0 - 0.5 * k) - special.gammaln(0.5 * k)
    return front + own.xlogy(k - 1.0, y) - 0.5 * y * y


def _chi_below(y: Any, k: Any) -> Any:
    return own.gammainc(0.5 * k, 0.5 * y * y)


def _chi_above(y: Any, k: Any) -> Any:
    return own.gammaincc(0.5 * k, 0.5 * y * y)


def _chi_quantile(q: Any, k: Any) -> Any:
    return np.sqrt(2.0 * quantiles.gammaincinv(0.5 * k, q))


def _chi_upper(q: Any, k: Any) -> Any:
    return np.sqrt(2.0 * quantiles.gammainccinv(0.5 * k, q))


def _nakagami(y: Any, nu: Any) -> Any:
    front = _LOG_2 + nu * np.log(nu) - special.gammaln(nu)
    return front + own.xlogy(2.0 * nu - 1.0, y) - nu * y * y


def _nakagami_below(y: Any, nu: Any) -> Any:
    return own.gammainc(nu, nu * y * y)


def _nakagami_above(y: Any, nu: Any) -> Any:
    return own.gammaincc(nu, nu * y * y)


def _nakagami_quantile(q: Any, nu: Any) -> Any:
    return np.sqrt(quantiles.gammaincinv(nu, q) / nu)


def _nakagami_upper(q: Any, nu: Any) -> Any:
    return np.sqrt(quantiles.gammainccinv(nu, q) / nu)


def _first_passage(y: Any, mu: Any) -> Any:
    away = (y - mu) / mu
    z = np.where(y > 0.0, y, 1.0)
    found = -_HALF_LOG_2_PI - 1.5 * np.log(z) - 0.5 * away * away / z
    return np.where(y > 0.0, found, -np.inf)


def _passed(y: Any, mu: Any) -> Any:
    """The logarithms of both parts of the distribution function, and of the rest."""
    root = 1.0 / np.sqrt(y)
    away = root * (y - mu) / mu
    return own.log_ndtr(away), own.log_ndtr(-away), 2.0 / mu + own.log_ndtr(-root * (y + mu) / mu)


def _first_passage_below(y: Any, mu: Any) -> Any:
    one, _, other = _passed(y, mu)
    return np.exp(one) + np.exp(other)


def _first_passage_above(y: Any, mu: Any) -> Any:
    _, one, other = _passed(y, mu)
    return -np.exp(one) * np.expm1(other - one)


def _burr(y: Any, shapes: Any) -> Any:
    c, d = shapes
    return np.log(c * d) + own.xlogy(c - 1.0, y) - (d + 1.0) * np.log1p(y**c)


def _burr_below(y: Any, shapes: Any) -> Any:
    return -np.expm1(-shapes[1] * np.log1p(y ** shapes[0]))


def _burr_above(y: Any, shapes: Any) -> Any:
    return np.exp(-shapes[1] * np.log1p(y ** shapes[0]))


def _burr_quantile(q: Any, shapes: Any) -> Any:
    return np.expm1(-np.log1p(-q) / shapes[1]) ** (1.0 / shapes[0])


def _burr_upper(q: Any, shapes: Any) -> Any:
    return np.expm1(-np.log(q) / shapes[1]) ** (1.0 / shapes[0])


def _johnson(y: Any, shapes: Any) -> Any:
    a, b = shapes
    turned = a + b * np.arcsinh(y)
    return np.log(b) - 0.5 * np.log1p(y * y) - 0.5 * turned * turned - _HALF_LOG_2_PI


def _johnson_below(y: Any, shapes: Any) -> Any:
    return own.ndtr(shapes[0] + shapes[1] * np.arcsinh(y))


def _johnson_above(y: Any, shapes: Any) -> Any:
    return own.ndtr(-shapes[0] - shapes[1] * np.arcsinh(y))


def _johnson_quantile(q: Any, shapes: Any) -> Any:
    return np.sinh((own.ndtri(q) - shapes[0]) / shapes[1])


def _johnson_upper(q: Any, shapes: Any) -> Any:
    return np.sinh((-own.ndtri(q) - shapes[0]) / shapes[1])


def _moyal(y: Any, c: Any) -> Any:
    return -0.5 * (y + np.exp(-y)) - _HALF_LOG_2_PI


def _moyal_below(y: Any, c: Any) -> Any:
    return special.erfc(np.exp(-0.5 * y) / np.sqrt(2.0))


def _moyal_above(y: Any, c: Any) -> Any:
    return special.erf(np.exp(-0.5 * y) / np.sqrt(2.0))


def _moyal_quantile(q: Any, c: Any) -> Any:
    return -2.0 * np.log(np.sqrt(2.0) * own.erfcinv(q))


def _moyal_upper(q: Any, c: Any) -> Any:
    return -2.0 * np.log(np.sqrt(2.0) * own.erfinv(q))


def _ratio(y: Any, shapes: Any) -> Any:
    a, b = shapes
    return own.xlogy(a - 1.0, y) - own.xlog1py(a + b, y) - own.betaln(a, b)


def _ratio_below(y: Any, shapes: Any) -> Any:
    return own.betainc(shapes[0], shapes[1], y / (1.0 + y))


def _ratio_above(y: Any, shapes: Any) -> Any:
    return own.betainc(shapes[1], shapes[0], 1.0 / (1.0 + y))


def _skewed(y: Any, a: Any) -> Any:
    return _LOG_2 - 0.5 * y * y - _HALF_LOG_2_PI + own.log_ndtr(a * y)


def _general(y: Any, b: Any) -> Any:
    return np.log(0.5 * b) - special.gammaln(1.0 / b) - np.abs(y) ** b


def _general_below(y: Any, b: Any) -> Any:
    rest = 0.5 * own.gammaincc(1.0 / b, np.abs(y) ** b)
    return np.where(y > 0.0, 1.0 - rest, rest)


def _general_above(y: Any, b: Any) -> Any:
    return _general_below(-y, b)


def _smeared(y: Any, k: Any) -> Any:
    return 0.5 / (k * k) - y / k + own.log_ndtr(y - 1.0 / k) - np.log(k)


def _smeared_below(y: Any, k: Any) -> Any:
    near = np.where(np.isinf(y), 0.0, y)
    return own.ndtr(y) - np.where(np.isinf(y), 0.0, k * np.exp(_smeared(near, k)))


def _smeared_above(y: Any, k: Any) -> Any:
    near = np.where(np.isinf(y), 0.0, y)
    return own.ndtr(-y) + np.where(np.isinf(y), 0.0, k * np.exp(_smeared(near, k)))


def _circular(y: Any, kappa: Any) -> Any:
    half = np.sin(0.5 * y)
    return -2.0 * kappa * half * half - 2.0 * _HALF_LOG_2_PI - np.log(bessel.i0e(kappa))


def _rice(y: Any, b: Any) -> Any:
    z = np.where(y > 0.0, y, 1.0)
    found = np.log(z) - 0.5 * (z - b) ** 2 + np.log(bessel.i0e(z * b))
    return np.where(np.logical_and(y > 0.0, y < np.inf), found, -np.inf)


def _none(y: Any, c: Any) -> Any:
    return y


def _density(prepared: Any, log_density: Any) -> Any:
    """A distribution with one shape that has a density only."""
    made = methods_of(prepared, (log_density, _none, _none, _none, _none))
    return _some(made, "logpdf", "pdf")


def betabinom_logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    k, n = np.asarray(k) * 1.0 - loc, np.asarray(n) * 1.0
    (a, b), meant = _both_positive((a, b))
    meant = np.logical_and(meant, np.logical_and(n >= 0.0, n == np.floor(n)))
    inside = np.logical_and(np.logical_and(k >= 0.0, k <= n), k == np.floor(k))
    k, n = np.where(inside, k, 0.0), np.where(meant, n, 1.0)
    ways = -np.log(n + 1.0) - own.betaln(n - k + 1.0, k + 1.0)
    found = ways + own.betaln(k + a, n - k + b) - own.betaln(a, b)
    return np.where(meant, np.where(inside, found, -np.inf), np.nan)


def betabinom_pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    return np.exp(betabinom_logpmf(k, n, a, b, loc))


_PASSAGE = (*_on_half(_first_passage, _first_passage_below, _first_passage_above), _none, _none)
_FUNCTIONS = ("logpdf", "pdf", "cdf", "sf")

SHAPED: Any = {
    "powerlaw": methods_of(
        positive, (_power, _power_below, _power_above, _power_quantile, _power_upper)
    ),
    "lomax": methods_of(positive, (
        *_on_half(_lomax, _lomax_below, _lomax_above), _lomax_quantile, _lomax_upper,
    )),
    "fisk": methods_of(positive, (
        *_on_half(_fisk, _fisk_below, _fisk_above), _fisk_quantile, _fisk_upper,
    )),
    "weibull_max": methods_of(positive, (
        _greatest, _greatest_below, _greatest_above, _greatest_quantile, _greatest_upper,
    )),
    "gompertz": methods_of(positive, (
        *_on_half(_gompertz, _gompertz_below, _gompertz_above), _gompertz_quantile, _gompertz_upper,
    )),
    "chi": methods_of(positive, (
        *_on_half(_chi, _chi_below, _chi_above), _chi_quantile, _chi_upper,
    )),
    "nakagami": methods_of(positive, (
        *_on_half(_nakagami, _nakagami_below, _nakagami_above), _nakagami_quantile, _nakagami_upper,
    )),
    "invgauss": _some(methods_of(positive, _PASSAGE), *_FUNCTIONS),
    "wald": _some(without_shape(_PASSAGE), *_FUNCTIONS),
    "burr12": of_two_shapes(_both_positive, (
        *_on_half(_burr, _burr_below, _burr_above), _burr_quantile, _burr_upper,
    )),
    "johnsonsu": of_two_shapes(_last_positive, (
        _johnson, _johnson_below, _johnson_above, _johnson_quantile, _johnson_upper,
    )),
    "moyal": without_shape((_moyal, _moyal_below, _moyal_above, _moyal_quantile, _moyal_upper)),
    "betaprime": _some(of_two_shapes(_both_positive, (
        *_on_half(_ratio, _ratio_below, _ratio_above), _none, _none,
    )), *_FUNCTIONS),
    "gennorm": _some(
        methods_of(positive, (_general, _general_below, _general_above, _none, _none)), *_FUNCTIONS
    ),
    "exponnorm": _some(
        methods_of(positive, (_smeared, _smeared_below, _smeared_above, _none, _none)), *_FUNCTIONS
    ),
    "skewnorm": _density(_finite, _skewed), "vonmises": _density(positive, _circular),
    "rice": _density(_not_negative, _rice),
}  # fmt: skip
"""The methods of each distribution."""

SHAPES = {
    **dict.fromkeys(("lomax", "fisk", "weibull_max", "gompertz"), "c loc scale"),
    "powerlaw": "a loc scale", "chi": "df loc scale", "nakagami": "nu loc scale",
    "invgauss": "mu loc scale", "burr12": "c d loc scale", "johnsonsu": "a b loc scale",
    "betaprime": "a b loc scale", "gennorm": "beta loc scale", "exponnorm": "K loc scale",
    "skewnorm": "a loc scale", "vonmises": "kappa loc scale", "rice": "b loc scale",
    "betabinom": "n a b loc",
}  # fmt: skip
"""The parameters of those with shapes."""

COUNTED: Any = {"betabinom": {"logpmf": betabinom_logpmf, "pmf": betabinom_pmf}}
"""The methods of those that count."""
