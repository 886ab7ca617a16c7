"""Derivatives inside of derivatives, each with its schedule and its share of the budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X, D = np.array([0.3, 0.7, -0.2]), np.array([1.0, 2.0, -1.0])


def energy(x, p):
    """A long run: its gradient has a tape of some 170 kB, the gradient of that one of 390 kB."""
    v, s = x, 0.0
    for _ in range(3000):
        v = v + 0.0001 * (v * p - v * v * v)
        s += 0.001 * v[0] * v[1]
    return s + np.sum(v * v)


def descent(slope: Callable[..., Any]) -> Callable[[float], float]:
    """A few steps down a gradient."""

    def outer(p):
        x = np.array([0.3, 0.7, -0.2])
        for _ in range(4):
            x = x - 0.05 * slope(x, p)
        return np.sum(x * x)

    return outer


PLAIN = rg.grad(energy)
CAPPED = rg.grad(energy, memory="30kB")
GRADIENT = rg.grad(descent(PLAIN))


def leaf_bytes(f: Callable[..., Any], *args: Any) -> tuple[Any, rg.Recording]:
    with rg.record() as run:
        value = f(*args)
    return value, run


def test_a_long_gradient_in_the_body_of_a_loop() -> None:
    want = GRADIENT(1.3)
    stats = GRADIENT.stats()
    assert stats is not None
    assert stats.tape_bytes > 300_000
    limited = {size: rg.grad(descent(PLAIN), memory=size) for size in (250_000, 50_000, 15_000)}
    for budget, gradient in limited.items():
        found, run = leaf_bytes(gradient, 1.3)
        assert found == want
        assert run.peak_bytes <= budget
        assert run.inner >= 8  # four gradients and their four pullbacks


def test_with_room_enough_nothing_is_asked_for() -> None:
    found, run = leaf_bytes(rg.grad(descent(PLAIN), memory="10MB"), 1.3)
    assert found == GRADIENT(1.3)
    assert (run.inner, run.leaves, run.recomputed_steps) == (0, 1, 0)


def test_an_inner_budget_is_a_cap() -> None:
    want = GRADIENT(1.3)
    for memory in (None, "200kB", "20kB"):
        gradient = rg.grad(descent(CAPPED), memory=memory)
        assert gradient(1.3) == want
        stats = gradient.stats()
        assert stats is not None
        assert stats.peak_bytes < (20_000 if memory == "20kB" else 31_000)


def test_capped_derivatives_in_programs_and_products() -> None:
    jitted = rg.jit(descent(CAPPED))
    assert jitted(1.3) == rg.jit(descent(PLAIN))(1.3)
    stats = jitted.stats()
    assert stats is not None
    assert 0 < stats.peak_bytes < 31_000
    one, two = (rg.jvp(g, (X, 1.3), (D, 0.0)) for g in (CAPPED, PLAIN))
    np.testing.assert_array_equal(one, two)
    for memory in (None, "60kB"):
        back = rg.vjp(CAPPED, X, 1.3, memory=memory)[1]
        np.testing.assert_array_equal(back(D)[0], rg.vjp(PLAIN, X, 1.3)[1](D)[0])
    np.testing.assert_array_equal(rg.jacfwd(CAPPED)(X, 1.3), rg.jacfwd(PLAIN)(X, 1.3))


@pytest.mark.parametrize(
    "way",
    [
        rg.checkpointing.fixed_space(3, leaf="5kB"),
        rg.checkpointing.fixed_time(2, leaf="5kB", tree="treeverse"),
        rg.checkpointing.logarithmic(leaf="5kB"),
    ],
    ids=lambda way: way.kind,
)
def test_other_ways_inside(way: Any) -> None:
    limited = rg.grad(descent(rg.grad(energy, checkpointing=way)), memory="1MB")
    found, run = leaf_bytes(limited, 1.3)
    assert found == GRADIENT(1.3)
    assert run.inner == 8


def test_made_inside_of_the_program() -> None:
    def inside(p):
        x = np.array([0.3, 0.7, -0.2])
        y, back = rg.vjp(energy, x, p, memory="40kB")
        return np.sum(x - 0.05 * rg.grad(energy, memory="20kB")(x, p) - back(y)[0])

    def plainly(p):
        x = np.array([0.3, 0.7, -0.2])
        y, back = rg.vjp(energy, x, p)
        return np.sum(x - 0.05 * rg.grad(energy)(x, p) - back(y)[0])

    assert rg.jit(inside)(1.3) == rg.jit(plainly)(1.3)


def short(x, p):
    v = x
    for _ in range(3000):
        v = v + 0.001 * v * v * p
    return v * v


@pytest.mark.slow
def test_three_deep() -> None:
    def third(inner: Callable[..., Any]) -> Callable[[float], float]:
        def value(p):
            second = rg.grad(lambda q: inner(q, q) ** 2)
            s = 0.0
            for k in range(3):
                s += second(p + 0.1 * k)
            return s

        return value

    want = rg.grad(third(rg.grad(short)))(0.07)
    for inner, budget in ((rg.grad(short), 10_000), (rg.grad(short, memory="4kB"), 20_000)):
        found, run = leaf_bytes(rg.grad(third(inner), memory=budget), 0.07)
        assert found == want
        assert run.peak_bytes <= budget
        assert run.inner > 0


def test_exceptions_come_through() -> None:
    def faulty(x, n):
        s = 0.0
        for k in range(2000):
            s += x * x / (n - k)
        return s + 1 // (n - 1500)

    limited = rg.grad(lambda x, n: rg.grad(faulty)(x, n) * x, memory="20kB")
    plain = rg.grad(lambda x, n: rg.grad(faulty)(x, n) * x)
    assert limited(2.0, 2001) == plain(2.0, 2001)
    for f in (plain, limited):
        with pytest.raises(ZeroDivisionError):
            f(2.0, 1500)
    assert limited(2.0, 2001) == plain(2.0, 2001)


@pytest.mark.slow
def test_too_small_a_cap_and_unknown_ones() -> None:
    with pytest.raises(UserError, match="RG4004: 300 B are too little"):
        rg.jit(lambda p: rg.grad(energy, memory=300)(X, p)[0])(1.0)
    with pytest.raises(UserError, match=r"test_inner_memory.*RG4003: memory='much' is no"):
        rg.jit(lambda p: rg.grad(energy, memory="much")(X, p)[0])(1.0)
    with pytest.raises(UserError, match="RG4003: memory= is only known when the program runs"):
        rg.jit(lambda p: rg.grad(energy, memory=p)(X, 1.0)[0])(1)
    with pytest.raises(UserError, match="RG4004"):
        rg.grad(descent(PLAIN), memory="1kB")(1.3)


def test_runs_that_are_interrupted_take_no_budgets() -> None:
    with pytest.raises(rg.Limitation, match="RG2301"):
        rg.primops(descent(CAPPED), 1.3)


SMALL = rg.grad(lambda z: looped(z, 0.5), memory="6kB")
TWICE = rg.grad(lambda z: np.sum(SMALL(z) * z))


def looped(z, q):
    v = z * 1.0
    for _ in range(2000):
        v = v + 0.002 * np.sin(v * q)
    return np.sum(v * v)


@pytest.mark.parametrize(
    "memory", [*(pytest.param(m, marks=pytest.mark.slow) for m in (None, "100kB")), "1MB"]
)
def test_a_cap_within_what_has_none(memory: str | None) -> None:
    """The derivative around it was run whole, as native code that asks nobody."""
    x = np.linspace(0.1, 0.9, 5)
    with rg.record() as run:
        found = rg.grad(lambda z: np.sum(TWICE(z) * z), memory=memory)(x)
    assert run.inner > 0
    assert run.peak_bytes < 7_000
    plain = rg.grad(lambda z: np.sum(rg.grad(lambda u: looped(u, 0.5))(z) * z))
    np.testing.assert_array_equal(found, rg.grad(lambda z: np.sum(plain(z) * z))(x))
