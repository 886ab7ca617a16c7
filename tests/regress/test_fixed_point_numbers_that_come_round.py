"""Arrays of fixed-point numbers came round at 2 ** 20: 5 + 1.5e6 was -1048571, without a word."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def add(x, y):
    x += y


@rg.reversible
def add_element(x, y):
    x[1] += y[1]


def whole(x, y):
    a = rg.fixed(x)
    add(a, y)
    return a.floats


def taken_off(x, y):
    a = rg.fixed(x)
    rg.inverse(add)(a, y)
    return a.floats


def element(x, y):
    a = rg.fixed(x)
    add_element(a, y)
    return a.floats


X = np.array([1.0, 5.0])


@pytest.mark.parametrize("f", [whole, taken_off, element])
@pytest.mark.parametrize("y", [1.5e6, 2.0**20 - 1.0, 1e290, np.inf, np.nan])
def test_what_does_not_fit_is_an_error(f, y) -> None:
    y = np.array([0.0, -y if f is taken_off else y])
    for run in (f, rg.jit(f)):
        with pytest.raises((OverflowError, ValueError), match=r"2 \*\* 20|large|64 bits|infin|NaN"):
            run(X, y)


@pytest.mark.parametrize("f", [whole, taken_off, element])
def test_what_just_fits(f) -> None:
    y = np.array([0.0, 2.0**20 - 5.5])
    sign = -1.0 if f is taken_off else 1.0
    for run in (f, rg.jit(f)):
        np.testing.assert_array_equal(run(X, sign * y), X + y)


def test_logarithmic_numbers_are_read_as_floats() -> None:
    """Compiled, `x += y` of a logarithmic y was refused, where Python added."""

    def both(y):
        a = rg.fixed(np.zeros(2))
        add(a, rg.logarithmic(y))
        return a.floats

    for run in (both, rg.jit(both)):
        np.testing.assert_allclose(run(X), X, rtol=1e-12)


def test_halves_go_to_even_ints() -> None:
    xs = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.0**52 + 1.0, -(2.0**62), 0.49999999999999994])
    nearest = rg.jit(lambda x: round(x))
    assert [nearest(x) for x in xs] == [round(float(x)) for x in xs]
    for x in (2.0**63, -(2.0**63), np.inf):
        with pytest.raises(OverflowError):
            nearest(x)
    with pytest.raises(ValueError, match="NaN"):
        nearest(np.nan)
