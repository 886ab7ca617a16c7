"""The fused multiply-add is rounded once, for all operands."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrograd.prims import fused

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(min_value=-4.0, max_value=4.0)


def fma(a: float, b: float, c: float) -> float:
    """Of numbers, which is the same bits as of arrays."""
    number, (element,) = fused.fma(a, b, c), fused.fma(np.array([a]), b, c)
    assert np.isnan(number) == np.isnan(element)
    assert np.isnan(number) or np.float64(number).tobytes() == element.tobytes()
    return number


def rounded(a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@given(finite, finite, finite)
def test_any_finite_operands(a: float, b: float, c: float) -> None:
    assert fma(a, b, c) == rounded(a, b, c)


@given(moderate, moderate, st.floats(min_value=-1.0, max_value=1.0))
def test_cancellation(a: float, b: float, rest: float) -> None:
    c = rest * 2.0**-52 - a * b
    assert fma(a, b, c) == rounded(a, b, c)


def test_close_to_half_way() -> None:
    # The product is half an ulp of c away from it, but for a bit far below.
    tiny = 2.0**-40
    for sign in (1.0, -1.0):
        a, b, c = 1.0 + tiny, sign * (2.0**-53) * (1.0 - tiny), 1.0
        assert fma(a, b, c) == rounded(a, b, c)


def test_infinities_and_arrays() -> None:
    assert fma(1e300, 1e300, -np.inf) == -np.inf
    assert np.isnan(fma(np.inf, 0.0, 1.0))
    assert np.isnan(fma(np.inf, 1.0, -np.inf))
    assert math.copysign(1.0, fma(-0.0, 1.0, -0.0)) == -1.0
    x = np.array([[1.0], [2.0]])
    np.testing.assert_array_equal(fused.fma(x, np.array([3.0, 4.0]), 0.5), [[3.5, 4.5], [6.5, 8.5]])
