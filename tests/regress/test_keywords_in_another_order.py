"""Arguments by keywords in another order than the parameters' were mistaken for each other.

`rg.jit` of a function with a rule, checkpointed or reversible, took them as they came: a wrong
value and a wrong gradient. Parameters that are keywords only were refused there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportFunctionMemberAccess=false


@rg.custom_vjp
def pulled(x, y):
    return x - 2.0 * y


pulled.defvjp(lambda x, y: (pulled(x, y), None), lambda _, bar: (bar, -2.0 * bar))


@rg.custom_jvp
def pushed(x, y):
    return x - 2.0 * y


pushed.defjvp(lambda at, dot: (at[0] - 2.0 * at[1], dot[0] - 2.0 * dot[1]))


@rg.checkpoint
def again(x, y):
    return x - 2.0 * y


@rg.reversible
def undone(x, y):
    x -= 2.0 * y
    return x


@pytest.mark.parametrize("f", [pulled, pushed, again, undone])
def test_values_and_gradients(f: Callable[..., Any]) -> None:
    assert rg.jit(f)(y=10.0, x=1.0) == rg.jit(f)(1.0, y=10.0) == -19.0
    assert rg.grad(f)(y=10.0, x=1.0) == 1.0
    assert rg.grad(f, argnums=1)(y=10.0, x=1.0) == -2.0


@rg.reversible
def by_keywords(x, *, y, rate=2.0):
    x -= rate * y


def test_arrays_that_change_are_the_right_ones() -> None:
    forwards, back = rg.jit(by_keywords), rg.jit(rg.inverse(by_keywords))
    x, y = np.ones(2), np.full(2, 10.0)
    forwards(y=y, x=x)
    np.testing.assert_array_equal((x, y), ([-19.0] * 2, [10.0] * 2))
    back(x, y=y)
    forwards(x, rate=1.0, y=y)
    np.testing.assert_array_equal((x, y), ([-9.0] * 2, [10.0] * 2))
