"""Restored values that are not what they were are found, before a derivative is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportOptionalMemberAccess=false


def slowed(w, v, rate, decay):
    """Gradient descent with momentum: undone, `v *= decay` multiplies roundings."""
    v *= decay
    v -= rate * np.tanh(w)
    w += v


checked = rg.reversible(slowed)
unchecked = rg.reversible(checked=False)(slowed)
lenient = rg.reversible(atol=1.0)(slowed)


def descend(step, rate, decay, n):
    w, v = np.array([1.0, -2.0]), np.zeros(2)
    for _ in range(n):
        step(w, v, rate, decay)
    return np.sum(w * w)


def with_checks(rate, decay, n):
    return descend(checked, rate, decay, n)


def without(rate, decay, n):
    return descend(unchecked, rate, decay, n)


def tolerant(rate, decay, n):
    return descend(lenient, rate, decay, n)


def plain(rate, decay, n):
    return descend(slowed, rate, decay, n)


def test_what_is_restored_well_enough_is_differentiated():
    gradient = rg.grad(with_checks, argnums=(0, 1))
    expected = rg.grad(plain, argnums=(0, 1))(0.001, 0.9, 50)
    np.testing.assert_allclose(gradient(0.001, 0.9, 50), expected, rtol=1e-9)
    kept = gradient.stats().tape_bytes
    gradient(0.001, 0.9, 100)
    assert gradient.stats().tape_bytes == kept


def second(rate, decay, n):
    return rg.grad(with_checks)(rate, decay, n)


@pytest.mark.parametrize(
    "derivative",
    [
        rg.grad(with_checks, argnums=(0, 1)),
        rg.grad(with_checks, memory="1MB"),
        lambda *args: rg.jvp(rg.grad(with_checks), args, (1.0, 0.0, 0))[1],
        rg.grad(second),
    ],
)
def test_roundings_that_have_grown_are_an_error(derivative):
    with pytest.raises(rg.InvertibilityError, match="roundings grow on the way back"):
        derivative(0.001, 0.9, 1000)


def test_values_do_not_go_back():
    assert rg.jit(with_checks)(0.001, 0.9, 1000) == pytest.approx(plain(0.001, 0.9, 1000), rel=1e-9)


def test_tests_can_be_left_out_and_tolerances_chosen():
    assert not np.isclose(rg.grad(without)(0.001, 0.9, 1000), rg.grad(plain)(0.001, 0.9, 1000))
    rg.grad(tolerant)(0.001, 0.9, 330)
    with pytest.raises(rg.InvertibilityError):
        rg.grad(with_checks)(0.001, 0.9, 330)


@rg.reversible
def halved(x, n):
    """A number."""
    for _ in range(n):
        x *= 0.5
        x += 1.0
    return x


@pytest.mark.parametrize("n", [20, 200])
def test_numbers(n):
    gradient = rg.grad(lambda x: halved(x, n))
    if n < 100:
        assert gradient(3.0) == 0.5**n
        return
    with pytest.raises(rg.InvertibilityError):
        gradient(3.0)


def ints(x, k, n):
    """Ints come back to the bit, whatever floats do."""
    for _ in range(n):
        x, k = both(x, k)
    return x


@rg.reversible
def both(x, k):
    k += 3
    x += 0.1 * k
    return x, k


def test_ints_are_compared_to_the_bit():
    assert rg.grad(ints)(1.0, 5, 30) == 1.0
