"""Velocity Verlet, whose acceleration is carried to the next iteration: refused with ways out."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def carried(x, v, dt, n):
    a = -np.sin(x)
    for _ in range(n):
        v += 0.5 * dt * a
        x += dt * v
        a = -np.sin(x)
        v += 0.5 * dt * a


def carried_by_name(x, v, dt, n):
    a = -np.sin(x)
    for _ in range(n):
        x += dt * v + 0.5 * dt * dt * a
        b = -np.sin(x)
        v += 0.5 * dt * (a + b)
        a = b


def carried_in_place(x, v, dt, n):
    a = -np.sin(x)
    for _ in range(n):
        v += 0.5 * dt * a
        x += dt * v
        a[:] = -np.sin(x)
        v += 0.5 * dt * a


@pytest.mark.parametrize("fun", [carried, carried_by_name, carried_in_place])
def test_the_error_says_what_to_write(fun):
    with pytest.raises(rg.UserError, match="RG0503: 'a', .* from one iteration to the next") as e:
        rg.reversible(fun)
    assert "head of the loop's body" in str(e.value)
    assert "`a -= e` before the change and `a += e` after it" in str(e.value)


def used_later(x, v, n):
    for _ in range(n):
        a = -np.sin(x)
        x += v
        v += a


def test_what_changed_in_the_same_iteration_is_named_as_before():
    with pytest.raises(rg.UserError, match="RG0503: 'a', .* is used after `x \\+= v`"):
        rg.reversible(used_later)


@rg.reversible
def defined_again(x, v, dt, n):
    for _ in range(n):
        a = -np.sin(x)
        v += 0.5 * dt * a
        x += dt * v
        a = -np.sin(x)
        v += 0.5 * dt * a


@rg.reversible
def as_a_parameter(x, v, a, dt, n):
    for _ in range(n):
        v += 0.5 * dt * a
        a -= -np.sin(x)
        x += dt * v
        a += -np.sin(x)
        v += 0.5 * dt * a


def energy(step, x, v):
    x, v = x.copy(), v.copy()
    step(x, v)
    return np.sum(v * v) / 2 - np.sum(np.cos(x))


@pytest.mark.parametrize(
    "step",
    [
        lambda x, v: defined_again(x, v, 0.1, 20),
        lambda x, v: as_a_parameter(x, v, -np.sin(x), 0.1, 20),
    ],
)
def test_the_ways_out(step):
    x, v = np.array([1.0, 2.0]), np.array([0.0, 0.5])
    found = rg.grad(lambda x, v: energy(step, x, v), argnums=(0, 1))(x, v)
    expected = rg.grad(
        lambda x, v: energy(lambda x, v: carried(x, v, 0.1, 20), x, v), argnums=(0, 1)
    )(x, v)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
