"""What is not accepted on a side of a branch is refused when the program gets there."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([1.3, 0.7, 0.4])
FAR = np.array([7.3, 0.7, 0.4])


def not_accepted(x):
    return np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)).sum()


def in_a_loop(x):
    s = 0.0
    for v in x:
        if v > 5.0:
            s += not_accepted(x)
        else:
            s += v**2
    return s


def after_a_write(x):
    y = x.copy()
    if x[0] > 5.0:
        y[1] = 3.0
        y[0] = not_accepted(x)
        y[2] = y[0]
    return np.sum(y * y)


def after_a_return(x):
    if x[0] < 5.0:
        return x[0] * x[1]
    z = not_accepted(x)
    return z + x[0]


def in_expressions(x):
    return (not_accepted(x) if x[0] > 5.0 else x[1] * x[0]) + 1.0


def beside_a_handler(x):
    try:
        return guarded(x)
    except (ValueError, TypeError):
        return 100.0 * x[0]


def guarded(x):
    if x[0] > 5.0:
        return not_accepted(x)
    if x[0] > 4.0:
        raise ValueError("too far")
    return x[0] * x[1]


def in_a_handler(x):
    try:
        y = 1.0 / max(5.0 - x[0], 0.0)
    except ZeroDivisionError:
        y = not_accepted(x)
    return y * x[1]


def in_a_message(x):
    assert x[0] < 5.0, not_accepted(x)
    return x[0] * x[2]


def at_several_places(x):
    if x[0] > 5.0:
        a = not_accepted(x)
    elif x[0] > 4.0:
        a = np.no_such_function(x)
    else:
        a = x[1]
    return a * x[0]


def of_one_kind(x):
    y = [x[0], 1.0]
    if x[0] < 5.0:
        y = np.array([x[0], 2.0])
    return np.sum(y - 0.5)


PROGRAMS = [
    in_a_loop, after_a_write, after_a_return, in_expressions, beside_a_handler, in_a_handler,
    in_a_message, at_several_places,
]  # fmt: skip


@pytest.mark.parametrize("f", [*PROGRAMS, of_one_kind])
def test_elsewhere_it_is_as_in_python(f):
    value, slope = rg.value_and_grad(f)(X)
    near = [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    assert value == pytest.approx(f(X), rel=1e-15)
    assert slope == pytest.approx(near, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_there_it_is_refused(f):
    """No handler of the program takes that for an exception."""
    with pytest.raises(UserError) as caught:
        rg.jit(f)(FAR)
    assert caught.value.span is not None
    assert caught.value.way_out is not None
    assert not hasattr(caught.value, "__notes__")


def test_it_is_the_refusal_of_what_cannot_be_left_out():
    with pytest.raises(UserError) as whole:
        rg.jit(not_accepted)(X)
    with pytest.raises(UserError) as there:
        rg.grad(in_a_loop)(FAR)
    assert str(there.value) == str(whole.value)


def test_the_same_bits_in_a_budget():
    for f in (in_a_loop, after_a_write):
        assert np.array_equal(rg.grad(f, memory="1MB")(X), rg.grad(f)(X))
    with pytest.raises(UserError, match="as_strided"):
        rg.grad(in_a_loop, memory="1MB")(FAR)


def test_a_program_that_always_gets_there_is_refused_before():
    def f(x):
        print("here")
        if x[0] > 5.0:
            return not_accepted(x)
        return np.no_such_function(x)

    with pytest.raises(UserError, match="as_strided"):
        rg.jit(f)(X)


def test_other_ways_come_first():
    """A size that has to be known is not left for later."""

    def f(x, n):
        if x[0] > 1.0:
            y = np.zeros((2,) * n)
            y[(0,) * n] = x[0]
            return y.sum()
        return 0.0

    def whole(x, parts):
        return f(x, parts["n"])

    assert rg.jit(whole)(X, {"n": 2}) == 1.3
