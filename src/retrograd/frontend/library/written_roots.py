"""The roots of a polynomial, with the rule for their derivatives, written out in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.lapack import eigenvalues_of
from retrograd.frontend.library.plain.told import WithRule

__all__ = ["roots_of"]


def _roots(p: Any) -> Any:
    """Real and imaginary parts; the first coefficient is not zero."""
    n = len(p) - 1
    companion = np.zeros((n, n))
    for k in range(n):
        companion[0, k] = -p[k + 1] / p[0]
    for k in range(n - 1):
        companion[k + 1, k] = 1.0
    found = eigenvalues_of(companion)
    return found[0].copy(), found[1].copy()


def _value_and_slope(p: Any, x: Any) -> Any:
    value, slope = 0.0, 0.0
    for k in range(len(p)):
        slope = slope * x + value
        value = value * x + p[k]
    return value, slope


def _roots_rule(primals: Any, tangents: Any) -> Any:
    p, p_dot = primals[0], tangents[0]
    real, imaginary = roots_of(p)
    moved = np.zeros(len(real))
    for k in range(len(real)):
        moved[k] = -_value_and_slope(p_dot, real[k])[0] / _value_and_slope(p, real[k])[1]
    return (real, imaginary), (moved, np.zeros(len(real)))


roots_of = WithRule("jvp", _roots, (), _roots_rule)
"""Real and imaginary parts of the roots; derivatives are those of roots that are real, by the
theorem on implicit functions. Multiple roots have none."""
