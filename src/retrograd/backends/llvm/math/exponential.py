"""exp, expm1, sinh, cosh and tanh.

All write x = n log 2 + r with |r| <= log(2)/2 and work with a polynomial in r. The small parts of
the sums are kept apart until the last addition, so that little more than one rounding is left.
"""

from __future__ import annotations

from typing import Final

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Float, Int

__all__ = ["cosh", "exp", "exp_of_sum", "expm1", "expm1_of_sum", "round_scaled", "sinh", "tanh"]

# Adding it to |x| < 2^51 leaves the nearest integer in the low bits.
ROUNDER: Final = 6755399441055744.0
EXPONENT_BIAS: Final = 1023


def round_scaled(b: Body, x: Float, scale: float) -> tuple[Float, Int]:
    """The integer nearest to x*scale: as a double, and in the low bits of an integer."""
    shifted = b.fma(x, scale, ROUNDER)
    return shifted - ROUNDER, shifted.bits()


def power_of_two(low_bits: Int) -> Float:
    """2^n, for n in -1022..1023 held in the low 12 bits."""
    return ((low_bits + EXPONENT_BIAS) << 52).as_float()


def _scaled(b: Body, p: Float, n: Float, bits: Int) -> Float:
    """p * 2^n in two steps, so that subnormal results are rounded once."""
    _, half = round_scaled(b, n, 0.5)
    return (p * power_of_two(half)) * power_of_two(bits - half)


def exp_of_sum(b: Body, x: Float, low: Float | None) -> Float:
    """exp(x + low) for -746 <= x <= 710."""
    n, bits = round_scaled(b, x, co.INV_LN2[0])
    exact = b.fma(n, -co.LN2[0], x)
    r = b.fma(n, -co.LN2[1], exact) if low is None else exact + b.fma(n, -co.LN2[1], low)
    return _scaled(b, 1.0 + b.fma(r * r, b.poly(r, co.EXP), r), n, bits)


def exp(b: Body, x: Float) -> Float:
    """exp x; NaN passes both bounds and comes out as NaN."""
    above = b.clamp_above(x, 710.0)
    return exp_of_sum(b, b.select(above.lt(-746.0), -746.0, above), None)


def _reduced(b: Body, x: Float, low: Float | None) -> tuple[Int, Float, Float]:
    """(n, r, t) with exp(x + low) = 2^n (1 + r + t), where t is small against r."""
    n, bits = round_scaled(b, x, co.INV_LN2[0])
    exact = b.fma(n, -co.LN2[0], x)
    step = n * co.LN2[1]
    r = exact - step
    r_low = (exact - r) - step
    if low is not None:
        r_low = r_low + low
    return bits, r, b.fma(r * r, b.poly(r, co.EXPM1), r_low)


def expm1_of_sum(b: Body, x: Float, low: Float | None) -> Float:
    """exp(x + low) - 1 for -40 <= x <= 710, as twice 2^(n-1) (1 + r + t) - 1/2."""
    bits, r, tail = _reduced(b, x, low)
    scale = power_of_two(bits - 1)
    high, error = b.fast_two_sum(scale - 0.5, scale * r)
    return 2.0 * (high + b.fma(scale, tail, error))


def expm1(b: Body, x: Float) -> Float:
    """exp(x) - 1. Below 2^-60 it is x: also for subnormal x, -0 and NaN."""
    above = b.clamp_above(x, 710.0)
    result = expm1_of_sum(b, b.select(above.lt(-40.0), -40.0, above), None)
    return b.select(abs(x).not_ge(2.0**-60), x, result)


def tanh(b: Body, x: Float) -> Float:
    """(e - 1) / (e + 1) for e = exp(2|x|), both as sums of two doubles."""
    doubled = b.clamp_above(abs(x), 22.0) * 2.0
    bits, r, tail = _reduced(b, doubled, None)
    scale = power_of_two(bits)
    linear = scale * r
    above, above_error = b.fast_two_sum(scale - 1.0, linear)
    base, lost = b.fast_two_sum(scale, b.float(1.0))
    below, below_error = b.fast_two_sum(base, linear)
    below_error = below_error + lost
    above, above_low = b.fast_two_sum(above, b.fma(scale, tail, above_error))
    below, below_low = b.fast_two_sum(below, b.fma(scale, tail, below_error))
    return b.copysign(b.quotient(above, above_low, below, below_low), x)


def _hyperbolic(b: Body, magnitude: Float) -> tuple[Float, Float, Float, Float]:
    """(2^n/4, 2^-n/4, sinh r, cosh r - 1) for |x| = n log 2 + r."""
    x = b.clamp_above(magnitude, 710.5)
    n, bits = round_scaled(b, x, co.INV_LN2[0])
    r = b.fma(n, -co.LN2[1], b.fma(n, -co.LN2[0], x))
    z = r * r
    odd = b.fma(r * z, b.poly(z, co.SINH), r)
    even = z * b.fma(z, b.poly(z, co.COSH), 0.5)
    up = power_of_two(bits - 2)
    down = b.select(n.gt(64.0), 0.0, power_of_two(b.int(-2) - bits))
    return up, down, odd, even


def sinh(b: Body, x: Float) -> Float:
    """(2^n - 2^-n)/2 cosh r + (2^n + 2^-n)/2 sinh r, halved until the end against overflow."""
    magnitude = abs(x)
    up, down, odd, even = _hyperbolic(b, magnitude)
    head = up - down
    low = (up - head) - down
    rest = b.fma(up + down, odd, b.fma(head, even, low))
    result = 2.0 * (head + rest)
    return b.copysign(b.select(magnitude.lt(2.0**-30), magnitude, result), x)


def cosh(b: Body, x: Float) -> Float:
    """(2^n + 2^-n)/2 cosh r + (2^n - 2^-n)/2 sinh r, halved until the end against overflow."""
    up, down, odd, even = _hyperbolic(b, abs(x))
    head = up + down
    low = down - (head - up)
    rest = b.fma(up - down, odd, b.fma(head, even, low))
    return 2.0 * (head + rest)
