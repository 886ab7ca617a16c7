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


@rg.reversible
def lost(x, y, z):
    """Where z is not finite, x is not known afterwards."""
    y += x * x
    x += z
    return x, y


@pytest.mark.parametrize("z", [np.inf, np.nan, 1e200])
def test_what_is_not_finite_is_lost(z):
    gradient = rg.grad(lambda x, z: lost(x, 0.0, z)[1])
    assert gradient(0.5, 1.0) == 1.0
    with pytest.raises(rg.InvertibilityError, match="what is not finite is lost"):
        gradient(0.5, z)


def test_arrays_that_become_infinite():
    def loss(x):
        x, y = x.copy(), np.zeros(3)
        lost(x, y, np.array([1.0, np.inf, 1.0]))
        return np.sum(y)

    with pytest.raises(rg.InvertibilityError, match="by nan"):
        rg.grad(loss)(np.ones(3))


@rg.reversible
def beside(x, y, w):
    x += 1.0
    y += w * w
    y += w * np.exp(-x * x)
    return x, y


@pytest.mark.parametrize("x", [np.inf, -np.inf])
def test_what_was_not_finite_before_is_as_it_was(x):
    assert rg.grad(lambda w: beside(x, 0.0, w)[1])(3.0) == 6.0
    assert rg.grad(lambda x, w: beside(x, 0.0, w)[1], argnums=1)(x, 3.0) == 6.0


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
