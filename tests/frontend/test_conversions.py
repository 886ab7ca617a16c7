"""`round` with digits, what classes say of conversions, truths of parts, sums of arrays."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)


def _floats(digits: int, count: int) -> list[float]:
    draw = random.Random(digits)
    unit = 10.0**-digits
    return [
        *(draw.uniform(-10.0, 10.0) for _ in range(count)),
        *(draw.randint(-99999, 99999) * 0.5 * unit for _ in range(count)),
        *(math.ldexp(draw.getrandbits(53), draw.randint(-80, 0)) for _ in range(count)),
        *(struct.unpack("d", struct.pack("Q", draw.getrandbits(62)))[0] for _ in range(count)),
        2.675, -0.125, 0.0, -0.0, math.inf, math.nan, 1e22,
    ]  # fmt: skip


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 8, 15, 22, -1, -2, -5])
def test_round_gives_the_bits_of_python(digits: int) -> None:
    def to_digits(x: Any) -> Any:
        return round(x, digits)

    compiled = rg.jit(to_digits)
    for x in _floats(digits, 60):
        assert struct.pack("d", compiled(x)) == struct.pack("d", to_digits(x)), x


@pytest.mark.parametrize("digits", [2, 0, -1, -2])
def test_round_of_ints_is_an_int(digits: int) -> None:
    compiled = rg.jit(lambda k: round(k, digits))
    for k in (-150, -26, -25, -15, -1, 0, 4, 5, 15, 25, 26, 50, 149, 150, 250):
        assert compiled(k) == round(k, digits)
        assert isinstance(compiled(k), int)


def test_round_of_numbers_of_numpy_scales_and_a_derivative_is_zero() -> None:
    assert rg.jit(lambda x: round(x[0], 2))(np.array([2.675])) == round(np.float64(2.675), 2)
    assert rg.grad(lambda x: round(x, 2) * x)(1.2345) == 1.23
    assert rg.jit(lambda x: round(x, 23))(1.0) == 1.0
    with pytest.raises(UserError, match="RG0107"):
        rg.jit(lambda x: round(x, 23))(1e-9)
    with pytest.raises(UserError, match="number of digits of round must be an int"):
        rg.jit(lambda x, n: round(x, n))(1.0, 2.0)


def test_round_takes_its_digits_from_the_run() -> None:
    compiled = rg.jit(lambda x, n: round(x, n))
    for digits in (-400, -30, -20, -19, -3, -1, 0, 1, 17, 22, 400):
        for x in (*(_floats(digits, 5) if abs(digits) < 21 else ()), 7.25, -1250.0, math.inf):
            assert struct.pack("d", compiled(x, digits)) == struct.pack("d", round(x, digits))
        for k in (0, 15, -25, 1250, -1350, 2**62 if digits > -19 else 2**61):
            assert compiled(k, digits) == round(k, digits)
    with pytest.raises(OverflowError):
        compiled(2**63 - 1, -19)


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
def test_round_of_arrays_to_decimals_and_to_tens_gives_the_bits_of_numpy(kind: Any) -> None:
    def rounded(x: Any, n: int) -> Any:
        return np.round(x, n), x.round(decimals=n), np.around(x, n), np.round(x, -2)

    draw = np.random.default_rng(3)
    scale = 10.0 ** draw.integers(-3, 9, 40)
    ties = [1250, 1350, -1250, -25, 15, 5, 50]
    x = np.concatenate((draw.normal(size=40) * scale, ties)).astype(kind)
    compiled = rg.jit(rounded)
    for n in range(-12, 4):
        for ours, theirs in zip(compiled(x, n), rounded(x, n), strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)


class Angle:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __abs__(self) -> Any:
        return Angle(abs(self.value))

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __round__(self, digits: int = 0) -> Any:
        return round(self.value, digits)

    def __floor__(self) -> Any:
        return math.floor(self.value)

    def __iter__(self) -> Any:
        yield self.value
        yield 2.0 * self.value


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: abs(Angle(x)).value * x,
        lambda x: float(Angle(x)) * x,
        lambda x: int(Angle(x)) * x,
        lambda x: round(Angle(x), 1) + x,
        lambda x: math.floor(Angle(x)) + x,
        lambda x: math.sin(Angle(x)) * x,
        lambda x: math.hypot(Angle(x), 2.0),
        lambda x: np.float64(Angle(x)) * x,
    ],
)
@pytest.mark.parametrize("x", [1.37, -0.7])
def test_objects_say_how_they_are_converted(fun: Callable[[Any], Any], x: float) -> None:
    value, slope = rg.value_and_grad(fun)(x)
    assert value == pytest.approx(fun(x), rel=1e-15)
    assert slope == pytest.approx((fun(x + 1e-6) - fun(x - 1e-6)) / 2e-6, rel=1e-6, abs=1e-8)


def test_parts_of_a_condition_have_no_common_kind() -> None:
    def drained(x: Any) -> Any:
        items = [x, 2.0 * x, 3.0 * x]
        total, left = 0.0, 2
        while items and left and items[-1] > 0.1:
            total += items.pop()
            left -= 1
        return total if not (items and total < 0.0) else x

    for x in (0.7, -0.7):
        assert rg.jit(drained)(x) == drained(x)
    assert rg.grad(drained)(0.7) == 5.0


def test_sums_of_arrays_begin_with_the_first_one() -> None:
    def added(x: Any) -> Any:
        return np.sum(sum(x[k] * x for k in range(int(x[0]))) ** 2)

    x = np.linspace(3.5, 4.0, 70)
    assert rg.jit(added)(x) == pytest.approx(added(x), rel=1e-14)
    tangent = np.cos(np.arange(70.0))
    slope = (added(x + 1e-6 * tangent) - added(x - 1e-6 * tangent)) / 2e-6
    assert float(rg.grad(added)(x) @ tangent) == pytest.approx(slope, rel=1e-6)
    with pytest.raises(ValueError, match="a sum of no arrays"):
        rg.grad(added)(np.zeros(70))


def test_a_sum_with_a_start_adds_to_it_in_order() -> None:
    x = np.random.default_rng(0).normal(size=50)
    for fun in (
        lambda x: sum((v * v for v in x), 0.3),
        lambda x: sum([v * v for v in x], x[0]),
        lambda x: sum(x, start=0.1),
    ):
        assert rg.jit(fun)(x) == fun(x)
