"""Methods of distributions of `scipy.stats` that follow from others: logarithms, medians, means.

A distribution has up to two shapes; those that count have no scale. Parameters have the order of
SciPy's, not the names.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

__all__ = ["MOMENTS", "interval", "logarithm", "mean", "median", "std", "var"]

np: Any = numpy
special: Any = scipy.special

_EULER = 0.5772156649015329


def _log(p: Any) -> Any:
    some = p > 0.0
    outside = np.where(np.isnan(p), np.nan, -np.inf)
    return np.where(some, np.log(np.where(some, p, 1.0)), outside)


def logarithm(of: Any, shapes: Any, counts: Any) -> Any:
    """The logarithm of a method."""

    def none(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _log(of(x, loc, scale))

    def one(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _log(of(x, a, loc, scale))

    def two(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _log(of(x, a, b, loc, scale))

    def one_of_counts(k: Any, a: Any, loc: Any = 0) -> Any:
        return _log(of(k, a, loc))

    def two_of_counts(k: Any, a: Any, b: Any, loc: Any = 0) -> Any:
        return _log(of(k, a, b, loc))

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def median(quantile: Any, shapes: Any, counts: Any) -> Any:
    """From the method that gives quantiles."""

    def none(loc: Any = 0, scale: Any = 1) -> Any:
        return quantile(0.5, loc, scale)

    def one(a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return quantile(0.5, a, loc, scale)

    def two(a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return quantile(0.5, a, b, loc, scale)

    def one_of_counts(a: Any, loc: Any = 0) -> Any:
        return quantile(0.5, a, loc)

    def two_of_counts(a: Any, b: Any, loc: Any = 0) -> Any:
        return quantile(0.5, a, b, loc)

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def _tails(confidence: Any) -> Any:
    if np.any((confidence > 1.0) | (confidence < 0.0)):
        raise ValueError("confidence must be between 0 and 1 inclusive")
    return (1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0


def interval(quantile: Any, shapes: Any, counts: Any) -> Any:
    """The middle part of so much probability, from the method that gives quantiles."""

    def none(confidence: Any, loc: Any = 0, scale: Any = 1) -> Any:
        low, high = _tails(confidence)
        return quantile(low, loc, scale), quantile(high, loc, scale)

    def one(confidence: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        low, high = _tails(confidence)
        return quantile(low, a, loc, scale), quantile(high, a, loc, scale)

    def two(confidence: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        low, high = _tails(confidence)
        return quantile(low, a, b, loc, scale), quantile(high, a, b, loc, scale)

    def one_of_counts(confidence: Any, a: Any, loc: Any = 0) -> Any:
        low, high = _tails(confidence)
        return quantile(low, a, loc), quantile(high, a, loc)

    def two_of_counts(confidence: Any, a: Any, b: Any, loc: Any = 0) -> Any:
        low, high = _tails(confidence)
        return quantile(low, a, b, loc), quantile(high, a, b, loc)

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def _shifted(standard: Any, loc: Any, scale: Any) -> Any:
    wide = np.asarray(scale) * 1.0
    return np.where(wide > 0.0, standard * wide + loc, np.nan)


def _squared(standard: Any, loc: Any, scale: Any) -> Any:
    wide = np.asarray(scale) * 1.0 + np.zeros(np.shape(np.asarray(loc)))
    return np.where(wide > 0.0, standard * wide * wide, np.nan)


def mean(standard: Any, shapes: Any, counts: Any) -> Any:
    """From the mean where the scale is one."""

    def none(loc: Any = 0, scale: Any = 1) -> Any:
        return _shifted(standard(), loc, scale)

    def one(a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _shifted(standard(np.asarray(a) * 1.0), loc, scale)

    def two(a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _shifted(standard(np.asarray(a) * 1.0, np.asarray(b) * 1.0), loc, scale)

    def one_of_counts(a: Any, loc: Any = 0) -> Any:
        return standard(np.asarray(a) * 1.0) + loc

    def two_of_counts(a: Any, b: Any, loc: Any = 0) -> Any:
        return standard(np.asarray(a) * 1.0, np.asarray(b) * 1.0) + loc

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def var(standard: Any, shapes: Any, counts: Any) -> Any:
    """From the variance where the scale is one."""

    def none(loc: Any = 0, scale: Any = 1) -> Any:
        return _squared(standard(), loc, scale)

    def one(a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _squared(standard(np.asarray(a) * 1.0), loc, scale)

    def two(a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _squared(standard(np.asarray(a) * 1.0, np.asarray(b) * 1.0), loc, scale)

    def one_of_counts(a: Any, loc: Any = 0) -> Any:
        return standard(np.asarray(a) * 1.0)

    def two_of_counts(a: Any, b: Any, loc: Any = 0) -> Any:
        return standard(np.asarray(a) * 1.0, np.asarray(b) * 1.0)

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def std(variance: Any, shapes: Any, counts: Any) -> Any:
    """From the method that gives variances."""

    def none(loc: Any = 0, scale: Any = 1) -> Any:
        return np.sqrt(variance(loc, scale))

    def one(a: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return np.sqrt(variance(a, loc, scale))

    def two(a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return np.sqrt(variance(a, b, loc, scale))

    def one_of_counts(a: Any, loc: Any = 0) -> Any:
        return np.sqrt(variance(a, loc))

    def two_of_counts(a: Any, b: Any, loc: Any = 0) -> Any:
        return np.sqrt(variance(a, b, loc))

    programs: Any = (none, one_of_counts, two_of_counts) if counts else (none, one, two)
    return programs[shapes]


def _positive(a: Any, found: Any) -> Any:
    return np.where(a > 0.0, found, np.nan)


def _zero() -> Any:
    return 0.0


def _one() -> Any:
    return 1.0


def _itself(a: Any) -> Any:
    return _positive(a, a)


def _count(mu: Any) -> Any:
    return np.where(mu >= 0.0, mu, np.nan)


def _twice(a: Any) -> Any:
    return _positive(a, 2.0 * a)


def _half() -> Any:
    return 0.5


def _twelfth() -> Any:
    return 1.0 / 12.0


def _two() -> Any:
    return 2.0


def _third_of_squared_pi() -> Any:
    return np.pi * np.pi / 3.0


def _sixth_of_squared_pi() -> Any:
    return np.pi * np.pi / 6.0


def _euler() -> Any:
    return _EULER


def _half_normal_mean() -> Any:
    return np.sqrt(2.0 / np.pi)


def _half_normal_var() -> Any:
    return 1.0 - 2.0 / np.pi


def _student_mean(df: Any) -> Any:
    return _positive(df, np.where(df > 1.0, np.zeros(np.shape(df)), np.inf))


def _student_var(df: Any) -> Any:
    known = np.where(np.logical_and(df > 2.0, df < np.inf), df, 3.0)
    found = np.where(df == np.inf, 1.0, known / (known - 2.0))
    return _positive(df, np.where(df > 2.0, found, np.where(df > 1.0, np.inf, np.nan)))


def _beta_mean(a: Any, b: Any) -> Any:
    return _positive(a, _positive(b, a / (a + b)))


def _beta_var(a: Any, b: Any) -> Any:
    both = a + b
    return _positive(a, _positive(b, a * b / (both * both * (both + 1.0))))


def _lognormal_mean(s: Any) -> Any:
    return _positive(s, np.exp(0.5 * s * s))


def _lognormal_var(s: Any) -> Any:
    return _positive(s, np.expm1(s * s) * np.exp(s * s))


def _weibull_mean(c: Any) -> Any:
    return _positive(c, special.gamma(1.0 + 1.0 / c))


def _weibull_var(c: Any) -> Any:
    first = special.gamma(1.0 + 1.0 / c)
    return _positive(c, special.gamma(1.0 + 2.0 / c) - first * first)


def _pareto_mean(b: Any) -> Any:
    known = np.where(b > 1.0, b, 2.0)
    return _positive(b, np.where(b > 1.0, known / (known - 1.0), np.inf))


def _pareto_var(b: Any) -> Any:
    known = np.where(b > 2.0, b, 3.0)
    less = known - 1.0
    return _positive(b, np.where(b > 2.0, known / (less * less * (known - 2.0)), np.inf))


def _excess_mean(c: Any) -> Any:
    known = np.where(c < 1.0, c, 0.0)
    return np.where(c < 1.0, 1.0 / (1.0 - known), np.where(c < np.inf, np.inf, np.nan))


def _excess_var(c: Any) -> Any:
    known = np.where(c < 0.5, c, 0.0)
    less = 1.0 - known
    return np.where(c < 0.5, 1.0 / (less * less * (1.0 - 2.0 * known)), np.nan)


def _scale_free_mean(a: Any, b: Any) -> Any:
    meant = np.logical_and(a > 0.0, a < b)
    return np.where(meant, (b - a) / np.log(np.where(meant, b / a, 2.0)), np.nan)


def _scale_free_var(a: Any, b: Any) -> Any:
    middle = _scale_free_mean(a, b)
    return middle * (0.5 * (a + b) - middle)


def _triangle_mean(c: Any) -> Any:
    return _chance(c, (1.0 + c) / 3.0)


def _triangle_var(c: Any) -> Any:
    return _chance(c, (1.0 - c + c * c) / 18.0)


def _chance(p: Any, found: Any) -> Any:
    return np.where(np.logical_and(p >= 0.0, p <= 1.0), found, np.nan)


def _some_chance(p: Any, found: Any) -> Any:
    return np.where(p > 0.0, _chance(p, found), np.nan)


def _binomial_mean(n: Any, p: Any) -> Any:
    return _chance(p, n * p)


def _binomial_var(n: Any, p: Any) -> Any:
    return _chance(p, n * p * (1.0 - p))


def _bernoulli_var(p: Any) -> Any:
    return _chance(p, p * (1.0 - p))


def _bernoulli_mean(p: Any) -> Any:
    return _chance(p, p)


def _geometric_mean(p: Any) -> Any:
    return _some_chance(p, 1.0 / p)


def _geometric_var(p: Any) -> Any:
    return _some_chance(p, (1.0 - p) / (p * p))


def _negative_mean(n: Any, p: Any) -> Any:
    return _positive(n, _some_chance(p, n * (1.0 - p) / p))


def _negative_var(n: Any, p: Any) -> Any:
    return _positive(n, _some_chance(p, n * (1.0 - p) / (p * p)))


MOMENTS: Any = {
    "norm": (_zero, _one), "t": (_student_mean, _student_var), "gamma": (_itself, _itself),
    "beta": (_beta_mean, _beta_var), "expon": (_one, _one), "uniform": (_half, _twelfth),
    "lognorm": (_lognormal_mean, _lognormal_var), "chi2": (_itself, _twice),
    "laplace": (_zero, _two), "logistic": (_zero, _third_of_squared_pi),
    "gumbel_r": (_euler, _sixth_of_squared_pi), "halfnorm": (_half_normal_mean, _half_normal_var),
    "weibull_min": (_weibull_mean, _weibull_var), "pareto": (_pareto_mean, _pareto_var),
    "poisson": (_count, _count), "binom": (_binomial_mean, _binomial_var),
    "bernoulli": (_bernoulli_mean, _bernoulli_var), "geom": (_geometric_mean, _geometric_var),
    "nbinom": (_negative_mean, _negative_var), "genpareto": (_excess_mean, _excess_var),
    "loguniform": (_scale_free_mean, _scale_free_var), "triang": (_triangle_mean, _triangle_var),
    "reciprocal": (_scale_free_mean, _scale_free_var),
}  # fmt: skip
"""The mean and the variance of distributions without location and scale, of their shapes."""
