"""Common divisors and multiples of ints, element by element, by Euclid's algorithm."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["gcd", "lcm"]

np: Any = numpy


def gcd(x1: Any, x2: Any) -> Any:
    _both_ints(x1, x2)
    a, b = np.abs(x1) + 0 * np.abs(x2), np.abs(x2) + 0 * np.abs(x1)
    while np.any(b != 0):
        a, b = np.where(b == 0, a, b), np.where(b == 0, 0, a % np.where(b == 0, 1, b))
    return a


def lcm(x1: Any, x2: Any) -> Any:
    common = gcd(x1, x2)
    return np.abs(x1) // np.where(common == 0, 1, common) * np.abs(x2)


def _both_ints(x1: Any, x2: Any) -> None:
    kinds = np.asarray(x1).dtype, np.asarray(x2).dtype
    if np.float64 in kinds or np.int64 not in kinds:
        raise TypeError("did not contain a loop with signature matching types")
