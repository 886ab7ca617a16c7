"""arcsin, arccos, arctan and arctan2.

Each is base + factor * (h + tail) with a base of 0, pi/2 or pi in two parts, chosen by selects; the
error of base + factor * h is kept.
"""

from __future__ import annotations

from typing import Final

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Bool, Float

__all__ = ["arccos", "arcsin", "arctan", "arctan2"]

Pair = tuple[float, float]
ZERO: Final[Pair] = (0.0, 0.0)
HALF_PI: Final[Pair] = co.HALF_PI[:2]
PI: Final[Pair] = (2.0 * co.HALF_PI[0], 2.0 * co.HALF_PI[1])


def _choose(b: Body, where: Bool, then: Pair, other: Pair) -> tuple[Float, Float]:
    return b.select(where, then[0], other[0]), b.select(where, then[1], other[1])


def _joined(b: Body, base: tuple[Float, Float], head: Float, tail: Float) -> Float:
    """base + head + tail, where |base| >= |head| or base is 0."""
    high, error = b.fast_two_sum(base[0], head)
    return high + (error + (base[1] + tail))


def _arctan_tail(b: Body, t: Float) -> Float:
    """arctan(t) - t for |t| <= 1."""
    z = t * t
    return (t * z) * b.poly(z, co.ATAN)


def arctan(b: Body, x: Float) -> Float:
    """pi/2 - arctan(1/|x|) above 1."""
    magnitude = abs(x)
    above = magnitude.gt(1.0)
    t = b.select(above, -1.0 / magnitude, magnitude)
    base = _choose(b, above, HALF_PI, ZERO)
    return b.copysign(_joined(b, base, t, _arctan_tail(b, t)), x)


def arctan2(b: Body, y: Float, x: Float) -> Float:
    """The angle of (x, y), from the smaller over the larger coordinate."""
    width, height = abs(x), abs(y)
    steep = height.gt(width)
    left = x.bits().negative()
    large = b.select(steep, height, width)
    small = b.select(steep, width, height)
    ratio = b.select(large.eq(0.0), 0.0, small / large)
    t = b.select(small.eq(float("inf")), 1.0, ratio)
    signed = b.select(steep ^ left, -t, t)
    flat_high, flat_low = _choose(b, left, PI, ZERO)
    base = b.select(steep, HALF_PI[0], flat_high), b.select(steep, HALF_PI[1], flat_low)
    angle = b.copysign(_joined(b, base, signed, _arctan_tail(b, signed)), y)
    return b.select(x.unordered(y), float("nan"), angle)


def _arcsin_parts(b: Body, magnitude: Float) -> tuple[Bool, Float, Float]:
    """(big, s, tail): arcsin |x| is s + tail below 1/2, and pi/2 - 2 (s + tail) above."""
    big = magnitude.gt(0.5)
    z = b.select(big, b.fma(magnitude, -0.5, 0.5), magnitude * magnitude)
    s = b.select(big, b.intrinsic("sqrt", z), magnitude)
    return big, s, (s * z) * b.poly(z, co.ASIN)


def arcsin(b: Body, x: Float) -> Float:
    """NaN beyond 1, from the square root."""
    big, s, tail = _arcsin_parts(b, abs(x))
    factor = b.select(big, -2.0, 1.0)
    base = _choose(b, big, HALF_PI, ZERO)
    return b.copysign(_joined(b, base, factor * s, factor * tail), x)


def arccos(b: Body, x: Float) -> Float:
    """NaN beyond 1, from the square root."""
    big, s, tail = _arcsin_parts(b, abs(x))
    negative = x.lt(0.0)
    factor = b.select(big ^ negative, b.select(big, 2.0, 1.0), b.select(big, -2.0, -1.0))
    high, low = _choose(b, negative, PI, ZERO)
    base = b.select(big, high, HALF_PI[0]), b.select(big, low, HALF_PI[1])
    return _joined(b, base, factor * s, factor * tail)
