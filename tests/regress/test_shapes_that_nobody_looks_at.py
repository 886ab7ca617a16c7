"""What raises in Python raises in value and derivative, also where the result is not needed.

Array primitives are pure, so a derivative, or a value that nobody uses, was calculated without them
and without what they would have raised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

A, B = np.ones(3), np.ones(4)


def added(x, a, b):
    return 2 * x + np.sum(a + b)


def dropped(x, a, b):
    _ = a * b
    return 2 * x


def multiplied(x, a, b):
    return 2 * x + np.dot(a, b)


def largest_of_nothing(x, a, b):
    return 2 * x + np.max(a[3:])


def reshaped(x, a, b):
    return 2 * x + np.sum(b.reshape(2, 3))


def negative(x, a, b):
    return 2 * x + np.sum(np.zeros(1 - len(a)))


def assigned(x, a, b):
    c = np.zeros(5)
    c[:] = a
    return 2 * x + np.sum(c)


def stretched(x, a, b):
    return 2 * x + np.sum(np.broadcast_to(a, (2, 4)))


def in_a_loop(x, a, b):
    for _ in range(3):
        _ = a + b
    return 2 * x


def in_a_loop_in_a_loop(x, a, b):
    for i in range(len(a)):
        for _ in range(i):
            _ = a + b
    return 2 * x


def helper(a, b):
    return a + b


def in_a_call(x, a, b):
    helper(a, b)
    return 2 * x


def shorter_and_shorter(x, a, b):
    for i in range(2):
        b = b[1:]
        x = x + np.sum(a[i:] * b)
    return x + np.sum(a + b)


PROGRAMS = [
    added, dropped, multiplied, largest_of_nothing, reshaped, negative, assigned, stretched,
    in_a_loop, in_a_loop_in_a_loop, in_a_call, shorter_and_shorter,
]  # fmt: skip

WAYS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "jit": rg.jit,
    "grad": rg.grad,
    "grad in little memory": lambda f: rg.grad(f, memory="20kB"),
    "jvp": lambda f: lambda x, a, b: rg.jvp(lambda x: f(x, a, b), (x,), (1.0,)),
    "twice": lambda f: rg.grad(rg.grad(f)),
    "jacobian": rg.jacfwd,
    "in legs": lambda f: lambda *args: rg.interrupt(f, *args, steps=10**6),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_raises_as_python_does(f: Callable[..., Any], way: str) -> None:
    for function in (f, WAYS[way](f)):
        with pytest.raises(
            ValueError, match=r"shape|mismatch|zero-size|negative|broadcast|extents"
        ):
            function(1.0, A, B)


def runs_never(x, a, b, n):
    for _ in range(n):
        _ = a + b
    return 2 * x


@pytest.mark.parametrize("way", ["jit", "grad"])
def test_a_check_in_front_of_a_loop_waits_for_its_first_iteration(way: str) -> None:
    assert WAYS[way](runs_never)(1.0, A, B, 0) == 2.0
    with pytest.raises(ValueError, match="broadcast"):
        WAYS[way](runs_never)(1.0, A, B, 1)


def earlier_error_first(x, a, b):
    for i in range(5):
        x = x + a[i + 3]
        _ = a + b
    return x


def test_an_earlier_error_of_the_iteration_comes_first() -> None:
    with pytest.raises(IndexError):
        rg.jit(earlier_error_first)(1.0, A, B)
