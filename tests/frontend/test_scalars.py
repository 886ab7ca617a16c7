"""Python's arithmetic on numbers, and the functions of `math` and the built-ins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontend.harness import agree, interpreted


def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, +b, abs(a)


def divisions(a, b):
    return a / b


def floor_division(a, b):
    return a // b


def remainder(a, b):
    return a % b


def pair(a, b):
    return divmod(a, b)


def float_arithmetic(a, b):
    return a + b, a - b, a * b, a // b, a % b, -a, abs(a), a / b


def powers(x):
    return x**2, x**3, x**4, x**0.5, x**-1, 2.0**x, x**0


def int_powers(n):
    return n**2, n**0, n**5, 2**10, float(n) ** n


def comparisons(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b


def bits(a, b):
    return a & b, a | b, a ^ b, ~a, a << 3, a >> 1, a.bit_length()


def shifts(a, n):
    return a >> n, a << n


def bools(p, q):
    return p and q, p or q, not p, p + q, p & q, p ^ q, True * 3, p == q, p < q, -p


def truth(x, n):
    a = 1 if x else 0
    b = 1 if n else 0
    return a, b, not x, not n, bool(x), bool(n)


def conversions(x, n):
    return int(x), float(n), int(n), bool(x), round(x), int(True), float(True)


def rounding(x):
    return math.floor(x), math.ceil(x), math.trunc(x), round(x), int(x)


def extremes(a, b):
    return max(a, b), min(a, b), max(a, b, 2), min((a, b, 0.5)), sum((a, b, 1))


def nan_order(a, b):
    return max(a, b), max(b, a), min(a, b)


def math_functions(x):
    return (
        math.sin(x) + math.cos(x) * math.tan(x), math.exp(x), math.log(x), math.log(x, 3.0),
        math.log2(x), math.log10(x), math.log1p(x), math.expm1(x), math.sqrt(x), math.sinh(x),
        math.cosh(x), math.tanh(x), math.atan(x), math.asin(x / 9), math.acos(x / 9), math.erf(x),
        math.pow(x, 1.5), math.fabs(-x), math.hypot(x, 2, 1), math.atan2(x, 2),
        math.copysign(x, -1),
        math.degrees(x), math.radians(x), math.pi, math.e, math.inf,
    )  # fmt: skip


def math_tests(x):
    return math.isnan(x), math.isinf(x), math.isfinite(x)


def numpy_scalars(x):
    return np.sin(x), np.maximum(x, 2), np.float64(3), np.sqrt(2), np.abs(-3), np.square(x), np.pi


def mixed(x, n):
    return x + n, n * x, n / 2, n // 2 + 0.5, x // n, n - True


def augmented(x, n):
    n += 2
    n *= 3
    n -= 1
    n //= 2
    n %= 5
    x += n
    x /= 4
    x **= 2
    return x, n


def literals():
    return 1, 2.5, True, -3, -2.5, 10**3, 7 // 2, 7 % -3, 1 < 2, 3 & 6


def isinstance_is_static(x):
    if isinstance(x, int):
        return x // 2
    return x / 2


def divisible(n):
    count = 0
    for k in range(1, n + 1):
        if n % k == 0:
            count += 1
    return count


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def membership(n):
    return n in (1, 2, 3), n not in (1, 2), (n, 1) == (1, 1), (n, 1) != (1, 1)


CASES = [
    *((arithmetic, a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))),
    (divisions, 1, 0), (floor_division, 1, 0), (remainder, 1, 0), (pair, 7, -2), (pair, 7.5, 2),
    *((float_arithmetic, a, b) for a, b in ((7.5, 2.0), (-7.5, 2.0), (7.5, -2), (7, -2.5))),
    (powers, 1.7), (powers, 2.0), (int_powers, 3),
    *((comparisons, a, b) for a, b in ((1, 2), (2.0, 2), (1.5, -1), (True, 1))),
    (bits, 12, 10), (bits, -12, 7), (shifts, 5, 3), (shifts, 5, -1),
    *((bools, p, q) for p in (True, False) for q in (True, False)),
    (truth, 0.0, 3), (truth, 0.5, 0), (conversions, 2.7, 3), (conversions, -2.5, -3),
    *((rounding, x) for x in (2.5, 3.5, -2.5, 0.0)), (extremes, 1, 3), (extremes, 1.5, 3.0),
    (nan_order, math.nan, 1.0), (math_functions, 1.3),
    *((math_tests, x) for x in (1.0, math.inf, math.nan)),
    (numpy_scalars, 1.5), (mixed, 1.5, 3), (augmented, 1.5, 9), (literals,),
    (isinstance_is_static, 3), (isinstance_is_static, 3.0), (divisible, 12), (collatz, 7),
    *((membership, n) for n in (1, 3, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in CASES])
def test_same_as_python(f, args):
    agree(f, *args)


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_int_arithmetic(a, b):
    for f in (floor_division, remainder, divisions, comparisons):
        agree(f, a, b)


@given(st.floats(-1e3, 1e3), st.floats(0.01, 1e3))
def test_float_arithmetic(a, b):
    agree(float_arithmetic, a, b)
    agree(float_arithmetic, a, -b)


def test_floats_follow_numpy_at_zero():
    assert interpreted(divisions, 1.0, 0.0) == math.inf
    assert interpreted(divisions, 1, 0.0) == math.inf
    assert math.isnan(interpreted(lambda x: math.sqrt(x), -1.0))
    assert math.isnan(interpreted(lambda x: x**0.5, -1.0))


def test_int_and_float_join_to_float():
    def f(n):
        s = 0
        for i in range(n):
            s += i * 0.5
        return s

    found = interpreted(f, 0)
    assert isinstance(found, float)
    assert found == 0.0
