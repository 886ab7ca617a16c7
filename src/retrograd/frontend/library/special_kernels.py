"""Incomplete gamma and beta functions of numbers, by series and continued fractions.

They are loops, so that derivatives are those of the loops, in every argument.

Source: the series and the fraction (evaluated by Lentz's method) are DLMF 8.7.1, 8.9.2 and 8.17.22.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "every_lower_gamma", "every_part_of_beta", "every_student", "every_upper_gamma", "lower_gamma",
    "part_of_beta", "student", "upper_gamma",
]  # fmt: skip

_MOST = 20000


def _series(a: Any, x: Any) -> Any:
    term = 1.0 / a
    total = term
    k = 0
    small = 0
    # A few terms more than the value needs, for the derivatives.
    while small < 6 and k < _MOST:
        k += 1
        term = term * x / (a + k)
        total += term
        small = small + 1 if abs(term) < 1e-17 * abs(total) else 0
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def _fraction(a: Any, x: Any) -> Any:
    b = x + 1.0 - a
    c = 1e300
    d = 1.0 / b
    total = d
    k = 0
    small = 0
    while small < 4 and k < _MOST:
        k += 1
        top = -k * (k - a)
        b += 2.0
        d = 1.0 / (top * d + b)
        c = b + top / c
        step = c * d
        total *= step
        small = small + 1 if abs(step - 1.0) < 1e-16 else 0
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def _near_zero(a: Any, x: Any) -> Any:
    """The first term of the series, whose derivatives at zero are those of the function."""
    return x**a * math.exp(-math.lgamma(a + 1.0))


def lower_gamma(a: Any, x: Any) -> Any:
    if not (a >= 0.0 and x >= 0.0):
        return math.nan
    if a == 0.0:
        return 1.0 if x > 0.0 else math.nan
    if x == 0.0:
        return _near_zero(a, x)
    if math.isinf(x) or math.isinf(a):
        return math.nan if math.isinf(a) and math.isinf(x) else (1.0 if math.isinf(x) else 0.0)
    return _series(a, x) if x < a + 1.0 else 1.0 - _fraction(a, x)


def upper_gamma(a: Any, x: Any) -> Any:
    if not (a >= 0.0 and x >= 0.0):
        return math.nan
    if a == 0.0:
        return 0.0 if x > 0.0 else math.nan
    if x == 0.0:
        return 1.0 - _near_zero(a, x)
    if math.isinf(x) or math.isinf(a):
        return math.nan if math.isinf(a) and math.isinf(x) else (0.0 if math.isinf(x) else 1.0)
    return 1.0 - _series(a, x) if x < a + 1.0 else _fraction(a, x)


def _beta_fraction(a: Any, b: Any, x: Any) -> Any:
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (tiny if abs(d) < tiny else d)
    total = d
    k = 0
    small = 0
    while small < 4 and k < _MOST:
        k += 1
        even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k))
        d = 1.0 / (1.0 + even * d)
        c = 1.0 + even / c
        total *= c * d
        odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))
        d = 1.0 / (1.0 + odd * d)
        c = 1.0 + odd / c
        step = c * d
        total *= step
        small = small + 1 if abs(step - 1.0) < 1e-16 else 0
    return total


def part_of_beta(a: Any, b: Any, x: Any) -> Any:
    if not (a > 0.0 and b > 0.0 and x >= 0.0 and x <= 1.0):
        return math.nan
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    # At the ends it is the first term of the series, which has the derivatives there.
    if x == 0.0:
        return math.exp(front) * x**a / a
    if x == 1.0:
        return 1.0 - math.exp(front) * (1.0 - x) ** b / b
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def _log_half_step(z: Any) -> Any:
    """The logarithm of gamma(z + 1/2) / gamma(z); by its asymptotic series where both are large."""
    if z < 50.0:
        return math.lgamma(z + 0.5) - math.lgamma(z)
    u = 1.0 / (z * z)
    return 0.5 * math.log(z) - (0.125 - u * (1.0 / 192.0 - u * (1.0 / 640.0))) / z


def _far_student(df: Any, x: Any) -> Any:
    """The tail below -|x| by a transformation to the normal distribution, for many degrees.

    Source: Hill, Algorithm 395: Student's t-distribution, Communications of the ACM 13 (1970).
    """
    less = df - 0.5
    b = 48.0 * less * less
    y = less * math.log1p(x * x / df)
    inner = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b)
    return 0.5 * math.erfc(math.sqrt(0.5 * y) * ((inner + y + 3.0) / b + 1.0))


def student(df: Any, x: Any) -> Any:
    """The distribution function of Student's t, in terms of the beta function's fraction.

    Around zero the odd part is a multiple of x, so that no derivative is that of a root.
    """
    if not (df > 0.0 and (x <= 0.0 or x > 0.0)):
        return math.nan
    if math.isinf(x):
        return 0.0 if x < 0.0 else 1.0
    if df > 1e17:
        return 0.5 * math.erfc(-x / math.sqrt(2.0))
    half = 0.5 * df
    whole = df + x * x
    front = _log_half_step(half) - 0.5 * math.log(math.pi) - half * math.log1p(x * x / df)
    front = math.exp(front) / math.sqrt(whole)
    if x * x * (half + 2.5) < 1.5 * whole:
        return 0.5 + front * x * _beta_fraction(0.5, half, x * x / whole)
    if df > 1e4:
        tail = _far_student(df, x)
    else:
        tail = 0.5 * front * abs(x) * _beta_fraction(half, 0.5, df / whole) / half
    return tail if x < 0.0 else 1.0 - tail


def every_lower_gamma(a: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = lower_gamma(a[i], x[i])
    return out


def every_upper_gamma(a: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = upper_gamma(a[i], x[i])
    return out


def every_part_of_beta(a: Any, b: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = part_of_beta(a[i], b[i], x[i])
    return out


def every_student(df: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = student(df[i], x[i])
    return out
