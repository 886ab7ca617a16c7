"""In compiled code two parts of an array that overlap could be given to a reversible function.

Without tests the gradient was wrong; of names that may be one array, or of one that an argument
had captured, the value was, too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.inversion.progressions import common

pytestmark = pytest.mark.thinned(4)

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

unchecked = rg.reversible(checked=False)


class Pair:
    def __init__(self, x: Any, v: Any) -> None:
        self.x, self.v = x, v


@unchecked
def f(x, v):
    v += 0.5 * np.sin(x)
    v += 0.5 * np.sin(x)


@unchecked
def of_items(p):
    p[0][:] += np.sin(p[1])
    p[1][:] += p[0] ** 2


@unchecked
def of_attributes(p):
    p.v += np.sin(p.x)
    p.v += np.sin(p.x)


@unchecked
def of_two(p, q):
    p.v += np.sin(q.x)
    p.v += np.sin(q.x)


@unchecked
def inside(w, i, j):
    f(w[i : i + 2], w[j : j + 2])


@unchecked
def slices(w, i, j):
    w[i : i + 2] += np.sin(w[j : j + 2])


@unchecked
def of_function(v, force):
    a = force()
    v += a


def rows(w, i, j):
    m = w.reshape(2, 2).copy()
    f(m[i], m[j])
    w += m.reshape(4)


def row_and_column(w):
    m = w.reshape(2, 2).copy()
    f(m[0], m[:, 0])


def may_be_one(w):
    u = w.copy()
    f(w if w[0] > 0 else u, w)


MEETING: list[Callable[[Any], Any]] = [
    lambda w: f(w[1:], w[:-1]),
    lambda w: f(w[::2], w[1:3]),
    lambda w: f(w[::-1], w),
    lambda w: f(w[None, 1:], w[None, :-1]),
    lambda w: rg.inverse(f)(w[1:], w[:-1]),
    lambda w: of_items((w[1:], w[:-1])),
    lambda w: of_attributes(Pair(w[1:], w[:-1])),
    lambda w: of_two(Pair(w[2:], w[:2]), Pair(w[1:3], w[2:])),
    lambda w: inside(w, 0, 1),
    lambda w: of_function(w[:-1], lambda: np.sin(w[1:])),
    lambda w: rows(w, int(0 * w[0]), 0),
    row_and_column,
    lambda w: f(w.reshape(4), w),
    may_be_one,
]
APART: list[Callable[[Any], Any]] = [
    lambda w: f(w[:2], w[2:]),
    lambda w: f(w[::2], w[1::2]),
    lambda w: f(w[2:2], w[1:1]),
    lambda w: f(w[::3], w[1:3][::-1]),
    lambda w: of_attributes(Pair(w[2:], w[:2])),
    lambda w: inside(w, 2, 0),
    lambda w: slices(w, 0, 2),
    lambda w: rows(w, 0, 1),
]
W = np.array([0.5, 0.7, 0.2, 0.9])


def loss_of(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def loss(w: Any) -> Any:
        w = w.copy()
        call(w)
        return np.sum(w * w * np.arange(1.0, 5.0))

    return loss


@pytest.mark.parametrize("call", MEETING)
def test_what_overlaps_is_refused(call: Callable[[Any], Any]) -> None:
    loss = loss_of(call)
    for run in (loss, rg.jit(loss), rg.grad(loss)):
        with pytest.raises((rg.InvertibilityError, rg.UserError), match="share memory|in common"):
            run(W)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("call", APART)
def test_what_is_apart_works(call: Callable[[Any], Any]) -> None:
    loss = loss_of(call)
    assert abs(rg.jit(loss)(W) - loss(W)) < 1e-12
    rg.check_grads(loss, (W,))


def test_slices_inside_of_a_function_are_compared_without_tests() -> None:
    loss = loss_of(lambda w: slices(w, 0, 1))
    for run in (loss, rg.jit(loss), rg.grad(loss)):
        with pytest.raises(rg.InvertibilityError, match="have elements in common"):
            run(W)


G = np.array([0.5, 0.7, 0.2, 0.9])


def of_the_global():
    return np.sin(G[1:])


@unchecked
def reads(v):
    a = of_the_global()
    v += a


def test_a_global_that_is_read_and_given() -> None:
    def loss(w: Any) -> Any:
        reads(G[:-1])
        return np.sum(w)

    for run in (rg.jit(loss), rg.grad(loss)):
        with pytest.raises(rg.UserError, match="'G' and 'v' of reads share memory"):
            run(W)


@pytest.mark.parametrize("seed", range(3))
def test_progressions_with_a_number_in_common(seed: int) -> None:
    rng = Random(seed)
    for _ in range(300):
        one, other = ((rng.randint(-9, 9), rng.randint(0, 6), rng.randint(1, 7)) for _ in range(2))
        other = (*other[:2], other[2] * rng.choice((-1, 1)))
        sets = [{a + k * s for k in range(n)} for a, n, s in (one, other)]
        assert common(*one, *other) == bool(sets[0] & sets[1]), (one, other, gcd(one[2], other[2]))
