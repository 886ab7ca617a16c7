"""log, log1p, log2 and log10.

All write x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2) and use the series of
2 atanh(f / (2 + f)). The exact f and the exact e * (first part of log 2) are added with their
error; everything else is small against the result.
"""

from __future__ import annotations

from typing import Final

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Float, Int

__all__ = ["log", "log1p", "log2", "log10", "split_any"]

SQRT_HALF_BITS: Final = 0x3FE6A09E667F3BCD
ONE_BITS: Final = 0x3FF0000000000000
MANTISSA: Final = 0x000FFFFFFFFFFFFF
TWO_52: Final = 2.0**52
SMALLEST_NORMAL: Final = 2.0**-1022
INFINITY: Final = float("inf")


def split(b: Body, x: Float) -> tuple[Float, Float, Int]:
    """(e, m, shifted bits) of a normal x = 2^e m with sqrt(1/2) <= m < sqrt(2)."""
    shifted = x.bits() + (ONE_BITS - SQRT_HALF_BITS)
    exponent = ((shifted >> 52) | b.float(TWO_52).bits()).as_float() - (TWO_52 + 1023.0)
    mantissa = ((shifted & MANTISSA) + SQRT_HALF_BITS).as_float()
    return exponent, mantissa, shifted


def split_any(b: Body, x: Float) -> tuple[Float, Float]:
    """(e, m) of a positive x = 2^e m, which may be subnormal."""
    tiny = x.lt(SMALLEST_NORMAL)
    exponent, mantissa, _ = split(b, b.select(tiny, x * 2.0**54, x))
    return b.select(tiny, exponent - 54.0, exponent), mantissa


def _tail(b: Body, f: Float) -> Float:
    """log(1 + f) - f, from log(1 + f) = 2 atanh s = 2s + s R(s^2) and 2s = f - f^2/2 + s f^2/2."""
    s = f / (2.0 + f)
    z = s * s
    half = (0.5 * f) * f
    return b.fma(s, b.fma(z, b.poly(z, co.LOG), half), -half)


def _with_specials(b: Body, x: Float, shifted: Float, result: Float) -> Float:
    """`result` where 0 < shifted < inf; -inf at 0, NaN below, and x itself at inf and NaN."""
    upper = b.select(shifted.lt(INFINITY), result, x)
    lower = b.select(shifted.eq(0.0), -INFINITY, float("nan"))
    return b.select(shifted.le(0.0), lower, upper)


def log(b: Body, x: Float) -> Float:
    """The natural logarithm."""
    e, m = split_any(b, x)
    f = m - 1.0
    high, error = b.fast_two_sum(e * co.LN2[0], f)
    result = high + (error + b.fma(e, co.LN2[1], _tail(b, f)))
    return _with_specials(b, x, x, result)


def log1p(b: Body, x: Float) -> Float:
    """log(1 + x): what rounding takes from 1 + x goes into f, with its error apart."""
    u = 1.0 + x
    shadow = u - x
    rounding = (1.0 - shadow) + (x - (u - shadow))
    e, m, shifted = split(b, u)
    scale = (b.int(0x7FE << 52) - (shifted & (0x7FF << 52))).as_float()
    lost = b.select(u.gt(2.0**60), 0.0, rounding * scale)
    f, f_low = b.fast_two_sum(m - 1.0, lost)
    # f_low counts only for e != 0, where two terms of 1/(1+f) are enough
    correction = f_low * b.fma(f, f - 1.0, 1.0)
    high, error = b.fast_two_sum(e * co.LN2[0], f)
    small = error + (correction + b.fma(e, co.LN2[1], _tail(b, f)))
    result = _with_specials(b, x, u, high + small)
    return b.select(abs(x).not_ge(2.0**-60), x, result)


def _to_base(b: Body, x: Float, unit: tuple[float, ...], inverse: tuple[float, float]) -> Float:
    """log(x) / log(base), from log(2)/log(base) and 1/log(base) as sums of parts."""
    e, m = split_any(b, x)
    f = m - 1.0
    product, product_low = b.two_prod(f, inverse[0])
    high, error = b.fast_two_sum(e * unit[0], product)
    tail = b.fma(f, inverse[1], product_low) + _tail(b, f) * inverse[0]
    for part in unit[1:]:
        tail = b.fma(e, part, tail)
    return _with_specials(b, x, x, high + (error + tail))


def log2(b: Body, x: Float) -> Float:
    """The logarithm to base 2, exact at powers of two."""
    return _to_base(b, x, (1.0,), co.INV_LN2)


def log10(b: Body, x: Float) -> Float:
    """The logarithm to base 10, exact at powers of ten."""
    return _to_base(b, x, co.LOG10_2, co.INV_LN10)
