"""The reference evaluation of the fused multiply-add, which NumPy does not have."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["fma"]

_LOW, _HIGH = 2.0**-300, 2.0**300
"""Factors of this size have a product that is the sum of two floats."""


def _fma_exact(a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if c == 0.0 and (a == 0.0 or b == 0.0) else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    split = 134217729.0  # 2**27 + 1
    product = a * b
    a_big, b_big = a * split, b * split
    a_high, b_high = a_big - (a_big - a), b_big - (b_big - b)
    a_low, b_low = a - a_high, b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


def _fma_moderate(a: Any, b: Any, c: Any) -> Any:
    # Boldo and Melquiond: the low parts are added rounding to odd, so that the final addition,
    # which rounds to nearest, rounds the exact result.
    high, low = _two_product(a, b)
    mid, mid_low = _two_sum(c, low)
    top, top_low = _two_sum(high, mid)
    odd, rest = _two_sum(mid_low, top_low)
    even = (odd.view(np.int64) & 1) == 0
    toward = np.where(rest > 0, np.inf, -np.inf)
    odd = np.where((rest != 0) & even, np.nextafter(odd, toward), odd)
    return top + odd


def _between(x: Any, low: float, high: float) -> Any:
    size = np.abs(x)
    return (size >= low) & (size <= high)


def _fma_number(a: float, b: float, c: float) -> float:
    """Of three numbers, as `fma` has it of arrays, in a small part of the time."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    if a == 0 or b == 0:
        return a * b + c
    if not (_LOW <= abs(a) <= _HIGH and _LOW <= abs(b) <= _HIGH):
        return _fma_exact(a, b, c)
    if c != 0 and not 2.0**-800 <= abs(c) <= 2.0**800:
        return _fma_exact(a, b, c)
    high, low = _two_product(a, b)
    mid, mid_low = _two_sum(c, low)
    top, top_low = _two_sum(high, mid)
    odd, rest = _two_sum(mid_low, top_low)
    if rest != 0 and not _bits(odd) & 1:
        odd = math.nextafter(odd, math.inf if rest > 0 else -math.inf)
    return top + odd


def _bits(x: float) -> int:
    return int.from_bytes(struct.pack("<d", x), "little")


def fma(a: Any, b: Any, c: Any) -> Any:
    """a*b + c rounded once, elementwise: exact for every finite and infinite operand."""
    if isinstance(a, float) and isinstance(b, float) and isinstance(c, float):
        return np.float64(_fma_number(float(a), float(b), float(c)))
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c))
    x, y, z = (np.array(np.broadcast_to(np.float64(v), shape)).reshape(-1) for v in (a, b, c))
    with np.errstate(all="ignore"):
        out = np.where(np.isfinite(x) & np.isfinite(y) & ~np.isfinite(z), z, x * y + z)
        finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & (x != 0) & (y != 0)
        easy = finite & _between(x, _LOW, _HIGH) & _between(y, _LOW, _HIGH)
        easy &= (z == 0) | _between(z, 2.0**-800, 2.0**800)
        out[easy] = _fma_moderate(x[easy], y[easy], z[easy])
    for k in np.flatnonzero(finite & ~easy):
        out[k] = _fma_exact(float(x[k]), float(y[k]), float(z[k]))
    return out.reshape(shape)[()]
