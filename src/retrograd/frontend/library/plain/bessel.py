# pyright: reportUnknownVariableType=false
"""Modified Bessel functions of orders 0 and 1.

Those of the first kind are a mean over the circle, or the asymptotic series of large numbers; those
of the second kind the trapezoidal rule for the integral of exp(-x cosh t) cosh(n t). All terms are
positive, so that nothing is lost.

Source: DLMF 10.32.1, 10.32.9 and 10.40.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from retrograd.frontend.library.plain.each_element import of_each

__all__ = ["every_k0e", "every_k1e", "i0", "i0e", "i1", "i1e", "k0", "k0e", "k1", "k1e"]

_FEW = 25.0


def _series(x: Any, order: Any) -> Any:
    """exp(-x) I_n(x) of large numbers."""
    total, term = 1.0, 1.0
    for k in range(1, 26):
        term = -term * (4.0 * order * order - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        total = total + term
    return total / np.sqrt(2.0 * np.pi * x)


def _split(x: Any) -> tuple[Any, Any, Any, Any]:
    x = np.asarray(x) * 1.0
    few: Any = np.abs(x) < _FEW
    return x, few, np.where(few, x, 0.0), np.where(few, _FEW, np.abs(x))


def _mean0(near: Any) -> Any:
    total = 0.0
    for k in range(16):
        total = total + np.cosh(near * np.cos((k + 0.5) * np.pi / 32.0))
    return total / 16.0


def _mean1(near: Any) -> Any:
    total = 0.0
    for k in range(16):
        height = np.cos((k + 0.5) * np.pi / 32.0)
        total = total + height * np.sinh(near * height)
    return total / 16.0


def i0(x: Any) -> Any:
    _, few, near, far = _split(x)
    return np.where(few, _mean0(near), np.exp(far) * _series(far, 0.0))


def i0e(x: Any) -> Any:
    _, few, near, far = _split(x)
    return np.where(few, np.exp(-np.abs(near)) * _mean0(near), _series(far, 0.0))


def i1(x: Any) -> Any:
    x, few, near, far = _split(x)
    return np.where(few, _mean1(near), np.copysign(np.exp(far), x) * _series(far, 1.0))


def i1e(x: Any) -> Any:
    x, few, near, far = _split(x)
    found = np.copysign(1.0, x) * _series(far, 1.0)
    return np.where(few, np.exp(-np.abs(near)) * _mean1(near), found)


def _second(order: Any, x: Any) -> Any:
    """exp(x) K_n(x)."""
    if not x >= 0.0:
        return math.nan
    if x == 0.0:
        return math.inf
    if math.isinf(x):
        return 0.0
    if x < 1e-8:
        first = 1.0 / x if order > 0.5 else -math.log(0.5 * x) - np.euler_gamma
        return (1.0 + x) * first
    step = 0.2 / math.sqrt(1.0 + 0.25 * x)
    total = 0.5
    k = 0
    small = False
    while not small:
        k += 1
        rise = 2.0 * math.sinh(0.5 * k * step) ** 2
        term = math.exp(-x * rise)
        if order > 0.5:
            term = term * (1.0 + rise)
        total += term
        small = x * (1.0 + rise) > 2.0 and term < 1e-20 * total
    return step * total


def k0e(x: Any) -> Any:
    return of_each(_scaled0, every_k0e, x)


def k1e(x: Any) -> Any:
    return of_each(_scaled1, every_k1e, x)


def k0(x: Any) -> Any:
    return np.exp(-1.0 * np.asarray(x)) * k0e(x)


def k1(x: Any) -> Any:
    return np.exp(-1.0 * np.asarray(x)) * k1e(x)


def _scaled0(x: Any) -> Any:
    return _second(0.0, x)


def _scaled1(x: Any) -> Any:
    return _second(1.0, x)


def every_k0e(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = _second(0.0, x[i])
    return out


def every_k1e(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = _second(1.0, x[i])
    return out
