"""Further distributions of `scipy.stats`, from what they are in standard form.

As in `distributions`: outside of the support arguments are replaced before they are used.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain import quantiles
from retrograd.frontend.library.plain import special as own
from retrograd.frontend.library.plain.continuous import quantile
from retrograd.frontend.library.plain.distributions import standardised

__all__ = ["SHAPED", "SHAPES", "methods_of", "of_two_shapes", "positive", "without_shape"]

np: Any = numpy
special: Any = scipy.special

_LOG_2_BY_PI, _HALF_LOG_2_PI = -0.4515827052894549, 0.9189385332046728
_FAR = 40.0
"""Beyond it the normal distribution has no mass that floats can tell."""


def methods_of(prepared: Any, standard: Any) -> Any:
    """The methods of a distribution with one shape."""
    log_density, below, above, quantile_of, upper = standard

    def logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, wide, good = standardised(x, loc, scale)
        c, meant = prepared(c)
        return np.where(np.logical_and(good, meant), log_density(y, c) - np.log(wide), np.nan)

    def pdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return np.exp(logpdf(x, c, loc, scale))

    def cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, _, good = standardised(x, loc, scale)
        c, meant = prepared(c)
        return np.where(np.logical_and(good, meant), below(y, c), np.nan)

    def sf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        y, _, good = standardised(x, loc, scale)
        c, meant = prepared(c)
        return np.where(np.logical_and(good, meant), above(y, c), np.nan)

    def ppf(q: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        c, meant = prepared(c)

        def of(p: Any) -> Any:
            return quantile_of(p, c)

        return np.where(meant, quantile(q, loc, scale, of), np.nan)

    def isf(q: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
        c, meant = prepared(c)

        def of(p: Any) -> Any:
            return upper(p, c)

        return np.where(meant, quantile(q, loc, scale, of), np.nan)

    return {"logpdf": logpdf, "pdf": pdf, "cdf": cdf, "sf": sf, "ppf": ppf, "isf": isf}


def without_shape(standard: Any) -> Any:
    made = methods_of(_nothing, standard)

    def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["logpdf"](x, 1.0, loc, scale)

    def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["pdf"](x, 1.0, loc, scale)

    def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["cdf"](x, 1.0, loc, scale)

    def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["sf"](x, 1.0, loc, scale)

    def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["ppf"](q, 1.0, loc, scale)

    def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["isf"](q, 1.0, loc, scale)

    return {"logpdf": logpdf, "pdf": pdf, "cdf": cdf, "sf": sf, "ppf": ppf, "isf": isf}


def of_two_shapes(prepared: Any, standard: Any) -> Any:
    """The methods of a distribution between two ends, which are its shapes."""
    made = methods_of(prepared, standard)

    def logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["logpdf"](x, (a, b), loc, scale)

    def pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["pdf"](x, (a, b), loc, scale)

    def cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["cdf"](x, (a, b), loc, scale)

    def sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["sf"](x, (a, b), loc, scale)

    def ppf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["ppf"](q, (a, b), loc, scale)

    def isf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return made["isf"](q, (a, b), loc, scale)

    return {"logpdf": logpdf, "pdf": pdf, "cdf": cdf, "sf": sf, "ppf": ppf, "isf": isf}


def _nothing(c: Any) -> Any:
    return c, True


def positive(c: Any) -> Any:
    c = np.asarray(c) * 1.0
    return np.where(c > 0.0, c, 1.0), c > 0.0


def _any_number(c: Any) -> Any:
    c = np.asarray(c) * 1.0
    return c, np.isfinite(c)


def _ends(ends: Any) -> Any:
    a, b = np.asarray(ends[0]) * 1.0, np.asarray(ends[1]) * 1.0
    return (a, b), a < b


def _positive_ends(ends: Any) -> Any:
    (a, b), ordered = _ends(ends)
    meant = np.logical_and(a > 0.0, np.logical_and(ordered, np.isfinite(b)))
    return (np.where(meant, a, 1.0), np.where(meant, b, 2.0)), meant


def _portion(c: Any) -> Any:
    c = np.asarray(c) * 1.0
    meant = np.logical_and(c >= 0.0, c <= 1.0)
    return np.where(meant, c, 0.5), meant


def _inside(y: Any) -> Any:
    return np.where(y > 0.0, y, 1.0)


def _rayleigh(y: Any, c: Any) -> Any:
    inside = np.logical_and(y > 0.0, y < np.inf)
    z = np.where(inside, y, 1.0)
    return np.where(inside, np.log(z) - 0.5 * z * z, -np.inf)


def _rayleigh_below(y: Any, c: Any) -> Any:
    return np.where(y > 0.0, -np.expm1(-0.5 * _inside(y) ** 2), 0.0)


def _rayleigh_above(y: Any, c: Any) -> Any:
    return np.where(y > 0.0, np.exp(-0.5 * _inside(y) ** 2), 1.0)


def _rayleigh_quantile(q: Any, c: Any) -> Any:
    return np.sqrt(-2.0 * np.log1p(-q))


def _rayleigh_upper(q: Any, c: Any) -> Any:
    return np.sqrt(-2.0 * np.log(q))


def _half_cauchy(y: Any, c: Any) -> Any:
    return np.where(y >= 0.0, _LOG_2_BY_PI - np.log1p(y * y), -np.inf)


def _half_cauchy_below(y: Any, c: Any) -> Any:
    return np.where(y >= 0.0, 2.0 / np.pi * np.arctan(y), 0.0)


def _half_cauchy_above(y: Any, c: Any) -> Any:
    return np.where(y >= 0.0, 2.0 / np.pi * np.arctan2(1.0, y), 1.0)


def _half_cauchy_quantile(q: Any, c: Any) -> Any:
    last = q == 1.0
    return np.where(last, np.inf, np.tan(0.5 * np.pi * np.where(last, 0.5, q)))


def _half_cauchy_upper(q: Any, c: Any) -> Any:
    return 1.0 / np.tan(0.5 * np.pi * q)


def _least(y: Any, c: Any) -> Any:
    return y - np.exp(y)


def _least_below(y: Any, c: Any) -> Any:
    return -np.expm1(-np.exp(y))


def _least_above(y: Any, c: Any) -> Any:
    return np.exp(-np.exp(y))


def _least_quantile(q: Any, c: Any) -> Any:
    return np.log(-np.log1p(-q))


def _least_upper(q: Any, c: Any) -> Any:
    return np.log(-np.log(q))


def _maxwell(y: Any, c: Any) -> Any:
    z = _inside(y)
    return np.where(y > 0.0, 0.5 * _LOG_2_BY_PI + 2.0 * np.log(z) - 0.5 * z * z, -np.inf)


def _maxwell_below(y: Any, c: Any) -> Any:
    return np.where(y > 0.0, own.gammainc(1.5, 0.5 * _inside(y) ** 2), 0.0)


def _maxwell_above(y: Any, c: Any) -> Any:
    return np.where(y > 0.0, own.gammaincc(1.5, 0.5 * _inside(y) ** 2), 1.0)


def _maxwell_quantile(q: Any, c: Any) -> Any:
    return np.sqrt(2.0 * quantiles.gammaincinv(1.5, q))


def _maxwell_upper(q: Any, c: Any) -> Any:
    return np.sqrt(2.0 * quantiles.gammainccinv(1.5, q))


def _inverse(y: Any, a: Any) -> Any:
    z = _inside(y)
    found = -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z
    return np.where(y > 0.0, found, -np.inf)


def _inverse_below(y: Any, a: Any) -> Any:
    return np.where(y > 0.0, own.gammaincc(a, 1.0 / _inside(y)), 0.0)


def _inverse_above(y: Any, a: Any) -> Any:
    return np.where(y > 0.0, own.gammainc(a, 1.0 / _inside(y)), 1.0)


def _inverse_quantile(q: Any, a: Any) -> Any:
    return 1.0 / quantiles.gammainccinv(a, q)


def _inverse_upper(q: Any, a: Any) -> Any:
    return 1.0 / quantiles.gammaincinv(a, q)


def _log_rest(y: Any, c: Any) -> Any:
    """The logarithm of (1 - c y) to the power of 1 / c, and whether y is in the support."""
    near, inside = np.abs(c * y) < 1e-3, c * y < 1.0
    u, size = np.where(near, c * y, 0.0), np.where(near, 1.0, c)
    series = 1.0 + u * (0.5 + u * (1 / 3 + u * (0.25 + u * (0.2 + u * (1 / 6 + u / 7)))))
    rest = np.log1p(-np.where(np.logical_and(inside, np.logical_not(near)), c * y, 0.0)) / size
    return np.where(near, -y * series, rest), inside


def _extreme(y: Any, c: Any) -> Any:
    rest, inside = _log_rest(y, c)
    return np.where(inside, (1.0 - c) * rest - np.exp(rest), -np.inf)


def _extreme_below(y: Any, c: Any) -> Any:
    rest, inside = _log_rest(y, c)
    return np.where(inside, np.exp(-np.exp(rest)), np.where(c > 0.0, 1.0, 0.0))


def _extreme_above(y: Any, c: Any) -> Any:
    rest, inside = _log_rest(y, c)
    return np.where(inside, -np.expm1(-np.exp(rest)), np.where(c > 0.0, 0.0, 1.0))


def _extreme_place(log: Any, c: Any) -> Any:
    finite = np.isfinite(log)
    product = c * np.where(finite, log, 1.0)
    near = np.logical_or(c == 0.0, np.logical_and(finite, np.abs(product) < 1e-3))
    u = np.where(near, product, 0.0)
    series = 1.0 + u * (0.5 + u * (1 / 6 + u * (1 / 24 + u * (1 / 120 + u / 720))))
    return np.where(near, -log * series, -np.expm1(c * log) / np.where(near, 1.0, c))


def _extreme_quantile(q: Any, c: Any) -> Any:
    return _extreme_place(np.log(-np.log(q)), c)


def _extreme_upper(q: Any, c: Any) -> Any:
    return _extreme_place(np.log(-np.log1p(-q)), c)


def _mirrored(ends: Any) -> Any:
    """Ends of which the lower one is not above zero, as far as floats can tell them, whether they
    are mirrored, and the mass of the normal distribution between them."""
    a, b = ends
    turned = a > 0.0
    low, high = np.where(turned, -b, a), np.where(turned, -a, b)
    low, high = np.where(low < -_FAR, -_FAR, low), np.where(high > _FAR, _FAR, high)
    return low, high, turned, _mass(low, high)


def _mass(low: Any, high: Any) -> Any:
    upper = high > 0.0
    tail = own.ndtr(np.where(upper, -high, high))
    return np.where(upper, 1.0 - tail, tail) - own.ndtr(low)


def _cut(y: Any, ends: Any) -> Any:
    mass = _mirrored(ends)[3]
    inside = np.logical_and(y >= ends[0], y <= ends[1])
    z = np.where(inside, y, 0.0)
    return np.where(inside, -0.5 * z * z - _HALF_LOG_2_PI - np.log(mass), -np.inf)


def _cut_below(y: Any, ends: Any) -> Any:
    low, high, turned, mass = _mirrored(ends)
    place = np.clip(np.where(turned, -y, y), low, high)
    return np.where(turned, _mass(place, high), _mass(low, place)) / mass


def _cut_above(y: Any, ends: Any) -> Any:
    low, high, turned, mass = _mirrored(ends)
    place = np.clip(np.where(turned, -y, y), low, high)
    return np.where(turned, _mass(low, place), _mass(place, high)) / mass


def _cut_place(q: Any, ends: Any, upper: Any) -> Any:
    low, high, turned, mass = _mirrored(ends)
    part, rest = np.where(turned != upper, 1.0 - q, q), np.where(turned != upper, q, 1.0 - q)
    early = part <= 0.5
    edge = own.ndtr(np.where(early, low, -high))
    found = own.ndtri(edge + np.where(early, part, rest) * mass)
    found = np.where(early, found, -found)
    found = np.where(turned, -found, found)
    edge, other = (ends[1], ends[0]) if upper else ends
    return np.where(q == 0.0, edge, np.where(q == 1.0, other, found))


def _cut_quantile(q: Any, ends: Any) -> Any:
    return _cut_place(q, ends, False)


def _cut_upper(q: Any, ends: Any) -> Any:
    return _cut_place(q, ends, True)


def _excess(y: Any, c: Any) -> Any:
    """The logarithm of the mass above y, if y is above zero, and whether it is in the support."""
    above, finite = y >= 0.0, y < np.inf
    rest, inside = _log_rest(np.where(np.logical_and(above, finite), y, 0.0), -c)
    return np.where(finite, rest, -np.inf), np.logical_and(inside, np.logical_or(finite, c >= 0.0))


def _excess_density(y: Any, c: Any) -> Any:
    rest, inside = _excess(y, c)
    last = np.logical_and(c <= -1.0, c * y == -1.0)
    found = np.where(np.logical_and(inside, y >= 0.0), (1.0 + c) * rest, -np.inf)
    return np.where(last, np.where(c < -1.0, np.inf, 0.0), found)


def _excess_below(y: Any, c: Any) -> Any:
    rest, inside = _excess(y, c)
    return np.where(y <= 0.0, 0.0, np.where(inside, -np.expm1(rest), 1.0))


def _excess_above(y: Any, c: Any) -> Any:
    rest, inside = _excess(y, c)
    return np.where(y <= 0.0, 1.0, np.where(inside, np.exp(rest), 0.0))


def _excess_place(log: Any, c: Any) -> Any:
    last, bounded = log == -np.inf, c < 0.0
    end = np.where(bounded, -1.0 / np.where(bounded, c, 1.0), np.inf)
    return np.where(last, end, _extreme_place(np.where(last, -1.0, log), -c))


def _excess_quantile(q: Any, c: Any) -> Any:
    return _excess_place(np.log1p(-q), c)


def _excess_upper(q: Any, c: Any) -> Any:
    return _excess_place(np.log(q), c)


def _scale_free(y: Any, ends: Any) -> Any:
    inside = np.logical_and(y >= ends[0], y <= ends[1])
    return np.where(
        inside, -np.log(np.where(inside, y, 1.0)) - np.log(np.log(ends[1] / ends[0])), -np.inf
    )


def _scale_free_below(y: Any, ends: Any) -> Any:
    return np.log(np.clip(y, ends[0], ends[1]) / ends[0]) / np.log(ends[1] / ends[0])


def _scale_free_above(y: Any, ends: Any) -> Any:
    return np.log(ends[1] / np.clip(y, ends[0], ends[1])) / np.log(ends[1] / ends[0])


def _scale_free_quantile(q: Any, ends: Any) -> Any:
    return ends[0] * np.exp(q * np.log(ends[1] / ends[0]))


def _scale_free_upper(q: Any, ends: Any) -> Any:
    return ends[1] * np.exp(-q * np.log(ends[1] / ends[0]))


def _sides(y: Any, c: Any) -> Any:
    """Whether y is on the side that rises, and the lengths of both sides, none of them zero."""
    rises = np.logical_or(y < c, c == 1.0)
    return rises, np.where(c > 0.0, c, 1.0), np.where(c < 1.0, 1.0 - c, 1.0)


def _triangle(y: Any, c: Any) -> Any:
    rises, left, right = _sides(y, c)
    height = np.where(rises, y / left, (1.0 - y) / right)
    some = np.logical_and(height > 0.0, np.logical_and(y >= 0.0, y <= 1.0))
    return np.where(some, np.log(2.0 * np.where(some, height, 1.0)), -np.inf)


def _triangle_below(y: Any, c: Any) -> Any:
    y = np.clip(y, 0.0, 1.0)
    rises, left, right = _sides(y, c)
    return np.where(rises, y * y / left, (2.0 * y - y * y - c) / right)


def _triangle_above(y: Any, c: Any) -> Any:
    y = np.clip(y, 0.0, 1.0)
    rises, left, right = _sides(y, c)
    return np.where(rises, 1.0 - y * y / left, (1.0 - y) * (1.0 - y) / right)


def _triangle_quantile(q: Any, c: Any) -> Any:
    rises = q < c
    low, high = np.where(rises, c * q, 0.25), np.where(rises, 0.25, (1.0 - c) * (1.0 - q))
    return np.where(rises, np.sqrt(low), 1.0 - np.sqrt(high))


def _triangle_upper(q: Any, c: Any) -> Any:
    rises = q > 1.0 - c
    low, high = np.where(rises, c * (1.0 - q), 0.25), np.where(rises, 0.25, (1.0 - c) * q)
    return np.where(rises, np.sqrt(low), 1.0 - np.sqrt(high))


_SCALE_FREE = of_two_shapes(_positive_ends, (
    _scale_free, _scale_free_below, _scale_free_above, _scale_free_quantile, _scale_free_upper,
))  # fmt: skip

SHAPED: Any = {
    "rayleigh": without_shape(
        (_rayleigh, _rayleigh_below, _rayleigh_above, _rayleigh_quantile, _rayleigh_upper)
    ),
    "halfcauchy": without_shape((
        _half_cauchy, _half_cauchy_below, _half_cauchy_above, _half_cauchy_quantile,
        _half_cauchy_upper,
    )),
    "gumbel_l": without_shape(
        (_least, _least_below, _least_above, _least_quantile, _least_upper)
    ),
    "maxwell": without_shape(
        (_maxwell, _maxwell_below, _maxwell_above, _maxwell_quantile, _maxwell_upper)
    ),
    "invgamma": methods_of(
        positive, (_inverse, _inverse_below, _inverse_above, _inverse_quantile, _inverse_upper)
    ),
    "genextreme": methods_of(
        _any_number, (_extreme, _extreme_below, _extreme_above, _extreme_quantile, _extreme_upper)
    ),
    "genpareto": methods_of(_any_number, (
        _excess_density, _excess_below, _excess_above, _excess_quantile, _excess_upper,
    )),
    "loguniform": _SCALE_FREE, "reciprocal": _SCALE_FREE,
    "triang": methods_of(_portion, (
        _triangle, _triangle_below, _triangle_above, _triangle_quantile, _triangle_upper,
    )),
    "truncnorm": of_two_shapes(_ends, (_cut, _cut_below, _cut_above, _cut_quantile, _cut_upper)),
}  # fmt: skip
"""The methods of each distribution."""

SHAPES = {
    "invgamma": "a loc scale", "genextreme": "c loc scale", "truncnorm": "a b loc scale",
    "genpareto": "c loc scale", "loguniform": "a b loc scale", "reciprocal": "a b loc scale",
    "triang": "c loc scale",
}  # fmt: skip
"""The parameters of those with shapes."""
