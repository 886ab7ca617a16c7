"""Conditions, indices and ints made of floats that come back with other roundings.

x begins at 0.1 and comes back as 0.09999999999999998: `x[0] >= 0.1` and `int(x[0] * 10.0)` are
others then. Where this changes values, derivatives raise; where it does not, they are those of a
point that differs by roundings.
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false

SHIFT = 0.7
BEGIN = np.array([0.1])


def test_the_shift_is_one_that_rounds():
    assert BEGIN[0] + SHIFT - SHIFT == 0.09999999999999998


def branch(x, y, t):
    if x[0] >= 0.1:
        y[0] += x[0] * 2.0
    else:
        y[0] += x[0] * 5.0
    x[0] += SHIFT


def number(x, y, t):
    y[0] += x[0] * int(x[0] * 10.0)
    x[0] += SHIFT


def index(x, y, t):
    y[0] += t[int(x[0] * 10.0)]
    x[0] += SHIFT


def target(x, y, t):
    y[int(x[0] * 10.0)] += 1.0
    x[0] += SHIFT


def local_loop(x, y, t):
    s = 0.0
    while s < x[0]:
        s += 0.1
    y[0] += s
    x[0] -= 0.1 / 3.0
    x[0] += SHIFT


def bounds(x, y, t):
    for _ in range(int(x[0] * 10.0)):
        y[0] += t[0]
    x[0] += SHIFT


def loss(step, t, begin=BEGIN):
    x, y = begin.copy(), np.array([1.0, 0.0])
    step(x, y, t)
    return y[0] * x[0] + y[1]


TABLE = np.array([3.0, 4.0])


def slow(value):
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.mark.parametrize("fun", [branch, index, *map(slow, (number, target, bounds))])
def test_a_decision_that_changes_values_is_found(fun):
    step = rg.reversible(fun)
    with pytest.raises(rg.InvertibilityError, match="other values than they began with"):
        rg.grad(lambda t: loss(step, t) + t[0])(TABLE)


@pytest.mark.parametrize("fun", [local_loop, *map(slow, (branch, number, index, target, bounds))])
@pytest.mark.parametrize("begin", [0.13, slow(0.18)])
def test_decisions_that_are_not_close_are_the_same(fun, begin):
    step, start = rg.reversible(fun), np.array([begin])
    found, expected = (rg.grad(lambda t, f=f: loss(f, t, start) + t[0])(TABLE) for f in (step, fun))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@rg.reversible
def climbed(x, y, k):
    while rg.since(x[0] < 0.3, x[0] < 1.0):
        x[0] += 0.3
        k += 1
    x[0] += y[0]
    return k


def climbed_loss(x, y):
    x = x.copy()
    k = climbed(x, y, 0)
    return k * x[0]


@pytest.mark.parametrize("run", [lambda f: f, rg.jit])
def test_a_loop_that_runs_another_number_of_times_on_the_way_back(run):
    """The inverse by itself has nothing to compare with: it comes to another beginning."""
    x, y = np.array([0.3 - 1e-16]), np.array([1e3])
    k = run(climbed)(x, y, 0)
    assert k == 3
    assert run(rg.inverse(climbed))(x, y, k) == -1
    assert x[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(rg.InvertibilityError, match="other values than they began with"):
        rg.grad(climbed_loss, argnums=1)(np.array([0.3 - 1e-16]), y)


def test_a_decision_that_changes_no_value_is_that_of_a_point_close_by():
    """Of equal entries, the one that the restored x names has the cotangent."""
    equal, step = np.zeros(2), rg.reversible(index)
    found = rg.grad(lambda t: loss(step, t))(equal)
    below, above = (rg.grad(lambda t, b=b: loss(index, t, BEGIN + b))(equal) for b in (-1e-12, 0.0))
    np.testing.assert_allclose(found, below, rtol=1e-9)
    assert not np.allclose(above, below)


def of_fixed(step, t):
    x, y = rg.fixed(BEGIN), np.array([1.0, 0.0])
    for _ in range(3):
        step(x, y, t)
    return y[0]


def test_fixed_point_numbers_decide_the_same():
    step, t = rg.reversible(index), np.zeros(40)
    found, expected = (rg.grad(lambda t, f=f: of_fixed(f, t))(t) for f in (step, index))
    np.testing.assert_array_equal(found, expected)
    assert np.count_nonzero(found) == 3
