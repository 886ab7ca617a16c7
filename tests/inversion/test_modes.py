"""Loops around calls of reversible functions: all modes give what they give by tape, in one place.

Bytes are counted, not estimated: the tape is as long for a thousand iterations as for ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg


def leapfrog(x, v, k, dt):
    for i in range(len(x)):
        v[i] -= dt * k[i] * math.sin(x[i])
    for i in range(len(x)):
        x[i] += dt * v[i]


def kick(x, v, c):
    v += c * np.tanh(x)
    x += 0.1 * v


def turn(a, b, c):
    a += c * b
    b -= c * a
    return a, b


undone_leapfrog, undone_kick, undone_turn = map(rg.reversible, (leapfrog, kick, turn))


def elements(x, v, k, dt, n, step=leapfrog):
    x, v = x.copy(), v.copy()
    s = 0.0
    for _ in range(n):
        step(x, v, k, dt)
        s += (x[0] - 0.1) ** 2 + np.sum(v * v)
    return s + np.sum(x)


def slices(x, v, k, dt, n, step=kick):
    x, v = x.copy(), v.copy()
    s = 0.0
    for _ in range(n):
        step(x, v, dt)
        s += np.sum(x * k)
    return s


def numbers(x, v, k, dt, n, step=turn):
    a, b = x[0], v[0]
    s = 0.0
    for _ in range(n):
        a, b = step(a, b, dt)
        s += a * b * k[1]
    return s + a


def undone_elements(x, v, k, dt, n):
    return elements(x, v, k, dt, n, undone_leapfrog)


def undone_slices(x, v, k, dt, n):
    return slices(x, v, k, dt, n, undone_kick)


def undone_numbers(x, v, k, dt, n):
    return numbers(x, v, k, dt, n, undone_turn)


PAIRS = {"elements": (undone_elements, elements), "slices": (undone_slices, slices),
         "numbers": (undone_numbers, numbers)}  # fmt: skip
RNG = np.random.default_rng(2)
X, V, K = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=3)

Mode = Callable[[Callable[..., Any]], Callable[..., Any]]


def gradient(f):
    return rg.grad(f, argnums=(0, 1, 2, 3))


def hessian(f):
    return rg.hessian(f)


def rows(f):
    return rg.jacrev(rg.grad(f, argnums=2))


def columns(f):
    return rg.jacfwd(rg.grad(f, argnums=1))


def twice(f):
    return rg.grad(lambda x, v, k, dt, n: np.sum(rg.grad(f)(x, v, k, dt, n) * v), argnums=(0, 3))


def of_tangents(f):
    def along(x, v, k, dt, n):
        return rg.jvp(lambda y: f(y, v, k, dt, n), (x,), (v,))[1]

    return rg.grad(along, argnums=(0, 1, 3))


def only_read(f):
    return rg.grad(f, argnums=2)


def checkpointed(f):
    return rg.grad(rg.checkpoint(f), argnums=(0, 1, 2, 3))


MODES: tuple[Mode, ...] = (
    gradient, hessian, rows, columns, twice, of_tangents, only_read, checkpointed,
)  # fmt: skip


def with_bytes(f):
    return rg.grad(f, argnums=(0, 1, 2, 3), memory="20kB")


def mapped(f):
    def total(dt, xs, v, k, n):
        return np.sum(rg.vmap(lambda x: f(x, v, k, dt, n))(xs))

    return lambda x, v, k, dt, n: rg.grad(total)(dt, np.stack([x, v]), v, k, n)


def agree(one: Any, other: Any) -> None:
    if isinstance(other, tuple):
        for a, b in zip(one, other, strict=True):
            agree(a, b)
    else:
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def cases(modes: tuple[Mode, ...]) -> list[Any]:
    """Every function with every mode; the dear ones in the second tier."""
    found: list[Any] = []
    for name in PAIRS:
        for mode in modes:
            cheap = mode is gradient or (
                name == "numbers" and mode in (twice, with_bytes, checkpointed)
            )
            marks = () if cheap else (pytest.mark.slow,)
            found.append(pytest.param(name, mode, id=f"{name}-{mode.__name__}", marks=marks))
    return found


@pytest.mark.parametrize(("name", "mode"), cases((*MODES, with_bytes, mapped)))
def test_the_derivative_is_that_by_tape(name: str, mode: Mode) -> None:
    undone, taped = PAIRS[name]
    found, wanted = (mode(f)(X, V, K, 0.05, 8) for f in (undone, taped))
    agree(found, wanted)
    assert np.any(np.asarray(wanted[0] if isinstance(wanted, tuple) else wanted) != 0.0)


@pytest.mark.parametrize(("name", "mode"), cases(MODES))
def test_nothing_is_recorded_for_an_iteration(name: str, mode: Mode) -> None:
    derivative = mode(PAIRS[name][0])
    sizes: list[int] = []
    for n in (10, 1000):
        derivative(X, V, K, 0.01, n)
        sizes.append(derivative.stats().tape_bytes)
    if mode is only_read and name == "numbers":
        assert sizes[1] < 32 * 1000  # the numbers that are read take no more than what undoes them
    else:
        assert sizes[0] == sizes[1] < 1000


@pytest.mark.parametrize("name", ["elements", "numbers"])
def test_a_budget_of_bytes_is_none_too_small(name: str) -> None:
    undone, _ = PAIRS[name]
    args = (X, V, K, 0.01, 2000)
    with rg.record() as seen:
        found = rg.grad(undone, argnums=(0, 1, 2, 3), memory="4kB")(*args)
    assert (seen.leaves, seen.snapshots, seen.recomputed_steps) == (1, 0, 0)
    for one, other in zip(found, gradient(undone)(*args), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_stops_inside_of_the_function_and_of_its_adjoint() -> None:
    def there_and_back(x, v, k, n):
        for _ in range(n):
            undone_leapfrog(x, v, k, 0.05)
        x_bar, v_bar, k_bar, dt_bar = np.ones(len(x)), np.zeros(len(x)), np.zeros(len(x)), 0.0
        for _ in range(n):
            before, bars = rg.adjoint(undone_leapfrog)(x, v, k, 0.05, x_bar, v_bar, k_bar, dt_bar)
            x, v = before[:2]
            x_bar, v_bar, k_bar, dt_bar = bars
        return x, v, x_bar, v_bar, k_bar, dt_bar

    args = (X, V, K, 6)
    whole = rg.jit(there_and_back)(*(np.copy(a) for a in args[:3]), 6)
    steps = rg.primops(there_and_back, *args)
    assert steps > 6 * 4 * len(X)  # loops inside of both have points
    for stop in range(1, steps, 7):
        found = rg.interrupt(there_and_back, *args, steps=stop)
        found = found if isinstance(found, tuple) else rg.resume(found)
        for one, other in zip(found, whole, strict=True):
            np.testing.assert_array_equal(one, other)
