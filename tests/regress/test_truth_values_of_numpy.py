"""Truth values of NumPy's are no ints: they add up to truth values, and `~` gives the other one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

A = np.array([2.0, 3.0, -1.0])


def sums(a):
    return 2.0 * ((a[0] > 0) + (a[1] > 0)), (a[0] > 0) * (a[1] > 5) + (a[2] < 0)


def inverses(a):
    return ~(a[0] > 0), ~np.isnan(a[1]) * a[0], ~np.any(a > 5), a[0] * ~(a[2] > 0), ~True


def made(x):
    mask = np.ones_like(x, dtype=bool)
    return x * mask + ~mask * x


def joined(a):
    flag = a[0] > 0
    if a[1] > 1:
        flag = a[1] > 3
    return 2.0 * ~flag + a[0] * (flag + flag)


def in_a_loop(a):
    total = 0
    for v in a:
        total = total + 2 * ~(v > 1) + ((v > 0) + (v > 1))
    return total


def places(v):
    return (v > 0) + (v > 1)


def by_calls(a, x):
    return places(a[0]), places(x), places(np.sum(a)), a[0] * places(a[1])


@pytest.mark.parametrize(
    ("function", "args"),
    [(sums, (A,)), (inverses, (A,)), (made, (0.3,)), (joined, (A,)), (in_a_loop, (A,)),
     (by_calls, (A, 2.0))],
)  # fmt: skip
def test_what_they_give(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agree(function, *args)


def inverted(x):
    return x * ~(x > 1.0)


@pytest.mark.parametrize("x", [2.0, 0.5, np.float64(2.0), np.float64(0.5)])
def test_of_an_argument_it_is_known_whose_it_is(x: float) -> None:
    assert rg.jit(inverted)(x) == inverted(x)
    assert rg.grad(inverted)(x) == ~(x > 1.0)


def test_of_a_number_that_is_pythons_on_one_path_only_it_is_not_known() -> None:
    def on_one_path(x, a):
        return inverted(x if a[0] > 5.0 else a[1])

    with pytest.raises(UserError, match="if it is NumPy's") as caught:
        rg.jit(on_one_path)(2.0, A)
    assert caught.value.code == "RG0123"


def test_numpy_has_no_difference_of_them() -> None:
    def difference(a):
        return (a[0] > 0) - (a[1] > 0)

    with pytest.raises(UserError, match="bools"):
        rg.jit(difference)(A)


class NotThereError(KeyError):
    """A class of one's own."""


def caught(x):
    try:
        if x > 1.0:
            raise NotThereError("k")
        if x > 0.5:
            raise ValueError("v")
        return x
    except (KeyError, ValueError) as error:
        if isinstance(error, KeyError):
            return 2.0 * x
        return 3.0 * x if type(error) is ValueError else 4.0 * x


@pytest.mark.parametrize("x", [0.2, 0.7, 1.5])
def test_the_class_of_an_exception_that_is_caught(x: float) -> None:
    agree(caught, x)
