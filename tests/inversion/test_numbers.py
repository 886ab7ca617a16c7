"""Fixed-point numbers: what is added is taken off to the bit, and derivatives pass through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def swing(x, v, dt, n):
    for _ in range(n):
        v -= dt * np.sin(x.floats)
        x += dt * v
        for k in range(1, len(x)):
            x[k] += 0.1 * v[k - 1]


@rg.reversible
def swing_of_floats(x, v, dt, n):
    for _ in range(n):
        v -= dt * np.sin(x)
        x += dt * v
        for k in range(1, len(x)):
            x[k] += 0.1 * v[k - 1]


X, V = np.array([1.0, -0.7, 0.3]), np.array([0.2, 0.1, -0.4])


def there_and_back(x, v, dt, n):
    """The units before and after."""
    a, b = rg.fixed(x), rg.fixed(v)
    before = a.units.copy(), b.units.copy()
    swing(a, b, dt, n)
    rg.inverse(swing)(a, b, dt, n)
    return before, (a.units, b.units)


@pytest.mark.parametrize("run", [there_and_back, rg.jit(there_and_back)])
def test_runs_are_undone_to_the_bit(run: Any) -> None:
    before, after = run(X, V, 0.05, 200)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def end(x, v, dt, n):
    """A loss of the end of a run with fixed-point numbers."""
    a, b = rg.fixed(x), rg.fixed(v)
    swing(a, b, dt, n)
    return np.sum(a.floats * b.floats)


def end_of_floats(x, v, dt, n):
    """The same with floats."""
    x, v = x.copy(), v.copy()
    swing_of_floats(x, v, dt, n)
    return np.sum(x * v)


def test_gradients_are_those_of_floats_and_record_nothing() -> None:
    fixed, floats = (rg.grad(f, argnums=(0, 1, 2)) for f in (end, end_of_floats))
    assert near(fixed(X, V, 0.05, 50), floats(X, V, 0.05, 50), 1e-9)
    sizes: set[int] = set()
    for n in (10, 10_000):
        fixed(X, V, 0.001, n)
        stats = fixed.specialise((X, V, 0.001, n), {})[1].stats
        sizes.add(stats.tape_bytes)
    assert len(sizes) == 1


def test_the_adjoint_restores_the_bits() -> None:
    a, b = rg.fixed(X), rg.fixed(V)
    start = a.units.copy()
    swing(a, b, 0.05, 30)
    (before, _, _, _), bars = rg.adjoint(swing)(a, b, 0.05, 30, V, X, 0.0)
    assert np.array_equal(before.units, start)
    floats = X.copy(), V.copy()
    swing_of_floats(*floats, 0.05, 30)
    _, expected = rg.adjoint(swing_of_floats)(*floats, 0.05, 30, V, X, 0.0)
    assert near(bars, expected, 1e-9)


def test_they_read_as_floats() -> None:
    a = rg.fixed(X)
    assert near(
        (a + 1.0, 2.0 - a, a * a, 1.0 / a, -a, a**2), (X + 1, 2 - X, X * X, 1 / X, -X, X**2)
    )
    assert near(np.sin(a), np.sin(X))
    assert len(a) == 3
    assert repr(rg.fixed(np.array([0.5]))) == "fixed([0.5])"


def test_numbers_that_are_too_large() -> None:
    for run in (rg.fixed, rg.jit(lambda x: rg.fixed(x).floats)):
        with pytest.raises(OverflowError, match=r"below 2 \*\* 20"):
            run(np.array([2.0**20]))


@rg.reversible
def double(x):
    x *= 2.0


def doubled(x):
    """A product of fixed-point numbers."""
    a = rg.fixed(x)
    double(a)
    return a.floats


@pytest.mark.parametrize("run", [doubled, rg.jit(doubled)])
def test_products_are_refused(run: Any) -> None:
    with pytest.raises(rg.InvertibilityError, match="has to be a float"):
        run(X)
