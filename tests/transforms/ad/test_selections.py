"""What a loop keeps or replaces: its derivative goes through one iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.array([[3.0, 0.0], [1.0, 4.0], [2.0, 1.0], [1.0, 4.0]])


def nearest(x: Any) -> Any:
    best = 1e300
    for j in range(len(x)):
        q = 0.0
        for a in range(x.shape[1]):
            q += np.sqrt(x[j, a]) * (a + 1)
        if q < best:
            best = q
    return best


def last_below(x: Any) -> Any:
    """What is taken last, and its neighbour; the order of branches the other way round."""
    found, beside = x[0, 1], 1.0
    for j in range(len(x)):
        if x[j, 0] > 2.5:
            pass
        else:
            found, beside = x[j, 1] * x[j, 0], np.exp(x[j, 0])
    return found * beside


def none_taken(x: Any) -> Any:
    best = x[1, 1] * x[1, 1]
    for j in range(len(x)):
        if x[j, 0] > 100.0:
            best = np.sqrt(x[j, 1])
    return best


def with_an_index(x: Any) -> Any:
    best, at = -1.0, 0
    for j in range(len(x)):
        if x[j, 1] > best:
            best, at = x[j, 1], j
    return best * x[at, 0]


def from_what_is_carried(x: Any) -> Any:
    """A running product that is taken now and then is no selection."""
    p = 1.0
    for j in range(len(x)):
        if x[j, 0] < 2.5:
            p = p * x[j, 1]
    return p


def with_a_sum(x: Any) -> Any:
    best, total = 1e300, 0.0
    for j in range(len(x)):
        v = x[j, 0] * x[j, 1]
        total += v
        if v < best:
            best = v
    return best * total


def twice(x: Any) -> Any:
    """A selection of selections."""
    least = 1e300
    for i in range(4):
        most = -1.0
        for j in range(4):
            v = x[i, 1] * x[j, 0] + 1.0
            if v > most:
                most = v
        if most < least:
            least = most
    return least


PROGRAMS = (
    nearest, last_below, none_taken, with_an_index, from_what_is_carried, with_a_sum, twice,
)  # fmt: skip


@pytest.mark.thinned(3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_its_derivatives(f: Callable[..., Any]) -> None:
    x = X + np.arange(8.0).reshape(4, 2) / 16.0
    rg.check_grads(f, (x,))
    whole = rg.value_and_grad(f)(x)
    assert whole[0] == rg.jit(f)(x)
    for memory in ("8kB", "60kB"):
        value, slope = rg.value_and_grad(f, memory=memory)(x)
        assert value == whole[0]
        np.testing.assert_array_equal(slope, whole[1])
    seed = np.ones_like(x)
    one = rg.jvp(rg.grad(f), (x,), (seed,))[1]
    other = rg.grad(lambda x: rg.jvp(f, (x,), (seed,))[1])(x)
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", [nearest, twice])
def test_the_first_of_equals(f: Callable[..., Any]) -> None:
    """Strict comparisons keep the first; the slope of a root at zero is not touched."""
    slope = rg.grad(f)(X)
    assert np.isfinite(slope).sum() >= 7
    np.testing.assert_array_equal(slope[3], 0.0)


def test_the_tape_has_one_index() -> None:
    slope = rg.grad(nearest)
    slope(np.ones((500, 20)))
    assert slope.stats().tape_bytes <= 64
