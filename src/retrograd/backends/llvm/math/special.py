"""The error function."""

from __future__ import annotations

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Float
from retrograd.backends.llvm.math.exponential import expm1_of_sum

__all__ = ["erf"]


def erf(b: Body, x: Float) -> Float:
    """1 - exp(log(erfc |x|)): the logarithm is smooth, so one polynomial serves 0 to 6."""
    magnitude = abs(x)
    bounded = b.clamp_above(magnitude, 6.0)
    q = b.poly(b.fma(bounded, 1.0 / 3.0, -1.0), co.ERF)
    slope, slope_low = co.TWO_OVER_SQRT_PI
    linear, error = b.two_prod(bounded, -slope)
    curved = b.fma(bounded, -slope_low, error) - (bounded * bounded) * q
    high, low = b.fast_two_sum(linear, curved)
    result = -expm1_of_sum(b, high, low)
    tiny = magnitude.lt(2.0**-60)
    return b.copysign(b.select(tiny, magnitude * slope, result), x)
