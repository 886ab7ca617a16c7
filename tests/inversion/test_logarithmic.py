"""Logarithmic numbers: products that are undone, sums of logarithms, derivatives by logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def times_sum(x, y, z):
    x *= y + z


def log_of_product(a, b, c):
    """The logarithm of x (y + z), by the logarithms of all three."""
    x = rg.Logarithmic(a.copy())
    times_sum(x, rg.Logarithmic(b), rg.Logarithmic(c))
    return np.sum(x.logs)


LOGS = np.array([7.0]), np.array([5.0]), np.array([3.0])


def test_a_product_with_a_sum() -> None:
    assert near(log_of_product(*LOGS), 12.126928011042972, 1e-14)
    assert near(rg.jit(log_of_product)(*LOGS), 12.126928011042972, 1e-14)
    found = rg.grad(log_of_product, argnums=(0, 1, 2))(*LOGS)
    assert near(found, ([1.0], [0.8807970779778824], [0.1192029220221176]), 1e-12)


@rg.reversible
def mixed(x, y, n):
    for k in range(n):
        x[k] *= y[k] ** 2
        x[0] /= 2.0 + y[k]


def end(a, b):
    """Products of elements, again and again."""
    x, y = rg.logarithmic(a), rg.logarithmic(b)
    for _ in range(3):
        mixed(x, y, len(b))
    return np.sum(x.floats)


def end_of_floats(a, b):
    """The same with floats."""
    x = a.copy()
    for _ in range(3):
        for k in range(len(b)):
            x[k] *= b[k] ** 2
            x[0] /= 2.0 + b[k]
    return np.sum(x)


A, B = np.array([1.5, 2.0]), np.array([0.7, 1.2])


def test_values_and_gradients_are_those_of_floats() -> None:
    assert near(rg.jit(end)(A, B), end_of_floats(A, B), 1e-13)
    found, expected = (rg.grad(f, argnums=(0, 1))(A, B) for f in (end, end_of_floats))
    assert near(found, expected, 1e-12)


def test_they_are_undone() -> None:
    x, y = rg.logarithmic(A), rg.logarithmic(B)
    mixed(x, y, 2)
    rg.inverse(mixed)(x, y, 2)
    assert near(x.floats, A, 1e-14)


def test_sums_are_refused() -> None:
    @rg.reversible
    def add(x, y):
        x += y

    for run in (add, rg.inverse(add)):
        with pytest.raises(TypeError, match=r"changed by \*= and /= only"):
            run(rg.logarithmic(A), 1.0)


@pytest.mark.parametrize("wrong", [0.0, -1.0])
def test_numbers_that_have_no_logarithm(wrong: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        rg.logarithmic(np.array([1.0, wrong]))


def test_factors_that_have_no_logarithm() -> None:
    def doubled(x: Any, factor: float) -> Any:
        y = rg.logarithmic(x)
        scaled(y, factor)
        return y.floats

    @rg.reversible
    def scaled(x, factor):
        x *= factor

    for run in (doubled, rg.jit(doubled)):
        assert near(run(A, 2.0), 2.0 * A, 1e-14)
        with pytest.raises(rg.InvertibilityError, match="factor"):
            run(A, -2.0)


def test_arithmetic() -> None:
    x, y = rg.logarithmic(A), rg.logarithmic(B)
    found = (x * y).floats, (x / y).floats, (x + y).floats, (x - y).floats, (x**0.5).floats
    assert near(found, (A * B, A / B, A + B, A - B, A**0.5), 1e-13)
    floats = x + 1.0, 1.0 + x, x * 2.0, 2.0 / x, 3.0 - x, x - 0.5, np.sin(x)
    assert near(floats, (A + 1, 1 + A, A * 2, 2 / A, 3 - A, A - 0.5, np.sin(A)), 1e-13)
    assert len(x) == 2
    assert repr(rg.logarithmic(np.array([1.0]))) == "logarithmic([1.])"
