"""Orthogonal polynomials as objects of the program: those of `scipy.special`, by their degree."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.written_series import Highest

__all__ = ["Orthogonal"]

np: Any = numpy


def _of_jacobi(k: Any, a: Any, b: Any) -> Any:
    if k == 0:
        return 0.5 * (a + b + 2.0), 0.5 * (a - b), 0.0
    t, below = 2.0 * k + a + b, (k + 1.0) * (k + a + b + 1.0)
    slope = 0.5 * (t + 1.0) * (t + 2.0) / below
    start = 0.5 * (a * a - b * b) * (t + 1.0) / (below * t)
    return slope, start, (k + a) * (k + b) * (t + 2.0) / (below * t)


def _factors(kind: Any, k: Any, a: Any, b: Any) -> Any:
    """The numbers of p[k + 1] = (slope x + start) p[k] - back p[k - 1]."""
    if kind == "legendre":
        return (2.0 * k + 1.0) / (k + 1.0), 0.0, k / (k + 1.0)
    if kind == "chebyt":
        return (1.0 if k == 0 else 2.0), 0.0, 1.0
    if kind == "chebyu":
        return 2.0, 0.0, 1.0
    if kind == "hermite":
        return 2.0, 0.0, 2.0 * k
    if kind == "hermitenorm":
        return 1.0, 0.0, 1.0 * k
    if kind == "laguerre":
        return -1.0 / (k + 1.0), (2.0 * k + 1.0 + a) / (k + 1.0), (k + a) / (k + 1.0)
    if kind == "gegenbauer":
        return 2.0 * (k + a) / (k + 1.0), 0.0, (k + 2.0 * a - 1.0) / (k + 1.0)
    return _of_jacobi(k, a, b)


def _coefficients(kind: Any, given: Any, shifted: Any) -> Any:
    """Those of the powers, the constant first; of 2 x - 1 where `shifted`."""
    n = given[0]
    a = given[1] * 1.0 if len(given) > 1 else 0.0
    b = given[2] * 1.0 if len(given) > 2 else 0.0
    before, p = np.zeros(n + 1), np.zeros(n + 1)
    p[0] = 1.0
    for k in range(n):
        slope, start, back = _factors(kind, k, a, b)
        if shifted:
            slope, start = 2.0 * slope, start - slope
        new = start * p - back * before
        new[1:] += slope * p[:-1]
        before, p = p, new
    return p


class Orthogonal(Highest):
    """`scipy.special.hermite(n)` and its like: called by the recurrence, else a `np.poly1d`."""

    def __init__(self, evaluate: Any, kind: Any, given: Any, shifted: Any, monic: Any) -> None:
        if given[0] < 0:
            raise ValueError("n must be nonnegative.")
        coefficients = _coefficients(kind, given, shifted)[::-1]
        self.scale = coefficients[0] if monic else 1.0
        self.evaluate = evaluate
        self.given = given
        super().__init__(coefficients / self.scale)

    def __call__(self, val: Any) -> Any:
        found = self.evaluate(*self.given, val)
        return found / self.scale
