"""`break` and `continue` under a condition were left out of the inverse of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg


def broken(x, n):
    for i in range(n):
        if i > 3:
            break
        x += 1.0
    return x


def continued(x, n):
    for i in range(n):
        if i > 3:
            continue
        x += 1.0
    return x


def by_the_state(x, n):
    for _ in range(n):
        if x > 10.0:
            break
        x += 1.0
    return x


def in_a_branch_with_an_update(x, n):
    for i in range(n):
        if i > 3:
            x += 2.0
            break
        x += 1.0
    return x


def with_a_local(x, n):
    for i in range(n):
        y = 2.0
        if i > 3:
            y = 3.0
            break
        x += y
    return x


def in_else_of_an_inner_loop(x, n):
    for i in range(n):
        for _ in range(i):
            pass
        else:
            break
        x += 1.0
    return x


def beside_a_lambda(x, n):
    for i in range(n):
        if i > 3:
            f = lambda a: a  # noqa: E731
            f(i)
            return x
        x += 1.0
    return x


def of_a_while(x, n):
    while rg.since(n == 0, n < 5):
        n += 1
        if n == 2:
            continue
        x += 1.0
    return x, n


def irreversible(x, n):
    for i in range(n):
        with rg.irreversible():
            if i > 3:
                break
        x += 1.0
    return x


@pytest.mark.parametrize(
    "function",
    [
        broken, continued, by_the_state, in_a_branch_with_an_update, with_a_local,
        in_else_of_an_inner_loop, beside_a_lambda, of_a_while, irreversible,
    ],
)  # fmt: skip
def test_it_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(rg.UserError, match=r"RG0501: `(break|continue|return x)` has no inverse"):
        rg.reversible(function)


@rg.reversible
def inside(out, n):
    total = 0.0
    for i in range(n):
        if i == 1:
            continue
        if total > 3.0:
            break
        total += 1.0
    out += total
    return out


def test_a_loop_that_builds_up_a_local_may_be_left() -> None:
    assert inside(0.0, 10) == 4.0
    assert rg.inverse(inside)(4.0, 10) == 0.0
    assert rg.jit(rg.inverse(inside))(4.0, 10) == 0.0
