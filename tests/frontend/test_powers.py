"""Ints to the power of ints: an int, a float, or an exception at the line, as the exponent is."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

K = np.array([0, 1, 2, 5, 63, -3])


def literal_exponents(n):
    return 10**-3, 2**-1, (-4) ** -3, n**-2, n**-1, n**0, n**4, n**7, 3**13, (-2) ** 63


def bases(n, k):
    return 2**k, (-1) ** k, 3**k, n**k, 0**k, 1**k, pow(n, k), (-2) ** k, 2 ** (k - 1), True**k


def test_ints_to_literal_powers():
    for n in (1, -3, 4):
        agree(literal_exponents, n)
        assert rg.jit(literal_exponents)(n) == literal_exponents(n)
    agree(literal_exponents, 0)  # raises ZeroDivisionError


def test_ints_to_powers_of_run_time():
    compiled = rg.jit(bases)
    for n, k in ((5, 3), (-3, 7), (2, 1), (-2, 12), (0, 1), (7, 13)):
        agree(bases, n, k)
        assert compiled(n, k) == bases(n, k)


def test_signs_of_either_exponent():
    agree(lambda k: ((-1) ** k, (-1) ** (k - 3)), 6)
    assert rg.jit(lambda k: (-1) ** k)(-3) == -1


def test_large_exponents_of_small_bases():
    f = rg.jit(lambda a, n: a**n)
    assert [f(a, 10**18 + 1) for a in (-1, 0, 1)] == [-1, 0, 1]
    assert f(-2, 63) == -(2**63)
    assert f(3037000499, 2) == 3037000499**2
    for a, n in ((2, 63), (3, 40), (-3, 41), (10, 10**9), (3037000500, 2), (2, 64)):
        with pytest.raises(OverflowError):
            f(a, n)
    with pytest.raises(OverflowError):
        rg.jit(lambda n: 2**n)(63)


def test_an_exponent_below_zero_is_an_error_with_a_way_out():
    for f in (lambda n: 2**n, lambda n: n**n, lambda n: 7 ** (n - 1)):
        with pytest.raises(ValueError, match=r"write \w+(\.0|\(a\)) \*\* n") as caught:
            rg.jit(f)(-2)
        assert "test_powers.py" in caught.value.__notes__[0]


def test_arrays_of_ints_to_powers():
    def f(k):
        return k**0, k**1, k**5, k**7, 2 ** np.abs(k), (-1) ** np.abs(k), (k * k) ** 33

    agree(f, K)
    found, expected = rg.jit(f)(K), f(K)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    agree(lambda k: 2**k, K)  # raises ValueError
    with pytest.raises(rg.UserError, match="RG0110"):
        rg.jit(lambda k: k**k)(K)


def test_derivatives_through_powers_of_ints():
    def f(x, n):
        total = 0.0
        for k in range(n):
            total += (-1) ** k * x ** (2 * k + 1) / 2**k + 10**-3 * x
        return total

    agree(f, 0.5, 6)
    slope = rg.grad(f)(0.5, 6)
    assert slope == pytest.approx((f(0.5 + 1e-6, 6) - f(0.5 - 1e-6, 6)) / 2e-6)
    assert slope == rg.grad(f, memory="4kB")(0.5, 6)
