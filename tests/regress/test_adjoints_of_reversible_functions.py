"""Gradients through reversible functions that were wrong, or refused without need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg


class Body(NamedTuple):
    mass: Any
    dt: float


def shadowed(x, y, s):
    x[0] += s + sum([s * s for s in y])
    return s


def shadowed_by_a_parameter(x, y, s):
    x[0] += s + (lambda s: s * s)(y[1])
    return s


def transposed(x, y, s):
    m = np.outer(y, y)
    x += m.T[1] * s
    return s


def product(body):
    return body.mass[0] * body.dt


@pytest.mark.parametrize("fun", [shadowed, shadowed_by_a_parameter, transposed])
def test_what_an_expression_reads(fun: Callable[..., Any]) -> None:
    """A name inside of a comprehension or a lambda is another variable than that outside."""
    made = rg.reversible(fun)
    args = np.array([0.3, 0.5, 0.7]), np.array([0.1, 0.2, -0.4]), 0.6

    def loss(call, x, y, s):
        s = call(x, y, s)
        return np.sum(x * x) * s

    found, wanted = (
        rg.grad(lambda *given, call=call: loss(call, *given), argnums=(0, 1, 2))(*args)
        for call in (made, fun)
    )
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@rg.reversible
def by_a_tuple(x, body):
    x[0] += product(body)
    x[1] += body.mass[1] * body.dt


def test_named_tuples() -> None:
    """Their cotangents were put one after the other, and numbers in them could not be added to."""
    body = Body(np.array([2.0, 3.0]), 0.5)
    ends, bars = rg.adjoint(by_a_tuple)(np.ones(2), body, np.ones(2), Body(np.zeros(2), 1.0))
    np.testing.assert_array_equal(ends[0], [0.0, -0.5])
    np.testing.assert_array_equal(bars[1].mass, [0.5, 0.5])
    assert bars[1].dt == 6.0


@rg.reversible
def of_ints(x, counts, i):
    counts[i] += 2
    counts[1] = -counts[1]
    x[0] += 1.0


def test_elements_that_have_no_cotangent() -> None:
    def loss(x, counts):
        of_ints(x, counts, 0)
        return np.sum(x) * counts[0]

    assert list(rg.grad(loss)(np.ones(2), np.array([1, 2]))) == [3.0, 3.0]


@rg.reversible
def idle(x, s):
    if len(x) > 5:
        x += 1.0
    return s


@rg.reversible
def nothing(x, s):
    y = x + s  # noqa: F841
    return s


@pytest.mark.parametrize("fun", [idle, nothing])
def test_functions_that_change_nothing(fun: Any) -> None:
    def loss(x, s):
        return fun(x, s) * np.sum(x)

    assert rg.grad(loss, argnums=1)(np.ones(2), 1.5) == 2.0


@pytest.mark.parametrize("count", [-1, 63, 64, 1])
def test_rotations_by_all_counts(count: int) -> None:
    """A shift by 63 did not fit, even where no bit is lost."""
    for n in (4, -1, 0, 2**62):
        assert rg.jit(rg.rotl)(n, count) == rg.rotl(n, count)
