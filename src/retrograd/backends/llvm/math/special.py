"""The error function, and the inverse of the normal distribution function."""

from __future__ import annotations

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Float
from retrograd.backends.llvm.math.exponential import expm1_of_sum
from retrograd.backends.llvm.math.logarithm import log
from retrograd.draws import CENTRE, FAR, MIDDLE

__all__ = ["erf", "quantile"]


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


def quantile(b: Body, q: Float) -> Float:
    """Where the normal distribution function is 1/2 + q (`retrograd.draws.quantile`): a quotient of
    polynomials for the centre, and two in r = sqrt(-log(1/2 - |q|)) for the tails."""
    magnitude = abs(q)
    inside = magnitude.le(0.425)
    r = b.intrinsic("sqrt", -log(b, 0.5 - magnitude))
    far = r.gt(5.0)
    terms = (0.180625 - q * q, r - 5.0, r - 1.6)
    top, bottom = (
        b.select(inside, centre, b.select(far, outer, middle))
        for centre, outer, middle in (
            [b.poly(x, of[k]) for x, of in zip(terms, (CENTRE, FAR, MIDDLE), strict=True)]
            for k in (0, 1)
        )
    )
    ratio = top / bottom
    tail = b.select(r.eq(float("inf")), r, ratio)
    return b.select(inside, q * ratio, b.copysign(tail, q))
