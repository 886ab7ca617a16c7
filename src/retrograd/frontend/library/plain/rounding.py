"""Python's `round` with digits: the decimal number nearest to a float, and the float nearest to it.

A float times a power of ten of at most 22 digits is the sum of two floats (Dekker 1971, "A
floating-point technique for extending the available precision"), so ties are seen exactly. Bounds
that change nothing keep products from being contracted with the sums after them.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant, refuse

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
    if np.isnan(x) or np.isinf(x):
        return x
    if abs(x) >= 9007199254740992.0:
        raise OverflowError("round to tens of a float of 2**53 or more")
    rest = np.fmod(x, scale)
    lower = x - rest
    if abs(rest) > 0.5 * scale or (abs(rest) == 0.5 * scale and (lower / scale) % 2.0 != 0.0):
        return lower + np.copysign(scale, x)
    return np.copysign(lower, x)


def round_float(x: Any, digits: Any) -> Any:
    x = constant(x)
    if abs(digits) > 22:
        refuse("round with more than 22 digits", "give it fewer digits")
    scale = 10.0 ** abs(digits)
    return _to_decimals(x, scale) if digits >= 0 else _to_tens(x, scale)


def round_int(x: Any, digits: Any) -> Any:
    if digits >= 0:
        return x
    if digits < -18:
        refuse("round of an int to more than 18 digits", "give it fewer digits")
    scale = 10 ** (-digits)
    lower = x - x % scale
    rest = x - lower
    if 2 * rest > scale or (2 * rest == scale and (lower // scale) % 2 == 1):
        return lower + scale
    return lower
