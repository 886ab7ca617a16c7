"""Reversible functions that are stopped in the middle, given what is odd, or never end."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.api.conftest import Cut, cutting
from tests.api.test_signals import ENDLESS, ctrl_c
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

_ = cutting

X, V = np.array([0.5, -0.25, 1.0]), np.array([0.1, 0.0, -0.3])


@rg.reversible
def swung(x, v, dt, n):
    for _ in range(n):
        v -= dt * np.sin(x)
        x += dt * v


# -- exceptions in the middle ---------------------------------------------------------------------


def root_of(a):
    if a < 0.0:
        raise ValueError("a root of what is negative")
    return math.sqrt(a)


@rg.reversible
def stopped(x, v, a):
    x += v
    v += root_of(a - x[0])
    x += v


@rg.reversible
def indexed(x, v, a):
    x += v
    v[int(a)] += 1.0
    x += v


@rg.reversible
def divided(x, v, a):
    x += v
    v += 1 // int(a)
    x += v


@pytest.mark.parametrize(
    ("function", "a", "kind"),
    [(stopped, 0.0, ValueError), (indexed, 7.0, IndexError), (divided, 0.0, ZeroDivisionError)],
)
def test_an_exception_in_the_middle(function: Any, a: float, kind: type[Exception]) -> None:
    """Compiled, the arguments are as before; Python leaves them as far as it has come."""
    x, v = X.copy(), V.copy()
    with pytest.raises(kind):
        function(x, v, a)
    np.testing.assert_array_equal(x, X + V)
    np.testing.assert_array_equal(v, V)
    x, v = X.copy(), V.copy()
    with pytest.raises(kind):
        rg.jit(function)(x, v, a)
    np.testing.assert_array_equal((x, v), (X, V))
    back = rg.inverse(function)
    for run, moved in ((back, 1.0), (rg.jit(back), 0.0)):
        x, v = X.copy(), V.copy()
        with pytest.raises(kind):
            run(x, v, -9.0 if function is stopped else a)
        np.testing.assert_array_equal(x, X - moved * V)

    def loss(x, v):
        x, v = x.copy(), v.copy()
        function(x, v, a)
        return np.sum(x)

    with pytest.raises(kind):
        rg.grad(loss)(X, V)


def test_ctrl_c_leaves_the_arguments_of_compiled_code() -> None:
    forwards, back = rg.jit(swung), rg.jit(rg.inverse(swung))
    for run in (forwards, back):
        x, v = X.copy(), V.copy()
        run(x.copy(), v.copy(), 0.01, 3)
        with ctrl_c(), pytest.raises(KeyboardInterrupt):
            run(x, v, 0.01, ENDLESS)
        np.testing.assert_array_equal((x, v), (X, V))


def test_a_gradient_that_is_cut_off_and_continues(
    tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    """One long call that is undone beside a loop that records, stopped on both ways."""

    def loss(x, v, n):
        x, v = x.copy(), v.copy()
        swung(x, v, 0.01, n)
        u = x
        for _ in range(n):
            u = np.sin(u) + 0.1 * x
        return np.sum(u * v)

    want = rg.grad(loss)(X, V, 200)
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    limited = rg.grad(loss, memory="3kB", resume=place)
    done = cutting(-1)
    np.testing.assert_array_equal(limited(X, V, 200), want)
    for count in {1, done[0] // 2, done[0] - 1}:
        cutting(count)
        with pytest.raises(Cut):
            limited(X, V, 200)
        cutting(-1)
        np.testing.assert_array_equal(limited(X, V, 200), want)


@pytest.mark.parametrize("function", [swung, rg.inverse(swung)])
def test_both_directions_stop_at_every_point(function: Any) -> None:
    def run(x, v, n):
        function(x, v, 0.01, n)
        return x, v

    want = rg.jit(run)(X.copy(), V.copy(), 4)
    steps = rg.primops(run, X.copy(), V.copy(), 4)
    assert steps > 8
    for stop in range(1, steps, 3):
        found = rg.interrupt(run, X.copy(), V.copy(), 4, steps=stop)
        found = found if isinstance(found, tuple) else rg.resume(found)
        np.testing.assert_array_equal(found, want)


# -- odd values -----------------------------------------------------------------------------------


@rg.reversible
def of_nan(x, y):
    a = y[0]
    x += y
    a += 1.0
    x += a
    a -= 1.0
    rg.release(a, y[0])


def test_nan_equals_nan() -> None:
    for y in (np.array([np.nan, 1.0]), np.array([np.inf, 1.0])):
        for run in (of_nan, rg.jit(of_nan)):
            x = np.ones(2)
            run(x, y)
            assert not np.any(np.isfinite(x))
    x = np.ones(2)
    rg.jit(rg.inverse(of_nan))(x, np.array([np.nan, 1.0]))
    assert np.all(np.isnan(x))


def test_nothing_at_all() -> None:
    empty = np.zeros(0)
    for run in (swung, rg.inverse(swung), rg.jit(swung), rg.jit(rg.inverse(swung))):
        run(empty.copy(), empty.copy(), 0.1, 3)
        x, v = X.copy(), V.copy()
        run(x, v, 0.1, 0)
        np.testing.assert_array_equal((x, v), (X, V))

    def loss(x, v, n):
        x, v = x.copy(), v.copy()
        swung(x, v, 0.1, n)
        return np.sum(x * x)

    assert rg.grad(loss)(empty, empty, 3).shape == (0,)
    np.testing.assert_array_equal(rg.grad(loss)(X, V, 0), 2.0 * X)
    (before, *_), (bars, *_) = rg.adjoint(swung)(empty, empty, 0.1, 3, empty, empty, 0.0)
    assert before.shape == bars.shape == (0,)


@rg.reversible
def drifting(x, y):
    a = 0.0
    x += y
    a += y
    a -= y * (1.0 + 1e-9)
    x += a
    rg.release(a, 0.0)
    return x


@rg.reversible
def drifting_many(x, y, n):
    for _ in range(n):
        x = drifting(x, y)
    return x


def test_what_is_released_is_the_value_from_then_on() -> None:
    """The drift of each call, 1e-9, is within the tolerance, and thousands of them do not add."""
    for run, back in (
        (drifting_many, rg.inverse(drifting_many)),
        (rg.jit(drifting_many), rg.jit(rg.inverse(drifting_many))),
    ):
        end = run(0.5, 1.0, 2000)
        assert near(end, 2000.5 - 2000e-9, 1e-12)
        assert near(back(end, 1.0, 2000), 0.5, 2e-5)


def test_drift_beyond_the_tolerance() -> None:
    def pushed(x, y):
        a = 0.0
        x += y
        a += y
        a -= y * (1.0 + 1e-7)
        x += a
        rg.release(a, 0.0)
        return x

    strict, loose = rg.reversible(pushed), rg.reversible(pushed, atol=1e-6)
    for run in (strict, rg.jit(strict), rg.inverse(strict)):
        with pytest.raises(rg.InvertibilityError, match="'a' is .* in the end, and not 0.0"):
            run(1.0, 1.0)
    for run in (loose, rg.jit(loose)):
        assert near(run(1.0, 1.0), 2.0, 1e-6)


# -- recursion and memory -------------------------------------------------------------------------


@rg.reversible
def without_end(x, k):
    x += 0.5
    if k >= 0:
        x = without_end(x, k + 1)
    return x


@rg.reversible
def nothing_but_itself(x):
    x = nothing_but_itself(x)
    return x


@rg.reversible
def to_the_end(x, k):
    x += 0.25 * x_of(k)
    if k > 0:
        x = to_the_end(x, k - 1)
    return x


def x_of(k):
    return math.sin(1.0 * k)


def test_recursion_without_end() -> None:
    for run in (without_end, rg.inverse(without_end), rg.jit(without_end)):
        with pytest.raises(RecursionError):
            run(0.0, 0)
    with pytest.raises(RecursionError):
        rg.grad(without_end)(0.0, 0)
    with pytest.raises(RecursionError):
        nothing_but_itself(0.0)
    with pytest.raises(rg.UserError, match="RG0111"):  # of which not even the type is known
        rg.jit(nothing_but_itself)(0.0)


def test_a_deep_recursion_is_undone() -> None:
    back = rg.jit(rg.inverse(to_the_end))
    assert near(back(rg.jit(to_the_end)(1.0, 5000), 5000), 1.0, 1e-9)
    assert rg.grad(to_the_end)(1.0, 5000) == 1.0


G = np.array([0.5, -0.25, 1.0])


@rg.reversible
def reads_a_global(v, dt):
    v -= dt * np.sin(G)


def test_a_global_array_that_is_an_argument_too() -> None:
    for run in (reads_a_global, rg.inverse(reads_a_global)):
        with pytest.raises(rg.InvertibilityError, match="'v' and 'G' of reads_a_global.* share"):
            run(G, 0.1)
        run(V.copy(), 0.1)
    for run in (rg.jit(reads_a_global), rg.jit(rg.inverse(reads_a_global))):
        with (
            pytest.warns(RuntimeWarning, match="run by Python"),
            pytest.raises(rg.InvertibilityError, match="share memory"),
        ):
            run(G, 0.1)


@rg.reversible
def through_a_view(x, k):
    b = x[k:]
    b += 0.5 * x[:3]


def test_a_view_whose_base_is_read() -> None:
    x = np.arange(6.0)
    for run in (through_a_view, rg.jit(through_a_view)):
        with pytest.raises(rg.InvertibilityError, match="have elements in common"):
            run(np.arange(5.0), 2)
        y = x.copy()
        run(y, 3)
        np.testing.assert_array_equal(y, [0.0, 1.0, 2.0, 3.0, 4.5, 6.0])
        rg.inverse(through_a_view)(y, 3)
        np.testing.assert_array_equal(y, x)
