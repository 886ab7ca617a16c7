"""Tests at run time: each fails by itself, by Python and compiled, and is left out if asked for.

Compiled, the arguments are then what they were before the call. Python leaves them as it got.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false


def released(x, y):
    a = 0.0
    x += y
    a += y[0]
    a -= 0.5
    rg.release(a, 0.0)


def released_array(x, y):
    a = np.zeros(2)
    x += y
    a += x
    rg.release(a, np.zeros(2))


def left_as_it_began(x, y):
    a = y[1]
    x += a
    a += x[0]
    x += a


def condition_afterwards(x, y):
    x += y
    if rg.when(y[0] > 0.5, x[0] > 5.0):
        x += y


def condition_of_the_other_branch(x, y):
    x += y
    if rg.when(y[0] > 5.0, x[0] > 0.5):
        x += y


def condition_at_the_beginning(x, y):
    n = 0
    x += y
    while rg.since(n == 1, n < 3):
        n += 1
        x += y
    rg.release(n, 3)


def condition_after_an_iteration(x, y):
    n = 0
    x += y
    while rg.since(n < 2, n < 3):
        n += 1
        x += y
    rg.release(n, 3)


def one_element(x, y):
    x += y
    for i in range(2):
        for j in range(2):
            x[i] += 2.0 * x[j]


def element_of_a_loop_over_it(x, y):
    x += y
    for value in x:
        x[0] += value


def elements_exchanged(x, y):
    x += y
    for i in range(2):
        x[i], x[0] = x[0], x[i]


def indices_twice(x, y):
    x += y
    k = np.array([0, 0])
    x[k] += y


def factor(x, y):
    x += y
    x *= y[0] - 1.0


def divisor(x, y):
    x += y
    x[0] /= y[0] - 1.0


def factors(x, y):
    x += y
    x *= y - 1.0


@dataclass(frozen=True)
class Case:
    """A function of two arrays that changes the first one, and what its error says."""

    function: Callable[..., Any]
    words: str

    def __str__(self) -> str:
        return self.function.__name__


CASES = (
    Case(released, "'a' is 0.5 in the end, and not 0.0"),
    Case(released_array, "'a' is .* in the end"),
    Case(left_as_it_began, r"'a' is .* in the end, and not y\[1\]"),
    Case(condition_afterwards, r"x\[0\] > 5.0 does not hold after the branch"),
    Case(condition_of_the_other_branch, r"x\[0\] > 0.5 holds although"),
    Case(condition_at_the_beginning, "n == 1 does not hold before the loop"),
    Case(condition_after_an_iteration, "n < 2 still holds after an iteration"),
    Case(one_element, r"x\[i\] and x\[j\] have elements in common"),
    Case(element_of_a_loop_over_it, r"have elements in common"),
    Case(elements_exchanged, r"x\[i\] and x\[0\] have elements in common"),
    Case(indices_twice, "names an element twice"),
    Case(factor, "factor not zero"),
    Case(divisor, "factor not zero"),
    Case(factors, "factor not zero"),
)
X, Y = np.array([1.0, 2.0]), np.array([1.0, 0.25])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_fails_by_python_and_compiled(case: Case) -> None:
    function = rg.reversible(case.function)
    for run in (function, rg.jit(function)):
        x = X.copy()
        with pytest.raises(rg.InvertibilityError, match=case.words):
            run(x, Y)
        assert np.array_equal(x, X) == (run is not function)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_left_out(case: Case) -> None:
    function = rg.reversible(case.function, checked=False)
    plain, compiled = X.copy(), X.copy()
    with np.errstate(all="ignore"):
        function(plain, Y)
    rg.jit(function)(compiled, Y)
    np.testing.assert_array_equal(plain, compiled)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_gradient_raises_it_too(case: Case) -> None:
    function = rg.reversible(case.function)

    def loss(x, y):
        x = x.copy()
        function(x, y)
        return np.sum(x)

    with pytest.raises(rg.InvertibilityError, match=case.words):
        rg.grad(loss)(X, Y)
