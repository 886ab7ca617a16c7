"""Hypergeometric functions 1F1 and 2F1 of real numbers (`scipy.special`), by their series.

Negative arguments are brought to the unit interval, where all terms have one sign in the end, by
the transformations of Kummer and of Pfaff: DLMF 13.2.39 and 15.8.1; at one the sum is DLMF 15.4.20.
Derivatives are those of the sums, in every argument.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from retrograd.frontend.library.plain.each_element import of_each

__all__ = ["hyp1f1", "hyp2f1"]

np: Any = numpy

_MOST = 200000


def _gauss_series(a: Any, b: Any, c: Any, z: Any) -> Any:
    term = 1.0
    total = 1.0
    k = 0
    small = 0
    # A few terms more than the value needs, for the derivatives.
    while small < 6 and k < _MOST:
        term = term * ((a + k) * (b + k)) / ((c + k) * (k + 1.0)) * z
        total = total + term
        k += 1
        small = small + 1 if abs(term) <= 1e-17 * abs(total) else 0
    return total if small == 6 else math.nan


def _kummer_series(a: Any, b: Any, z: Any) -> Any:
    term = 1.0
    total = 1.0
    k = 0
    small = 0
    while small < 6 and k < _MOST:
        term = term * (a + k) / ((b + k) * (k + 1.0)) * z
        total = total + term
        k += 1
        small = small + 1 if abs(term) <= 1e-17 * abs(total) else 0
    return total if small == 6 else math.nan


def _no_pole(c: Any) -> Any:
    return c > 0.0 or c != np.floor(c)


def _ends(a: Any) -> Any:
    """Whether the series in which a rises is a polynomial."""
    return a <= 0.0 and a == np.floor(a)


def _at_one(a: Any, b: Any, c: Any) -> Any:
    if _ends(c - a) or _ends(c - b):
        return 0.0
    if c - a - b <= 0.0:
        return math.inf
    return math.gamma(c) * math.gamma(c - a - b) / (math.gamma(c - a) * math.gamma(c - b))


def gauss(a: Any, b: Any, c: Any, z: Any) -> Any:
    if not _no_pole(c):
        return math.inf
    if not (z <= 1.0 or _ends(a) or _ends(b)):
        return math.nan
    if _ends(a) or _ends(b):
        return _gauss_series(a, b, c, z)
    if z == 1.0:
        return _at_one(a, b, c)
    if z < 0.0:
        return (1.0 - z) ** (-a) * _gauss_series(a, c - b, c, z / (z - 1.0))
    return _gauss_series(a, b, c, z)


def kummer(a: Any, b: Any, z: Any) -> Any:
    if not _no_pole(b):
        return math.inf
    if z < 0.0 and not _ends(a):
        return math.exp(z) * _kummer_series(b - a, b, -z)
    return _kummer_series(a, b, z)


def every_gauss(a: Any, b: Any, c: Any, z: Any) -> Any:
    out = np.zeros(len(z))
    for i in range(len(z)):
        out[i] = gauss(a[i], b[i], c[i], z[i])
    return out


def every_kummer(a: Any, b: Any, z: Any) -> Any:
    out = np.zeros(len(z))
    for i in range(len(z)):
        out[i] = kummer(a[i], b[i], z[i])
    return out


def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> Any:
    return of_each(gauss, every_gauss, a, b, c, z)


def hyp1f1(a: Any, b: Any, x: Any) -> Any:
    return of_each(kummer, every_kummer, a, b, x)
