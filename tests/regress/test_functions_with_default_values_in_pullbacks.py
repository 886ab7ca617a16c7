"""The cotangents that a pullback inside of a program gave were those of other arguments.

A function among the arguments has a number as default value, which counted as an argument: what
belongs to it was given as the cotangent of the next argument, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false

Y = np.array([2.0, 3.0, 4.0])


def of_a_lambda(y):
    f = lambda z, a=2.0: z * a  # noqa: E731
    _, pullback = rg.vjp(lambda u, v, w: u(v) * w, f, y, 3.0)
    return pullback(np.ones(3))[1:]


def of_keywords(y):
    def f(z, *, a=2.0, b=1.0):
        return z * a * b

    _, pullback = rg.vjp(lambda u, v, w: u(v) * w, f, y, 3.0)
    return pullback(np.ones(3))[1:]


def in_a_tuple(y):
    f = lambda z, a=2.0: z * a  # noqa: E731
    _, pullback = rg.vjp(lambda pair, w: pair[0](pair[1]) * w, (f, y), 3.0)
    pair, w = pullback(np.ones(3))
    return pair[1], w


@pytest.mark.parametrize("f", [of_a_lambda, of_keywords, in_a_tuple])
def test_they_are_where_they_belong(f: Any) -> None:
    for run in (f, rg.jit(f)):
        bars, w = run(Y)
        np.testing.assert_array_equal(bars, np.full(3, 6.0))
        assert w == 18.0


def tangent(y):
    f = lambda z, a=2.0: z * a  # noqa: E731
    return rg.jvp(lambda u, v: u(v), (f, y), (None, y))[1]


def test_tangents() -> None:
    """Compiled, this was an error of `zip`."""
    for run in (tangent, rg.jit(tangent)):
        np.testing.assert_array_equal(run(Y), 2.0 * Y)


@rg.reversible
def added(x, y):
    f = lambda z, a=2.0: z * a  # noqa: E731
    x += f(y)


def test_local_functions_of_reversible_ones() -> None:
    def loss(x, y):
        x = x.copy()
        added(x, y)
        return np.sum(x * x)

    np.testing.assert_array_equal(rg.grad(loss, argnums=1)(np.ones(3), Y), 4.0 * (1.0 + 2.0 * Y))
