"""Tests of hypotheses about samples: statistics and how likely those as large are, by chance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import scipy.special

from retrograd.frontend.library.plain import summaries
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "bartlett", "chi2_contingency", "chisquare", "combine_pvalues", "f_oneway", "jarque_bera",
    "kurtosistest", "levene", "normaltest", "power_divergence", "skewtest", "ttest_1samp",
    "ttest_ind", "ttest_ind_from_stats", "ttest_rel",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special


class Verdict(NamedTuple):
    """What a test gives."""

    statistic: Any
    pvalue: Any


class Contingency(NamedTuple):
    """What a test of a table gives."""

    statistic: Any
    pvalue: Any
    dof: Any
    expected_freq: Any


def by_side(below: Any, above: Any, alternative: Any) -> Any:
    """How likely it is, of how likely less and more are."""
    if alternative == "less":
        return below
    if alternative == "greater":
        return above
    if alternative != "two-sided":
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return 2.0 * np.minimum(below, above)


def by_student(t: Any, df: Any, alternative: Any) -> Any:
    """A test whose statistic is distributed as Student says."""
    p = by_side(special.stdtr(df, t), special.stdtr(df, -t), alternative)
    return Verdict(t, p)


def by_normal(z: Any, alternative: Any) -> Any:
    """A test whose statistic is normal."""
    return Verdict(z, by_side(special.ndtr(z), special.ndtr(-z), alternative))


def _sample(a: Any, axis: Any) -> Any:
    a = np.asarray(a) * 1.0
    return (np.ravel(a), 0) if axis is None else (np.atleast_1d(a), axis)


def ttest_1samp(a: Any, popmean: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    a, axis = _sample(a, axis)
    n = a.shape[axis]
    off = np.mean(a, axis=axis) - popmean
    t = off / np.sqrt(np.var(a, axis=axis, ddof=1) / n)
    return by_student(t, n - 1.0, alternative)


def ttest_rel(a: Any, b: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    a, along = _sample(a, axis)
    b, along = _sample(b, axis)
    if a.shape[along] != b.shape[along]:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    return ttest_1samp(a - b, 0.0, along, alternative)


def _two_samples(first: Any, second: Any, equal_var: Any, alternative: Any) -> Any:
    """Of two samples' means, sums of squares of what is off these, and numbers."""
    (m, squares, n), (other, more, k) = first, second
    if equal_var:
        df = n + k - 2.0
        size = np.sqrt((squares + more) / df * (1.0 / n + 1.0 / k))
    else:
        a, b = squares / (n - 1.0) / n, more / (k - 1.0) / k
        df = (a + b) ** 2 / (a**2 / (n - 1.0) + b**2 / (k - 1.0))
        size = np.sqrt(a + b)
    return by_student((m - other) / size, df, alternative)


def _told(a: Any, axis: Any) -> Any:
    middle = np.mean(a, axis=axis, keepdims=True)
    off = a - middle
    return np.mean(a, axis=axis), np.sum(off * off, axis=axis), a.shape[axis]


def ttest_ind(
    a: Any, b: Any, axis: Any = 0, equal_var: Any = True, alternative: Any = "two-sided"
) -> Any:
    a, along = _sample(a, axis)
    b, along = _sample(b, axis)
    if a.ndim != b.ndim:
        refuse("scipy.stats.ttest_ind of arrays of two ranks", "give both the same number of axes")
    return _two_samples(_told(a, along), _told(b, along), equal_var, alternative)


def ttest_ind_from_stats(
    mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, equal_var: Any = True,
    alternative: Any = "two-sided",
) -> Any:  # fmt: skip
    first = (mean1, np.asarray(std1) ** 2.0 * (nobs1 - 1.0), nobs1)
    second = (mean2, np.asarray(std2) ** 2.0 * (nobs2 - 1.0), nobs2)
    return _two_samples(first, second, equal_var, alternative)


def f_oneway(*samples: Any, axis: Any = 0) -> Any:
    if len(samples) < 2:
        raise TypeError("Sample data must be provided as at least two samples.")
    whole, between, count = 0.0, 0.0, 0.0
    middle = np.mean(np.concatenate(samples, axis=axis), axis=axis, keepdims=True)
    for one in samples:
        off = np.asarray(one) * 1.0 - middle
        n = off.shape[axis]
        whole = whole + np.sum(off * off, axis=axis)
        between = between + np.sum(off, axis=axis) ** 2 / n
        count = count + n
    first = len(samples) - 1.0
    second = count - len(samples)
    f = (between / first) / ((whole - between) / second)
    return Verdict(f, special.fdtrc(first, second, f))


_POWERS = {
    "pearson": 1.0, "log-likelihood": 0.0, "freeman-tukey": -0.5, "mod-log-likelihood": -1.0,
    "neyman": -2.0, "cressie-read": 2.0 / 3.0,
}  # fmt: skip


def _divergence(seen: Any, expected: Any, power: Any) -> Any:
    """The terms of a divergence of counts."""
    if power == 1.0:
        return (seen - expected) ** 2 / expected
    if power == 0.0:
        return 2.0 * special.xlogy(seen, seen / expected)
    if power == -1.0:
        return 2.0 * special.xlogy(expected, expected / seen)
    return seen * ((seen / expected) ** power - 1.0) / (0.5 * power * (power + 1.0))


def power_divergence(
    f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, lambda_: Any = None
) -> Any:
    seen, axis = _sample(f_obs, axis)
    power = 1.0 if lambda_ is None else lambda_
    if isinstance(power, str):
        power = _POWERS[power]
    if f_exp is None:
        expected = np.mean(seen, axis=axis, keepdims=True)
    else:
        expected = np.asarray(f_exp) * 1.0
        sums, others = np.sum(seen, axis=axis), np.sum(expected, axis=axis)
        apart = np.abs(sums - others) / np.minimum(sums, others)
        if np.any(apart > 1.4901161193847656e-08):
            raise ValueError(
                "For each axis slice, the sum of the observed frequencies must agree with the sum "
                "of the expected frequencies to a relative tolerance of 1.4901161193847656e-08"
            )
    found = np.sum(_divergence(seen, expected, power), axis=axis)
    return Verdict(found, special.chdtrc(seen.shape[axis] - 1.0 - ddof, found))


def chisquare(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0) -> Any:
    return power_divergence(f_obs, f_exp, ddof, axis, 1.0)


def chi2_contingency(observed: Any, correction: Any = True, lambda_: Any = None) -> Any:
    table = np.asarray(observed) * 1.0
    if table.ndim != 2:
        refuse("chi2_contingency of a table that is not two-dimensional", "give it a matrix")
    if np.any(table < 0.0):
        raise ValueError("All values in `observed` must be nonnegative.")
    rows = np.sum(table, axis=1, keepdims=True)
    expected = rows * np.sum(table, axis=0, keepdims=True) / np.sum(table)
    if np.any(expected == 0.0):
        raise ValueError("The internally computed table of expected frequencies has a zero element")
    power = 1.0 if lambda_ is None else lambda_
    if isinstance(power, str):
        power = _POWERS[power]
    free = (table.shape[0] - 1) * (table.shape[1] - 1)
    if correction and free == 1:
        off = expected - table
        table = table + np.minimum(0.5, np.abs(off)) * np.sign(off)
    found = np.sum(_divergence(table, expected, power))
    if free == 0:
        return Contingency(found * 0.0, 1.0, 0, expected)
    return Contingency(found, special.chdtrc(free * 1.0, found), free, expected)


def jarque_bera(x: Any, axis: Any = None) -> Any:
    x, axis = _sample(x, axis)
    n = x.shape[axis]
    s, k = summaries.skew(x, axis=axis), summaries.kurtosis(x, axis=axis)
    found = n / 6.0 * (s**2 + k**2 / 4.0)
    return Verdict(found, special.chdtrc(2.0, found))


def _of_skewness(a: Any, axis: Any) -> Any:
    n = a.shape[axis] * 1.0
    if n < 8.0:
        return np.mean(a, axis=axis) * np.nan
    y = summaries.skew(a, axis=axis) * np.sqrt(((n + 1.0) * (n + 3.0)) / (6.0 * (n - 2.0)))
    high = 3.0 * (n**2 + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
    beta = high / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    wide = -1.0 + np.sqrt(2.0 * (beta - 1.0))
    y = y / np.sqrt(2.0 / (wide - 1.0))
    return 1.0 / np.sqrt(0.5 * np.log(wide)) * np.arcsinh(y)


def skewtest(a: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    a, axis = _sample(a, axis)
    return by_normal(_of_skewness(a, axis), alternative)


def _of_kurtosis(a: Any, axis: Any) -> Any:
    n = a.shape[axis] * 1.0
    if n < 5.0:
        return np.mean(a, axis=axis) * np.nan
    b = summaries.kurtosis(a, axis=axis, fisher=False)
    var = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    x = (b - 3.0 * (n - 1.0) / (n + 1.0)) / var**0.5
    skewness = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    skewness = skewness * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))) ** 0.5
    size = 6.0 + 8.0 / skewness * (2.0 / skewness + (1.0 + 4.0 / skewness**2) ** 0.5)
    one = 1.0 - 2.0 / (9.0 * size)
    low = 1.0 + x * (2.0 / (size - 4.0)) ** 0.5
    root = np.sign(low) * np.cbrt((1.0 - 2.0 / size) / np.abs(low))
    return (one - root) / (2.0 / (9.0 * size)) ** 0.5


def kurtosistest(a: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    a, axis = _sample(a, axis)
    return by_normal(_of_kurtosis(a, axis), alternative)


def normaltest(a: Any, axis: Any = 0) -> Any:
    a, axis = _sample(a, axis)
    found = _of_skewness(a, axis) ** 2 + _of_kurtosis(a, axis) ** 2
    return Verdict(found, special.chdtrc(2.0, found))


def _row(x: Any, name: Any) -> Any:
    x = np.asarray(x) * 1.0
    if x.ndim != 1:
        refuse(f"scipy.stats.{name} of arrays with several axes", "call it for each row")
    return x


def bartlett(*samples: Any) -> Any:
    if len(samples) < 2:
        raise ValueError("Must provide at least two samples.")
    weighted, logs, inverse, count = 0.0, 0.0, 0.0, 0.0
    for one in samples:
        n = len(_row(one, "bartlett")) - 1.0
        v = np.var(one, ddof=1)
        weighted, logs = weighted + n * v, logs + n * np.log(v)
        inverse, count = inverse + 1.0 / n, count + n
    groups = len(samples) - 1.0
    found = count * np.log(weighted / count) - logs
    found = found / (1.0 + (inverse - 1.0 / count) / (3.0 * groups))
    return Verdict(found, special.chdtrc(groups, found))


def levene(*samples: Any, center: Any = "median") -> Any:
    if len(samples) < 2:
        raise ValueError("Must provide at least two samples.")
    if center not in ("mean", "median"):
        refuse("scipy.stats.levene with trimmed centres", "center='mean' and 'median' are known")
    parts: Any = [_row(one, "levene") for one in samples]
    middles = [np.mean(one) if center == "mean" else np.median(one) for one in parts]
    off = [np.abs(one - middle) for one, middle in zip(parts, middles, strict=True)]
    return f_oneway(*off)


def combine_pvalues(pvalues: Any, method: Any = "fisher", weights: Any = None) -> Any:
    p = _row(pvalues, "combine_pvalues")
    if method == "fisher":
        found = -2.0 * np.sum(np.log(p))
        return Verdict(found, special.chdtrc(2.0 * len(p), found))
    if method == "pearson":
        found = 2.0 * np.sum(np.log1p(-p))
        return Verdict(found, special.chdtr(2.0 * len(p), -found))
    if method != "stouffer":
        refuse("scipy.stats.combine_pvalues by this method", "fisher, pearson, stouffer are known")
    by = np.ones(len(p)) if weights is None else np.asarray(weights) * 1.0
    z = np.sum(by * -special.ndtri(p)) / np.sqrt(np.sum(by * by))
    return Verdict(z, special.ndtr(-z))
