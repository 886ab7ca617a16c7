"""Where incomplete gamma and beta functions of numbers have given values.

The place is looked for by Newton's method, in logarithms, between bounds. Nothing is differentiated
through that: two steps follow, which start at the place as a constant, and have its first and
second derivatives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from retrograd.frontend.library.plain.roots import with_slopes_of
from retrograd.frontend.library.plain.told import constant
from retrograd.frontend.library.special_inverses import normal_quantile
from retrograd.frontend.library.special_kernels import (
    lower_gamma,
    part_of_beta,
    student,
    upper_gamma,
)

__all__ = [
    "every_lower_gamma_place", "every_part_of_beta_place", "every_rest_of_beta_place",
    "every_student_place", "every_upper_gamma_place", "lower_gamma_place", "part_of_beta_place",
    "rest_of_beta_place", "student_place", "upper_gamma_place",
]  # fmt: skip

_MOST = 200


def _place(above: Any, towards: Any, start: Any, end: Any) -> Any:
    """Where a function crosses zero between 0 and `end`: `above` says whether a number is beyond
    that place, `towards` gives Newton's next number."""
    x, low, high = start, 0.0, end
    last, k, done = math.inf, 0, False
    while not done and k < _MOST:
        k += 1
        if above(x):
            high = x
        else:
            low = x
        new = towards(x)
        step = abs(new - x)
        # Where rounding errors are all that is left, steps no longer become smaller.
        if step <= 1e-15 * x or (last <= 1e-9 * x and step > 0.25 * last):
            done = True
        elif new > low and new < high:
            x, last = new, step
        else:
            last = math.inf
            if math.isinf(high):
                x = 4.0 * x
            else:
                x = np.sqrt(low) * np.sqrt(high) if low > 0.0 else 0.25 * x
    return x


def _normal(p: Any, q: Any) -> Any:
    return normal_quantile(0.5 * (p - q), min(p, q))


def _gamma_density(a: Any, x: Any) -> Any:
    return np.exp((a - 1.0) * np.log(x) - x - math.lgamma(a))


def _gamma_start(a: Any, p: Any, q: Any) -> Any:
    """Not above the place where p is small, else close to it (by Wilson and Hilferty)."""
    least = np.exp((np.log(p) + math.lgamma(a + 1.0)) / a)
    if a <= 1.0:
        return least if p < q else max(least, -0.5 * np.log(q))
    root = 1.0 - 1.0 / (9.0 * a) + _normal(p, q) / (3.0 * np.sqrt(a))
    return max(least, a * root * root * root)


def _gamma_place(a: Any, p: Any, q: Any) -> Any:
    """Of the lower part p and the upper part q, for positive ones."""

    def beyond(x: Any) -> Any:
        return lower_gamma(a, x) > p if p < q else upper_gamma(a, x) < q

    def step(x: Any) -> Any:
        density = _gamma_density(a, x)
        if p < q:
            below = lower_gamma(a, x)
            return x * np.exp(-np.log(below / p) * below / (x * density))
        rest = upper_gamma(a, x)
        return x + np.log(rest / q) * rest / density

    return _place(beyond, step, max(_gamma_start(a, p, q), 1e-300), math.inf)


def _gamma_with_slopes(a: Any, p: Any, q: Any) -> Any:
    x = _gamma_place(constant(a), constant(p), constant(q))
    y = constant(x)
    for _ in range(2):
        y = y - (lower_gamma(a, y) - p if p < q else q - upper_gamma(a, y)) / _gamma_density(a, y)
    return with_slopes_of(constant(x), y)


def lower_gamma_place(a: Any, p: Any) -> Any:
    if not (a > 0.0 and p >= 0.0 and p <= 1.0) or math.isinf(a):
        return math.nan
    if p == 0.0 or p == 1.0:
        return 0.0 if p == 0.0 else math.inf
    return _gamma_with_slopes(a, p, 1.0 - p)


def upper_gamma_place(a: Any, q: Any) -> Any:
    if not (a > 0.0 and q >= 0.0 and q <= 1.0) or math.isinf(a):
        return math.nan
    if q == 0.0 or q == 1.0:
        return math.inf if q == 0.0 else 0.0
    return _gamma_with_slopes(a, 1.0 - q, q)


def _log_beta(a: Any, b: Any) -> Any:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    return np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - _log_beta(a, b))


def _low_beta_place(a: Any, b: Any, p: Any, q: Any) -> Any:
    """Where the part below is p and the part above q, to the relative precision of the place."""
    most = min(p, 1.0 - 1e-8)

    def beyond(x: Any) -> Any:
        return part_of_beta(a, b, x) > most

    def step(x: Any) -> Any:
        below = part_of_beta(a, b, x)
        return x * np.exp(-np.log(below / most) * below / (x * _beta_density(a, b, x)))

    least = np.exp((np.log(most) + np.log(a) + _log_beta(a, b)) / a)
    x = _place(beyond, step, max(min(least, a / (a + b)), 1e-300), 1.0)
    density = _beta_density(a, b, x)
    if q > 0.1 or density > 1.0:
        return x
    # The part above has more digits.
    k, off = 0, x
    while k < 40 and abs(off) > 1e-15 * x:
        k += 1
        rest = part_of_beta(b, a, 1.0 - x)
        off = np.log(rest / q) * rest / _beta_density(a, b, x)
        x = min(x + off, 0.5 * (1.0 + x))
    return x


def _beta_place(a: Any, b: Any, p: Any, q: Any) -> Any:
    if p <= part_of_beta(a, b, 0.5):
        return _low_beta_place(a, b, p, q)
    return 1.0 - _low_beta_place(b, a, q, p)


def _beta_with_slopes(a: Any, b: Any, p: Any, q: Any) -> Any:
    x = _beta_place(constant(a), constant(b), constant(p), constant(q))
    if x <= 0.0 or x >= 1.0:
        return x
    y = constant(x)
    for _ in range(2):
        off = part_of_beta(a, b, y) - p if p < q else q - part_of_beta(b, a, 1.0 - y)
        y = y - off / _beta_density(a, b, y)
    return with_slopes_of(constant(x), y)


def part_of_beta_place(a: Any, b: Any, p: Any) -> Any:
    if not (a > 0.0 and b > 0.0 and p >= 0.0 and p <= 1.0) or math.isinf(a + b):
        return math.nan
    return p if p == 0.0 or p == 1.0 else _beta_with_slopes(a, b, p, 1.0 - p)


def rest_of_beta_place(a: Any, b: Any, q: Any) -> Any:
    if not (a > 0.0 and b > 0.0 and q >= 0.0 and q <= 1.0) or math.isinf(a + b):
        return math.nan
    return 1.0 - q if q == 0.0 or q == 1.0 else _beta_with_slopes(a, b, 1.0 - q, q)


def _student_density(df: Any, x: Any) -> Any:
    return np.exp(
        -_log_beta(0.5, 0.5 * df) - 0.5 * np.log(df) - 0.5 * (df + 1.0) * np.log1p(x * x / df)
    )


def _student_size(df: Any, tail: Any) -> Any:
    """The size of the number below which the tail is, from 0 to a half."""
    if df > 1e4:
        z = _normal(1.0 - tail, tail)
        s = z * z
        far = z * (1.0 + (s + 1.0) / (4.0 * df) + ((5.0 * s + 16.0) * s + 3.0) / (96.0 * df * df))
    else:
        half, both = 0.5 * df, 2.0 * tail
        if both <= part_of_beta(half, 0.5, 0.5):
            w = _low_beta_place(half, 0.5, both, 1.0 - both)
            far = np.sqrt(df * (1.0 - w) / w)
        else:
            w = _low_beta_place(0.5, half, 1.0 - both, both)
            far = np.sqrt(df * w / (1.0 - w))
    for _ in range(3):
        far = far + (student(df, -far) - tail) / _student_density(df, far)
    return far


def student_place(df: Any, p: Any) -> Any:
    if not (df > 0.0 and p >= 0.0 and p <= 1.0):
        return math.nan
    if p == 0.0 or p == 1.0:
        return -math.inf if p == 0.0 else math.inf
    if df > 1e17:
        return _normal(p, 1.0 - p)
    tail = constant(min(p, 1.0 - p))
    x = _student_size(constant(df), tail) if tail < 0.5 else 0.0
    if math.isinf(x):
        return -x if p < 0.5 else x
    y = constant(-x if p < 0.5 else x)
    start = y
    for _ in range(2):
        y = y - (student(df, y) - p) / _student_density(df, y)
    return with_slopes_of(start, y)


def every_lower_gamma_place(a: Any, p: Any) -> Any:
    out = np.zeros(len(p))
    for i in range(len(p)):
        out[i] = lower_gamma_place(a[i], p[i])
    return out


def every_upper_gamma_place(a: Any, q: Any) -> Any:
    out = np.zeros(len(q))
    for i in range(len(q)):
        out[i] = upper_gamma_place(a[i], q[i])
    return out


def every_part_of_beta_place(a: Any, b: Any, p: Any) -> Any:
    out = np.zeros(len(p))
    for i in range(len(p)):
        out[i] = part_of_beta_place(a[i], b[i], p[i])
    return out


def every_rest_of_beta_place(a: Any, b: Any, q: Any) -> Any:
    out = np.zeros(len(q))
    for i in range(len(q)):
        out[i] = rest_of_beta_place(a[i], b[i], q[i])
    return out


def every_student_place(df: Any, p: Any) -> Any:
    out = np.zeros(len(p))
    for i in range(len(p)):
        out[i] = student_place(df[i], p[i])
    return out
