"""Derivatives of programs that call reversible functions: right, and without a tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import spec_of
from tests.inversion.programs import near

pytestmark = pytest.mark.thinned(3)

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def leap(x, v, mass, dt):
    """A leapfrog step."""
    a = -np.sin(x) / mass
    v += dt * a
    x += dt * v


undone_leap = rg.reversible(leap)


def leaps(x, v, mass, dt, n):
    """Many steps in one function."""
    for _ in range(n):
        a = -np.sin(x) / mass
        v += dt * a
        x += dt * v


undone_leaps = rg.reversible(leaps)


def spiral(a, b, angle, n):
    """Numbers that are carried."""
    for _ in range(n):
        a, b = rg.rotate(a, b, angle)
        a += 0.01 * b * b
    return a, b


undone_spiral = rg.reversible(spiral)


def end_of(steps: Any) -> Callable[..., Any]:
    """A loss of the end, of many steps in one function."""

    def end(x, v, mass, dt, n):
        x, v = x.copy(), v.copy()
        steps(x, v, mass, dt, n)
        return np.sum(x * x) + np.sum(v)

    return end


def end_outside(step: Any) -> Callable[..., Any]:
    """The same with the loop outside."""

    def end(x, v, mass, dt, n):
        x, v = x.copy(), v.copy()
        for _ in range(n):
            step(x, v, mass, dt)
        return np.sum(x * x) + np.sum(v)

    return end


def path(step: Any) -> Callable[..., Any]:
    """A loss along the way: ordinary reads between the calls."""

    def loss(x, v, mass, dt, n):
        x, v, total = x.copy(), v.copy(), 0.0
        for t in range(n):
            step(x, v, mass, dt)
            total += np.sum((x - 0.01 * t) ** 2)
        return total

    return loss


def numbers(steps: Any) -> Callable[..., Any]:
    """A loop around a function of numbers."""

    def loss(x, v, mass, dt, n):
        a, b = x[0], v[0]
        total = 0.0
        for _ in range(n):
            a, b = steps(a, b, dt * mass, 3)
            total += a * b
        return total

    return loss


def part(step: Any) -> Callable[..., Any]:
    """Calls with parts of arrays, and other writes between them."""

    def loss(x, v, mass, dt, n):
        both = np.zeros((2, len(x)))
        both[0] = x
        both[1] = v
        for k in range(n):
            step(both[0], both[1], mass, dt)
            both[0, k % len(x)] *= 1.01
        return np.sum(both[0] * both[1])

    return loss


def changed_later(step: Any) -> Callable[..., Any]:
    """An argument that calls only read, and the program changes."""

    def loss(x, v, mass, dt, n):
        x, v, rate = x.copy(), v.copy(), np.ones(len(x))
        for _ in range(n):
            step(x, v, mass * rate, dt)
            rate[0] += 0.1 * x[1]
        return np.sum(x * rate)

    return loss


CASES = {
    "end": (end_of, leaps, undone_leaps),
    "outside": (end_outside, leap, undone_leap),
    "path": (path, leap, undone_leap),
    "numbers": (numbers, spiral, undone_spiral),
    "part": (part, leap, undone_leap),
    "changed later": (changed_later, leap, undone_leap),
}
X, V = np.array([0.5, -0.2, 1.1]), np.array([0.1, 0.3, -0.4])
ARGS = X, V, 1.3, 0.05
WRT = (0, 1, 2, 3)


def pair(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A loss with and without reversible calls."""
    around, plain, undone = CASES[name]
    return around(undone), around(plain)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_the_plain_text(name: str) -> None:
    undone, plain = pair(name)
    assert near(rg.jit(undone)(*ARGS, 40), rg.jit(plain)(*ARGS, 40), 1e-13)
    found, expected = (rg.grad(f, argnums=WRT)(*ARGS, 40) for f in (undone, plain))
    assert near(found, expected, 1e-11)


@pytest.mark.parametrize("name", ["end", "outside", "path", "numbers"])
def test_nothing_is_recorded(name: str) -> None:
    gradient = rg.grad(pair(name)[0], argnums=WRT)
    sizes: set[int] = set()
    for n in (10, 400):
        gradient(X, V, 1.3, 0.001, n)
        stats = gradient.specialise((X, V, 1.3, 0.001, n), {})[1].stats
        sizes.add(stats.tape_bytes)
    assert len(sizes) == 1


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str) -> None:
    undone, plain = pair(name)
    x_dot = np.array([1.0, -0.5, 0.25])

    def along(f: Callable[..., Any]) -> Callable[..., Any]:
        def tangent(x, v, mass, dt, n):
            return rg.jvp(lambda x: f(x, v, mass, dt, n), (x,), (x_dot,))[1]

        return tangent

    found, expected = (rg.jit(along(f))(*ARGS, 12) for f in (undone, plain))
    assert near(found, expected, 1e-11)
    found, expected = (rg.grad(along(f), argnums=WRT)(*ARGS, 12) for f in (undone, plain))
    assert near(found, expected, 1e-9)


@pytest.mark.parametrize("name", ["end", "path"])
def test_hessians(name: str) -> None:
    undone, plain = (rg.hessian(f)(*ARGS, 6) for f in pair(name))
    assert near(undone, plain, 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_in_a_budget(name: str) -> None:
    undone, plain = pair(name)
    found = rg.grad(undone, argnums=WRT, memory="20kB")(*ARGS, 40)
    assert near(found, rg.grad(plain, argnums=WRT)(*ARGS, 40), 1e-11)


def checkpointed(f: Callable[..., Any]) -> Callable[..., Any]:
    """A call under a checkpoint."""
    inside = rg.checkpoint(f)

    def loss(x, v, mass, dt, n):
        return inside(x, v, mass, dt, n) * 2.0

    return loss


def mapped(f: Callable[..., Any]) -> Callable[..., Any]:
    """Calls in a map."""

    def loss(x, v, mass, dt, n):
        return np.sum(rg.map(lambda scale: f(scale * x, v, mass, dt, n), np.array([1.0, 0.5])))

    return loss


@pytest.mark.parametrize("around", [checkpointed, mapped])
@pytest.mark.parametrize("name", ["end", "path"])
def test_inside_of_others(name: str, around: Any) -> None:
    undone, plain = (rg.grad(around(f), argnums=WRT)(*ARGS, 20) for f in pair(name))
    assert near(undone, plain, 1e-11)


@rg.custom_vjp
def custom(x, v, mass, dt, n):
    """A rule of the user's that calls the adjoint."""
    x, v = x.copy(), v.copy()
    undone_leaps(x, v, mass, dt, n)
    return np.sum(x * x) + np.sum(v)


def custom_fwd(x, v, mass, dt, n):
    """What is kept is the end."""
    x, v = x.copy(), v.copy()
    undone_leaps(x, v, mass, dt, n)
    return np.sum(x * x) + np.sum(v), (x, v, mass, dt, n)


def custom_bwd(kept, bar):
    """The way back is the adjoint."""
    x, v, mass, dt, n = kept
    _, bars = rg.adjoint(undone_leaps)(
        x, v, mass, dt, n, 2.0 * bar * x, np.full(len(v), bar), 0.0, 0.0
    )
    return *bars, None


custom.defvjp(custom_fwd, custom_bwd)


def test_a_rule_whose_pullback_is_an_adjoint() -> None:
    found = rg.grad(lambda *args: custom(*args, 20), argnums=WRT)(*ARGS)
    assert near(found, rg.grad(pair("end")[1], argnums=WRT)(*ARGS, 20), 1e-11)


def test_programs_are_kept_on_disk() -> None:
    specs = [spec_of(value) for value in (*ARGS, 10)]
    made = prepare(pair("path")[0], specs, {}, derivative=True)
    assert made.traced.recorder.obstacle is None
