"""A function defined inside of a reversible one could not be compiled: "the result is function".

One of a single expression stands where it is used; what it reads from around it has derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# ruff: noqa: E731


def captured(x, y):
    f = lambda z: z * y
    x += f(2.0)


def defined(x, y):
    def f(z: Any) -> Any:
        """Squares."""
        return z * z

    x += f(y)


def in_a_loop(x, y):
    for k in range(2):

        def f(z):
            return z * k * y[0]

        x += f(y)


def read_when_it_is_called(x, y):
    f = lambda z: z * y
    y += 1.0
    x += f(2.0)


def one_in_another(x, y):
    f = lambda z: z * y
    g = lambda z: f(z) + f(2.0)
    x += g(y)


def handed_on(x, y):
    f = lambda z: z * y
    x += twice(f, y)


def twice(f, y):
    return f(f(y))


def of_a_sum(x, y):
    f = lambda z: z * y
    s = np.zeros(3)
    for k in range(2):
        s += f(1.0 + k)
    x += s


def of_several_statements(x, y):
    def f(z):
        w = z * z
        return w * w

    x += f(y)


def with_a_default(x, y):
    f = lambda z, a=2.0: z * a
    x += f(y)


A = np.array([1.0, 2.0, 3.0])
B = A + 1.0


def loss_of(step: Any) -> Any:
    def loss(x, y):
        x, y = x.copy(), y.copy()
        step(x, y)
        return np.sum(x * x) + np.sum(y**3)

    return loss


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "function",
    [
        captured, defined, in_a_loop, read_when_it_is_called, one_in_another, handed_on, of_a_sum,
        of_several_statements, with_a_default,
    ],
)  # fmt: skip
def test_they_are_undone_and_differentiated(function: Callable[..., Any]) -> None:
    undone, want = rg.reversible(function), (A.copy(), B.copy())
    function(*want)
    for run, back in ((undone, rg.inverse(undone)), (rg.jit(undone), rg.jit(rg.inverse(undone)))):
        x, y = A.copy(), B.copy()
        run(x, y)
        np.testing.assert_allclose((x, y), want, rtol=1e-15)
        back(x, y)
        np.testing.assert_allclose((x, y), (A, B), rtol=1e-13)
    found, expected = (rg.grad(loss_of(f), argnums=(0, 1))(A, B) for f in (undone, function))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def another_meaning(x, y):
    k = 2.0
    f = lambda z: z * k
    x += np.sum(np.array([f(y[k]) for k in range(3)]))


def several_statements_with_captures(x, y):
    def f(z):
        w = z * y
        return w * w

    x += f(y)


@pytest.mark.parametrize("function", [another_meaning, several_statements_with_captures])
def test_what_cannot_be_pasted_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(rg.UserError, match="RG0501: .* a function that reads [ky] from around it"):
        rg.reversible(function)
