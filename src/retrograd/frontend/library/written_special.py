"""Integrals of exponentials, sines and cosines of one number, and of each number of an array.

W. H. Press and others, Numerical recipes, 6.3 and 6.9: series near zero, else Lentz's method for
continued fractions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

__all__ = [
    "cosine_integral", "every_cosine", "every_expn", "every_sine", "expn", "sine_integral",
]  # fmt: skip

np: Any = numpy

_EULER = 0.5772156649015329


def expn(n: Any, x: Any) -> Any:
    """The integral of exp(-x t) / t**n from one on."""
    if n < 0.0 or n != np.floor(n) or x < 0.0 or np.isnan(x):
        return math.nan
    if x == 0.0:
        return 1.0 / (n - 1.0) if n > 1.0 else math.inf
    if n == 0.0:
        return np.exp(-x) / x
    if x == math.inf:
        return 0.0
    if x <= 1.0:
        return _expn_series(n, x)
    b, c = x + n, 1e300
    d = 1.0 / b
    h = d
    for k in range(1, 130):
        a = -k * (n - 1.0 + k)
        b = b + 2.0
        d = 1.0 / (a * d + b)
        c = b + a / c
        h = h * c * d
    return h * np.exp(-x)


def _expn_series(n: Any, x: Any) -> Any:
    last = n - 1.0
    harmonic = -_EULER
    for k in range(1, int(last) + 1):
        harmonic = harmonic + 1.0 / k
    total = 1.0 / last if last != 0.0 else -np.log(x) + harmonic
    term = 1.0
    for k in range(1, max(30, int(last) + 20)):
        term = -term * x / k
        part = harmonic - np.log(x) if k == last else 1.0 / (last - k)
        total = total + term * part
    return total


def every_expn(n: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = expn(n[k], x[k])
    return out


def _fraction(t: Any) -> Any:
    """The exponential integral of a positive number times the imaginary unit, times its turn."""
    b_i, c_r, c_i = t, 1e300, 0.0
    size = 1.0 + t * t
    d_r, d_i = 1.0 / size, -t / size
    h_r, h_i, b_r = d_r, d_i, 1.0
    for k in range(2, 110):
        a = -(k - 1.0) * (k - 1.0)
        b_r = b_r + 2.0
        x, y = a * d_r + b_r, a * d_i + b_i
        size = x * x + y * y
        d_r, d_i = x / size, -y / size
        size = c_r * c_r + c_i * c_i if k > 2 else 1.0
        below = (c_r / size, -c_i / size) if k > 2 else (0.0, 0.0)
        c_r, c_i = b_r + a * below[0], b_i + a * below[1]
        x, y = c_r * d_r - c_i * d_i, c_r * d_i + c_i * d_r
        h_r, h_i = h_r * x - h_i * y, h_r * y + h_i * x
    cos, sin = np.cos(t), -np.sin(t)
    return cos * h_r - sin * h_i, cos * h_i + sin * h_r


def sine_integral(x: Any) -> Any:
    t = abs(x)
    if t > 2.0:
        if t == math.inf:
            return 0.5 * np.pi if x > 0.0 else -0.5 * np.pi
        found = 0.5 * np.pi + _fraction(t)[1]
        return found if x > 0.0 else -found
    term, total = x, x
    for k in range(1, 14):
        term = -term * x * x / ((2.0 * k) * (2.0 * k + 1.0))
        total = total + term / (2.0 * k + 1.0)
    return total


def cosine_integral(x: Any) -> Any:
    x = abs(x)
    if np.isnan(x):
        return math.nan
    if x == 0.0:
        return -math.inf
    if x > 2.0:
        return 0.0 if x == math.inf else -_fraction(x)[0]
    term, total = 1.0, _EULER + np.log(x)
    for k in range(1, 15):
        term = -term * x * x / ((2.0 * k - 1.0) * (2.0 * k))
        total = total + term / (2.0 * k)
    return total


def every_sine(x: Any) -> Any:
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = sine_integral(x[k])
    return out


def every_cosine(x: Any) -> Any:
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = cosine_integral(x[k])
    return out
