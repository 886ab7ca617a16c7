"""A range with a step of zero raises where it is made, also where nobody goes through it.

The step was looked at where a loop began or a length was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg


def made(x: float, step: int) -> float:
    _ = range(0, 5, step)
    return x * x


def gone_through_elsewhere(x: float, step: int) -> float:
    numbers = range(0, 5, step)
    if x > 2.0:
        for i in numbers:
            x = x * i
    return x * x


def in_a_loop(x: float, step: int) -> float:
    for k in range(3):
        _ = range(0, 5, step - k)
        x = x * 1.5
    return x


WAYS: dict[str, Callable[..., Any]] = {
    "plain": lambda f: f,
    "jit": rg.jit,
    "grad": rg.grad,
    "memory": lambda f: rg.grad(f, memory="1MB"),
    "jvp": lambda f: lambda x, step: rg.jvp(lambda y: f(y, step), (x,), (1.0,)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", [made, gone_through_elsewhere, in_a_loop])
def test_a_step_of_zero_raises_where_the_range_is_made(f: Callable[..., float], way: str) -> None:
    call = WAYS[way](f)
    call(1.0, 3)
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        call(1.0, 0)
