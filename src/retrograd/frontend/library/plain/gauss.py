"""Places and weights of Gauss's rules for other weights than 1.

G. Golub and J. Welsch, Calculation of Gauss quadrature rules, 1969: the places are the eigenvalues
of the matrix of the recurrence; here two steps of Newton's method follow, and the weights are those
of Christoffel, sums of the squares of the orthonormal polynomials.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse_if

__all__ = ["NUMPY", "SPECIAL"]

np: Any = numpy

SPECIAL = (
    "roots_chebyt", "roots_chebyu", "roots_genlaguerre", "roots_hermite", "roots_hermitenorm",
    "roots_jacobi", "roots_laguerre",
)  # fmt: skip
NUMPY = {
    "chebyshev": "chebgauss", "hermite": "hermgauss", "hermite_e": "hermegauss",
    "laguerre": "laggauss",
}  # fmt: skip
"""The modules of `np.polynomial` with the function of each."""


def _values(x: Any, middle: Any, beside: Any) -> Any:
    """What Newton's step is, and the sum of the squares of the polynomials of lower degrees."""
    n = len(x)
    before, p = np.zeros(n), np.ones(n)
    slope_before, slope = np.zeros(n), np.zeros(n)
    total = np.zeros(n)
    for k in range(n):
        total = total + p * p
        low, high = beside[k], beside[k + 1]
        off = x - middle[k]
        before, p, slope_before, slope = (
            p, (off * p - low * before) / high,
            slope, (p + off * slope - low * slope_before) / high,
        )  # fmt: skip
    return p / slope, total


def _rule(middle: Any, beside: Any, whole: Any) -> Any:
    """The rule of b[k + 1] p[k + 1] = (x - a[k]) p[k] - b[k] p[k - 1] with this sum of weights."""
    n = len(middle)
    refuse_if(n > 150, "a rule of Gauss with more than 150 places", "divide the interval")
    line = np.diag(middle)
    if n > 1:
        line = line + np.diag(beside[1:n], 1) + np.diag(beside[1:n], -1)
    x = np.linalg.eigvalsh(line)
    total = np.ones(n)
    for _ in range(2):
        step, total = _values(x, middle, beside)
        x = x - step
    _, total = _values(x, middle, beside)
    weights = 1.0 / total
    return x, weights * (whole / np.sum(weights))


def _count(n: Any) -> Any:
    if n < 1:
        raise ValueError("n must be a positive integer.")
    return np.arange(n + 1) * 1.0


def _both_sides(x: Any, w: Any) -> Any:
    """Of a weight that is even."""
    return 0.5 * (x - x[::-1]), 0.5 * (w + w[::-1])


def _told(x: Any, w: Any, whole: Any, mu: Any) -> Any:
    return (x, w, whole) if mu else (x, w)


def roots_hermite(n: Any, mu: Any = False) -> Any:
    k, whole = _count(n), np.sqrt(np.pi)
    x, w = _both_sides(*_rule(0.0 * k[:n], np.sqrt(0.5 * k), whole))
    return _told(x, w, whole, mu)


def roots_hermitenorm(n: Any, mu: Any = False) -> Any:
    k, whole = _count(n), np.sqrt(2.0 * np.pi)
    x, w = _both_sides(*_rule(0.0 * k[:n], np.sqrt(k), whole))
    return _told(x, w, whole, mu)


def roots_genlaguerre(n: Any, alpha: Any, mu: Any = False) -> Any:
    k = _count(n)
    if alpha < -1:
        raise ValueError("alpha must be greater than -1.")
    whole = math.gamma(alpha + 1.0)
    x, w = _rule(2.0 * k[:n] + alpha + 1.0, np.sqrt(np.where(k > 0.0, k * (k + alpha), 1.0)), whole)
    return _told(x, w, whole, mu)


def roots_laguerre(n: Any, mu: Any = False) -> Any:
    return roots_genlaguerre(n, 0.0, mu)


def roots_jacobi(n: Any, alpha: Any, beta: Any, mu: Any = False) -> Any:
    k = _count(n)
    a, b = alpha * 1.0, beta * 1.0
    if a <= -1.0 or b <= -1.0:
        raise ValueError("alpha and beta must be greater than -1.")
    sizes = math.lgamma(a + 1.0) + math.lgamma(b + 1.0) - math.lgamma(a + b + 2.0)
    whole = 2.0 ** (a + b + 1.0) * math.exp(sizes)
    t = 2.0 * k + a + b
    inner = k[:n] > 0.0
    below = np.where(inner, t[:n] * (t[:n] + 2.0), 1.0)
    middle = np.where(inner, (b * b - a * a) / below, (b - a) / (2.0 + a + b))
    last = np.where(k > 1.0, k * (k + a + b) / np.where(k > 1.0, t - 1.0, 1.0), 1.0)
    some = np.where(k > 0.0, t, 1.0)
    squares = 4.0 / (some * some) * (k + a) * (k + b) / (some + 1.0) * last
    x, w = _rule(middle, np.sqrt(np.where(k > 0.0, squares, 1.0)), whole)
    return _told(x, w, whole, mu)


def roots_chebyt(n: Any, mu: Any = False) -> Any:
    _count(n)
    x = np.sin(np.arange(-n + 1, n, 2) * (np.pi / (2.0 * n)))
    return _told(x, np.full(n, np.pi / n), np.pi, mu)


def roots_chebyu(n: Any, mu: Any = False) -> Any:
    t = np.pi * _count(n)[:0:-1] / (n + 1.0)
    return _told(np.cos(t), np.pi * np.sin(t) ** 2 / (n + 1.0), 0.5 * np.pi, mu)


def _degree(deg: Any) -> Any:
    if deg < 1:
        raise ValueError("deg must be a positive integer")
    return deg


def hermgauss(deg: Any) -> Any:
    return roots_hermite(_degree(deg))


def hermegauss(deg: Any) -> Any:
    return roots_hermitenorm(_degree(deg))


def laggauss(deg: Any) -> Any:
    return roots_laguerre(_degree(deg))


def chebgauss(deg: Any) -> Any:
    n = _degree(deg)
    return np.cos(np.pi * np.arange(1, 2 * n, 2) / (2.0 * n)), np.full(n, np.pi / n)
