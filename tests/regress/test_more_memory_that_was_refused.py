"""A budget was refused where a smaller one was enough: what the reverse sweep needs was guessed."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

X = np.linspace(0.1, 0.9, 5)


def levels(x, n):
    """A recursion with a loop at each level."""
    if n == 0:
        return np.sum(x * x)
    y = x
    for _ in range(130):
        y = y + 0.001 * np.sin(y)
    return levels(y, n - 1) * 0.99 + 0.01 * y[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("depth", "least", "most"), [(12, 6_300, 13_000), (60, 30_000, 60_000)])
def test_what_is_more_than_enough(depth: int, least: int, most: int) -> None:
    """From about the smallest to twice that; some in between were refused."""
    want = rg.grad(levels)(X, depth).tobytes()
    for budget in np.geomspace(least, most, 20).astype(int):
        with rg.record() as run:
            assert rg.grad(levels, memory=int(budget))(X, depth).tobytes() == want
        assert run.peak_bytes <= budget


def test_what_is_too_little() -> None:
    with pytest.raises(rg.UserError, match="RG4004"):
        rg.grad(levels, memory=4_000)(X, 12)


def descended(x, n):
    """A gradient at each level, which can do with less than it takes first."""
    if n == 0:
        return np.sum(x * x)
    slope = rg.grad(flow)(x)
    y = x - 0.01 * slope
    for _ in range(30):
        y = y + 0.001 * np.sin(y)
    return descended(y, n - 1) * 0.99 + 0.01 * slope[0]


def flow(x):
    v = x * 1.0
    for _ in range(100):
        v = v + 0.001 * (v * 0.3 - v * v * v)
    return np.sum(v * v)


@pytest.mark.parametrize("budget", [9_454, 10_640])
def test_inner_derivatives_that_may_do_with_less(budget: int) -> None:
    """A run that went ahead for a leaf, with no room for an inner derivative, was the end of it."""
    want = rg.grad(descended)(X, 12).tobytes()
    with rg.record() as run:
        assert rg.grad(descended, memory=budget)(X, 12).tobytes() == want
    assert run.peak_bytes <= budget
