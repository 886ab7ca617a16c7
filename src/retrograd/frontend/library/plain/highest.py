"""Sums, products and slopes of polynomials of which the highest coefficient comes first.

Of coefficients they give coefficients, of `np.poly1d` another one.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import products
from retrograd.frontend.library.written_series import Highest

__all__ = ["polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub"]

np: Any = numpy


def _given(a: Any) -> Any:
    return a.coeffs if isinstance(a, Highest) else a


def _like(found: Any, one: Any, other: Any) -> Any:
    return Highest(found) if isinstance(one, Highest) or isinstance(other, Highest) else found


def polyadd(a1: Any, a2: Any) -> Any:
    return _like(products.polyadd(_given(a1), _given(a2)), a1, a2)


def polysub(a1: Any, a2: Any) -> Any:
    return _like(products.polysub(_given(a1), _given(a2)), a1, a2)


def polymul(a1: Any, a2: Any) -> Any:
    return _like(products.polymul(_given(a1), _given(a2)), a1, a2)


def polydiv(u: Any, v: Any) -> Any:
    a, b = np.atleast_1d(_given(u)) * 1.0, np.atleast_1d(_given(v)) * 1.0
    if b[0] == 0.0:
        raise ZeroDivisionError("the divisor's highest coefficient is zero")
    count = max(len(a) - len(b) + 1, 1)
    found, rest = np.zeros(count), a.copy()
    for k in range(len(a) - len(b) + 1):
        found[k] = rest[k] / b[0]
        rest[k : k + len(b)] -= found[k] * b
    first = 0
    while first < len(rest) - 1 and abs(rest[first]) <= 1e-14:
        first += 1
    return _like(found, u, v), _like(rest[first:], u, v)


def polyder(p: Any, m: Any = 1) -> Any:
    return _like(products.polyder(_given(p), m), p, p)


def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    return _like(products.polyint(_given(p), m, k), p, p)
