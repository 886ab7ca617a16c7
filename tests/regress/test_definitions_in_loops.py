"""Gradients of reversible functions were wrong, or refused, where definitions are in loops.

A sum that is built up took the cotangents of its parts for those of locals that are in sight; a
loop was taken to run at least once; and what a group of definitions reads and then defines anew
was no argument of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def defined_in_branches(c, u, n):
    s = 0.0
    for i in range(n):
        if u[i] > 0:
            b = u[i] * u[1]
        else:
            b = u[i] * u[i]
        s += b
    c = c + s
    return c


def read_after_the_loop(c, u, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            b = u[j] * u[1]
            s += b
        s += b * b
    c = c + s
    return c


def defined_again_in_the_loop(c, u, n):
    s = 0.0
    b = u[0] * u[2]
    for i in range(n):
        b = u[i] * u[1]
        s += b
    c = c + s * b
    return c


def from_the_iteration_before(c, u, n):
    s = 0.0
    for i in range(n):
        if i > 0:
            s += b * u[i]  # noqa: F821
        b = u[i] * u[1]  # noqa: F841
    c = c + s
    return c


def one_variable_of_two_loops(c, u, n):
    s = 0.0
    for i in range(n):
        b = u[i] * u[1]
        for i in range(2):
            s += b * u[i]
    c = c + s
    return c


def left_as_it_was(c, u, n):
    b = u[0] * u[0]
    c = c + b
    if u[2] > 0:
        for i in range(n):
            b = u[1] * u[i]
        a = b * 3.0
    else:
        a = u[1]
    c = c + a * u[2]
    return c


def read_and_defined_anew(c, u, n):
    s = 0.0
    a = u[0] * u[2]
    c = c + a * s
    for j in range(n):
        s -= u[0] * a
    a = 1.5 + 0.5 * u[1]
    for j in range(n):
        s += a * u[j]
    c = c + s
    return c


def built_up_in_a_branch(c, u, n):
    s = 1.0
    d = np.sin(u[1]) * u[0]
    if n > 5:
        pass
    else:
        for j in range(n):
            s += u[0] * s
    c = c + d
    for j in range(n):
        s += u[2] + 0.5 * u[j]
    c = c + s
    return c


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("fun", [
    defined_in_branches, read_after_the_loop, defined_again_in_the_loop, left_as_it_was,
    from_the_iteration_before, one_variable_of_two_loops, read_and_defined_anew,
    built_up_in_a_branch,
])  # fmt: skip
def test_the_same_as_by_the_plain_text(fun: Callable[..., Any], n: int) -> None:
    made = rg.reversible(fun)
    args = 1.5, np.array([0.5, -0.7, 1.3])

    def loss(call, c, u):
        c = call(c, u, n)
        return c * c

    found, wanted = (
        rg.value_and_grad(lambda c, u, call=call: loss(call, c, u), argnums=(0, 1))(*args)
        for call in (made, fun)
    )
    assert found[0] == wanted[0]
    for one, other in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
