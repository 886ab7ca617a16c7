"""Reversible functions that exchange arrays by name, in loops: undone, and differentiated so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def wave(u, w, c, n):
    """Steps of leapfrog for the wave equation; `w` is the time step before `u`."""
    for _ in range(n):
        u[1:-1] *= -1.0
        u[1:-1] += 2 * w[1:-1] + c * (w[2:] - 2 * w[1:-1] + w[:-2])
        u, w = w, u
    return u, w


undone = rg.reversible(wave)
U, W = np.random.default_rng(0).standard_normal((2, 9))


def at_once(f: Callable[..., Any]) -> Callable[..., Any]:
    def loss(u, w, c, n):
        u, w = u.copy(), w.copy()
        u, w = f(u, w, c, n)
        return np.sum(u * u * w) + w[2]

    return loss


def step_by_step(f: Callable[..., Any]) -> Callable[..., Any]:
    def loss(u, w, c, n):
        u, w, total = u.copy(), w.copy(), 0.0
        for k in range(n):
            u, w = f(u, w, c, 1)
            total += np.sum(u * w[::-1]) * k
        return total

    return loss


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_values_and_inverses(n: int) -> None:
    plain, compiled = [(U.copy(), W.copy()) for _ in range(2)]
    wanted, found = wave(*plain, 0.1, n), rg.jit(undone)(*compiled, 0.1, n)
    np.testing.assert_allclose((found, compiled), (wanted, plain), rtol=1e-13)
    for back in (rg.inverse(undone), rg.jit(rg.inverse(undone))):
        again = back(*(x.copy() for x in wanted), 0.1, n)
        np.testing.assert_allclose(again, (U, W), rtol=1e-13)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_gradients(n: int) -> None:
    gradient = rg.grad(at_once(undone), argnums=(0, 1, 2))
    wanted = rg.grad(at_once(wave), argnums=(0, 1, 2))(U, W, 0.1, n)
    for mine, other in zip(gradient(U, W, 0.1, n), wanted, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
    dot = np.cos(U)
    twice = [rg.jvp(lambda u: rg.grad(f)(u, W, 0.1, n), (U,), (dot,))[1] for f in TWICE]
    np.testing.assert_allclose(*twice, rtol=1e-12, atol=1e-12)


TWICE = at_once(undone), at_once(wave)


@pytest.mark.parametrize("around", [at_once, step_by_step])
def test_nothing_is_recorded(around: Callable[..., Any]) -> None:
    gradient = rg.grad(around(undone), argnums=(0, 1, 2))
    sizes: set[int] = set()
    for n in (10, 1001):
        gradient(U, W, 0.1, n)
        sizes.add(gradient.specialise((U, W, 0.1, n), {})[1].stats.tape_bytes)
    assert len(sizes) == 1


def test_in_a_budget() -> None:
    bars = [rg.grad(step_by_step(undone), memory=m)(U, W, 0.1, 20) for m in (None, "32kB")]
    np.testing.assert_array_equal(*bars)
    u, e = U, 1e-6
    d = np.cos(u)
    ends = [step_by_step(undone)(u + s * e * d, W, 0.1, 20) for s in (1, -1)]
    assert bars[0] @ d == pytest.approx((ends[0] - ends[1]) / (2 * e), rel=1e-6)


def test_of_the_caller() -> None:
    """Arrays of the caller change as by Python; the call is one of an ordinary function then."""

    def f(u, w, n):
        undone(u, w, 0.1, n)
        return u[2] + 2 * w[3]

    for n in range(3):
        mine, others = [(U.copy(), W.copy()) for _ in range(2)]
        assert rg.jit(f)(*mine, n) == pytest.approx(f(*others, n), rel=1e-13)
        np.testing.assert_allclose(mine, others, rtol=1e-13)


def test_another_name_is_refused_afterwards() -> None:
    def f(u, n):
        u = u.copy()
        keep = u
        u, w = undone(u, W.copy(), 0.1, n)
        return u[2] + keep[3] + w[1]

    with pytest.raises(UserError, match="RG0106"):
        rg.grad(f)(U, 3)


@rg.reversible
def alternating(u, w, n):
    for _ in range(n):
        u[0] += w[-1] * w[-1]
        u, w = w, u
    return u, w


def test_other_extents() -> None:
    def f(u, n):
        u, w = alternating(u.copy(), np.array([0.5, 0.25]), n)
        return u[0] + 2 * w[0]

    for n in range(3):
        assert rg.jit(f)(U, n) == f(U, n)
    with pytest.raises(ValueError, match=r"exchanges have extents .*differentiate the plain"):
        rg.grad(f)(U, 3)


def test_made_inside_of_a_program() -> None:
    def f(u):
        return rg.reversible(wave)(u, u.copy(), 0.1, 2)

    with pytest.raises(UserError, match=r"RG0101.*inside of a program"):
        rg.jit(f)(U)


def test_an_adjoint_made_outside_of_a_program() -> None:
    adjoint = rg.adjoint(undone)
    bars = np.cos(U), np.sin(W), 0.0
    wanted = adjoint(U, W, 0.1, 3, *bars)
    found = rg.jit(adjoint)(U, W, 0.1, 3, *bars)
    np.testing.assert_allclose(found[0][:2], wanted[0][:2], rtol=1e-13)
    np.testing.assert_allclose(found[1][:2], wanted[1][:2], rtol=1e-13)

    def slope(c):
        return adjoint(U, W, c, 3, np.cos(U), np.sin(W), 0.0)[1][2]

    near = (slope(0.1 + 1e-6) - slope(0.1 - 1e-6)) / 2e-6
    assert rg.grad(slope)(0.1) == pytest.approx(near, rel=1e-6)
    with pytest.raises(UserError, match="is given 5 arguments"):
        rg.jit(lambda c: adjoint(U, W, c, 3, U))(0.1)
    with pytest.raises(UserError, match="keyword arguments"):
        rg.jit(lambda c: adjoint(U, W, c, 3, *bars, more=1))(0.1)
