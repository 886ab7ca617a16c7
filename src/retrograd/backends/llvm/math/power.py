"""pow and hypot.

pow is exp(y log|x|). An absolute error of the exponent is a relative error of the power, and it
goes up to 745; so the logarithm and its product with y are sums of two doubles.
"""

from __future__ import annotations

from typing import Final

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Float
from retrograd.backends.llvm.math.exponential import exp_of_sum
from retrograd.backends.llvm.math.logarithm import split_any

__all__ = ["hypot", "pow_"]

INFINITY: Final = float("inf")
NAN: Final = float("nan")
SIGN: Final = 1 << 63
# Beyond it every power but that of 1 over- or underflows, and all doubles are even.
LARGEST_EXPONENT: Final = 2.0**80


def _log(b: Body, x: Float) -> tuple[Float, Float]:
    """log x as a sum of two doubles, by s = f/(2+f) and log(1+f) = 2s + 2/3 s^3 + s^5 Q(s^2)."""
    e, m = split_any(b, x)
    f = m - 1.0
    below = m + 1.0
    below_low = f - (below - 2.0)
    reciprocal = 1.0 / below
    s = f * reciprocal
    s_low = b.fma(-s, below_low, b.fma(-s, below, f)) * reciprocal

    z, z_low = b.two_prod(s, s)
    z_low = b.fma(s + s, s_low, z_low)
    cube, cube_low = b.two_prod(s, z)
    cube_low = b.fma(s, z_low, b.fma(s_low, z, cube_low))
    third, third_low = b.two_prod(cube, co.TWO_THIRDS[0])
    third_low = b.fma(cube, co.TWO_THIRDS[1], b.fma(cube_low, co.TWO_THIRDS[0], third_low))
    fifth = (cube * z) * b.poly(z, co.POW_LOG)

    first, first_error = b.fast_two_sum(e * co.LN2[0], 2.0 * s)
    high, high_error = b.fast_two_sum(first, third)
    errors = (first_error + high_error) + b.fma(s_low, 2.0, third_low)
    return b.fast_two_sum(high, b.fma(e, co.LN2[1], fifth) + errors)


def _clamp(b: Body, x: Float, low: float, high: float) -> Float:
    above = b.clamp_above(x, high)
    return b.select(above.lt(low), low, above)


def pow_(b: Body, x: Float, y: Float) -> Float:
    """C's pow, with all its special cases."""
    base = abs(x)
    exponent = _clamp(b, y, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    log, log_low = _log(b, base)
    product, error = b.two_prod(log, exponent)
    bounded = _clamp(b, product, -746.0, 710.0)
    low = b.select(bounded.eq(product), b.fma(log_low, exponent, error), 0.0)
    magnitude = exp_of_sum(b, bounded, low)

    # nested selects: scalar code has no cheap `and` of conditions
    half = y * 0.5
    whole, odd = b.intrinsic("rint", y).eq(y), b.intrinsic("rint", half).ne(half)
    result = b.select(x.lt(0.0), b.select(whole, magnitude, NAN), magnitude)
    # 0 and inf have powers of every exponent: themselves or each other
    other_end = (b.float(INFINITY).bits() - base.bits()).as_float()
    end = b.select(y.gt(0.0), base, other_end)
    result = b.select(base.eq(INFINITY), end, b.select(base.eq(0.0), end, result))
    flipped = b.select(whole, b.select(odd, x, 0.0), 0.0)
    result = (result.bits() ^ (flipped.bits() & SIGN)).as_float()
    result = b.select(x.unordered(y), NAN, result)
    return b.select(y.eq(0.0), 1.0, b.select(x.eq(1.0), 1.0, result))


def hypot(b: Body, x: Float, y: Float) -> Float:
    """sqrt(x^2 + y^2), scaled where squares would over- or underflow."""
    width, height = abs(x), abs(y)
    wide = width.gt(height)
    large, small = b.select(wide, width, height), b.select(wide, height, width)
    too_large, too_small = large.gt(2.0**500), large.lt(2.0**-500)
    scale = b.select(too_large, 2.0**-600, b.select(too_small, 2.0**600, 1.0))
    back = b.select(too_large, 2.0**600, b.select(too_small, 2.0**-600, 1.0))
    a, c = large * scale, small * scale
    root = b.intrinsic("sqrt", b.fma(a, a, c * c)) * back
    infinite = width.eq(INFINITY) | height.eq(INFINITY)
    return b.select(infinite, INFINITY, root)
