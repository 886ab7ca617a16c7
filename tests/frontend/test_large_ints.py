"""Known ints of more than 64 bits: Python's arithmetic, and floats where they meet one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg


def written(x):
    return x * 10000000000000000000000000


def power(x):
    return 2.9979 * 3.085678 * 10**25 * x


def back_to_small(x):
    n = 2**70
    return x * (n % 1000) + n // 2**60 - (-n >> 68)


def converted(x):
    large = 10**25
    return large / x + math.sqrt(large) + float(large) + int(large) / 10**24


def compared(x, n):
    found, large = 0.0, 10**25
    for k in range(n):
        if k < 2**64 and x * 10**20 < 2**80 and k != large and not large <= k and 2**64 < large:
            found += x
    return found


def of_array(x):
    return np.sum(x * 10**20) / 10**20 + np.mean(x / 2**65)


def counted(x):
    return x / math.factorial(25) + x * math.comb(80, 40) / math.perm(40, 20)


def of_a_truth(x):
    return x / math.factorial(x > 0.0)


def sine(x, n):
    total = 0.0
    for k in range(n):
        total += (-1) ** k * x ** (2 * k + 1) / math.factorial(2 * k + 1)
    return total


@pytest.mark.parametrize(
    ("f", "rest"),
    [
        (written, ()), (power, ()), (back_to_small, ()), (converted, ()), (compared, (3,)),
        (counted, ()), (of_a_truth, ()), (sine, (30,)),
    ],
)  # fmt: skip
def test_what_python_makes_of_them(f, rest) -> None:
    value, slope = rg.value_and_grad(f)(0.5, *rest)
    np.testing.assert_allclose(value, f(0.5, *rest), rtol=4e-16)
    want = (f(0.5 + 1e-6, *rest) - f(0.5 - 1e-6, *rest)) / 2e-6
    np.testing.assert_allclose(slope, want, rtol=1e-6)


def test_with_arrays() -> None:
    x = np.array([1.0, 2.0])
    value, x_bar = rg.value_and_grad(of_array)(x)
    np.testing.assert_allclose(value, 3.0)
    np.testing.assert_allclose(x_bar, [1.0, 1.0])


@pytest.mark.parametrize(
    ("f", "error", "said"),
    [
        (lambda x, n: x * (n * 10**25), rg.UserError, "RG0103.*known at run time only"),
        (lambda x, n: x * np.sum(np.arange(n) * 10**25), rg.UserError, "RG0103.*run time only"),
        (lambda x, n: x / math.factorial(x), rg.UserError, "int"),
        (lambda x, n: x * 10**400, OverflowError, "too large to convert to float"),
        (lambda x, n: x * math.factorial(n), OverflowError, "64 bits"),
        (lambda x, n: x / math.factorial(n - 50), ValueError, "negative"),
        (lambda x, n: x / math.factorial(n + 150), OverflowError, "too large"),
        (lambda x, n: x / math.factorial(-3), ValueError, "negative"),
    ],
)
def test_what_is_refused(f, error, said) -> None:
    with pytest.raises(error, match=said):
        rg.grad(f)(0.5, 30)
