"""Python's `round` with digits: the decimal number nearest to a float, and the float nearest to it.

A float times a power of ten of at most 22 digits is the sum of two floats (Dekker 1971, "A
floating-point technique for extending the available precision"), so ties are seen exactly. Bounds
that change nothing keep products from being contracted with the sums after them.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant, refuse_if

__all__ = ["round_float", "round_int"]

np: Any = numpy


def _upper_half(x: Any) -> Any:
    """The leading 26 bits of a float."""
    grown = np.minimum(np.maximum(134217729.0 * x, -1.0e300), 1.0e300)
    return grown - (grown - x)


def _to_decimals(x: Any, scale: Any) -> Any:
    whole = 9007199254740992.0
    if np.isnan(x) or abs(x) >= whole / scale:  # no float between has so many decimals
        return x
    product = np.minimum(np.maximum(x * scale, -whole), whole)
    x_upper, scale_upper = _upper_half(x), _upper_half(scale)
    x_lower, scale_lower = x - x_upper, scale - scale_upper
    error = x_upper * scale_upper - product
    error = error + x_upper * scale_lower + x_lower * scale_upper + x_lower * scale_lower
    nearest = np.rint(product)
    apart = product - nearest
    if apart == 0.5 and error > 0.0:
        nearest = nearest + 1.0
    if apart == -0.5 and error < 0.0:
        nearest = nearest - 1.0
    return nearest / scale


def _to_tens(x: Any, scale: Any) -> Any:
    """Remainders are exact, and so is what is missing to the next multiple: one sum is rounded."""
    if np.isnan(x) or np.isinf(x):
        return x
    rest = np.fmod(x, scale)
    odd = abs(np.fmod(x, 2.0 * scale)) >= scale
    if abs(rest) > 0.5 * scale or (abs(rest) == 0.5 * scale and odd):
        return x + np.copysign(scale - abs(rest), x)
    return np.copysign(x - rest, x)


def round_float(x: Any, digits: Any) -> Any:
    x = constant(x)
    # More digits than 22 change no float but small ones; tens of more make zeros but of large ones.
    small, large = abs(x) < 9007199254740992.0 / 1e22, abs(x) > 5e21
    outside = (digits > 22 and small and x != 0.0) or (digits < -22 and large and not np.isinf(x))
    refuse_if(outside, "round with more than 22 digits", "give it fewer digits")
    scale = 10.0 ** min(abs(digits), 22)
    return _to_decimals(x, scale) if digits >= 0 else _to_tens(x, scale)


def round_int(x: Any, digits: Any) -> Any:
    if digits >= 0:
        return x
    if digits < -18:
        half = 5 * 10**18
        if digits == -19 and (x > half or x < -half):
            raise OverflowError("round of an int to more than an int of 64 bits can be")
        return 0
    scale = 10 ** (-digits)
    lower = x - x % scale
    rest = x - lower
    if 2 * rest > scale or (2 * rest == scale and (lower // scale) % 2 == 1):
        return lower + scale
    return lower
