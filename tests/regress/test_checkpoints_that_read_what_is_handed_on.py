"""A product of matrices was recorded for a checkpointed step that keeps nothing.

It read a state that the loop hands on to its next iteration, and such a state was not recorded, or
calculated again, for what policies have calculated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.checkpoint
def half(w, v, x, y):
    return x + 0.05 * (np.tanh(y @ w) @ v)


@rg.checkpoint
def whole(w, v, x, y):
    x = x + 0.05 * (np.tanh(y @ w) @ v)
    return x, y + 0.05 * (np.tanh(x @ w) @ v)


def by_halves(w, v, x, y, n):
    for _ in range(n):
        x = half(w, v, x, y)
        y = half(w, v, y, x)
    return np.sum(x * y)


def by_wholes(w, v, x, y, n):
    for _ in range(n):
        x, y = whole(w, v, x, y)
    return np.sum(x * y)


def plain(w, v, x, y, n):
    for _ in range(n):
        x = x + 0.05 * (np.tanh(y @ w) @ v)
        y = y + 0.05 * (np.tanh(x @ w) @ v)
    return np.sum(x * y)


@pytest.mark.parametrize("loss", [by_halves, by_wholes])
def test_nothing_but_the_states_is_recorded(loss: Any) -> None:
    draw = np.random.default_rng(0)
    w, v = draw.normal(size=(2, 32)), draw.normal(size=(32, 2))
    x, y = draw.normal(size=(4, 2)), draw.normal(size=(4, 2))
    gradient, expected = (rg.grad(f, argnums=(0, 1, 2, 3)) for f in (loss, plain))
    for a, b in zip(gradient(w, v, x, y, 9), expected(w, v, x, y, 9), strict=True):
        assert np.array_equal(a, b)
    sizes: list[int] = []
    for n in (10, 110):
        gradient(w, v, x, y, n)
        sizes.append(gradient.stats().tape_bytes)
    assert (sizes[1] - sizes[0]) / 100 <= x.nbytes + y.nbytes + 64  # extents, and room between
