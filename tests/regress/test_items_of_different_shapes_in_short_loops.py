"""Lists of arrays of different shapes, written to at the index of a short loop, raised ValueError.

Such a list was put into one array, as is right where the shapes are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X, V = np.array([0.3, -1.2, 0.5, 1.1]), np.array([0.2, 0.5])


def by_index(x: Any, v: Any) -> Any:
    q = [x, v]
    for k in range(2):
        q[k] = q[k] * (2.0 + k)
    return np.sum(q[0]) * np.sum(q[1] ** 2)


def descent(x: Any, v: Any) -> Any:
    params, slopes = [x, v], [x * 0.1, v * 0.2]
    for step in range(20):
        for k in range(len(params)):
            params[k] = params[k] - 0.1 * slopes[k]
            slopes[k] = np.sin(params[k]) * (1.0 + 0.01 * step)
    return np.sum(params[0]) * np.sum(params[1])


def layers(x: Any, v: Any) -> Any:
    net = [(np.outer(v, x), v), (np.outer(x, v), x)]
    for _ in range(3):
        for k in range(len(net)):
            w, b = net[k]
            net[k] = (w - 0.1 * w**2, b * 0.9)
    y = x
    for k in range(len(net)):
        y = np.tanh(net[k][0] @ y + net[k][1])
    return np.sum(y)


def buffers(x: Any, v: Any) -> Any:
    """More iterations than are translated one by one: refused before."""
    q, now = [x * 1.0, x * 0.5], 0
    for k in range(70):
        q[1 - now] = np.tanh(q[now]) * 0.9 + q[1 - now] * 0.1 + x
        now = 1 - now
    return np.sum(q[now] * q[1 - now]) + v[0]


def picked(x: Any, v: Any) -> Any:
    """Of different shapes, in a tuple, from both ends."""
    every, total, ways = (x, v, np.outer(x, v)[0]), 0.0, [(x, 2.0), (v, 3.0)]
    for k in range(100):
        y = every[k % 5 - 2]
        z, weight = ways[k % 2]
        total = total + weight * np.sum(np.sin(y * k)) * z[0]
    return total


PLACES = (1, 0)


def by_ints_from_outside(x: Any, v: Any) -> Any:
    q = [x, v]
    for k, y in zip(PLACES, (v, x), strict=True):
        q[k] = y * (2.0 + k)
    return np.sum(q[0]) * np.sum(q[1] ** 2)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [by_index, descent, layers, buffers, picked, by_ints_from_outside])
def test_values_and_gradients(f: Callable[..., Any]) -> None:
    assert rg.jit(f)(X, V) == pytest.approx(f(X, V), rel=1e-13)
    assert rg.check_grads(f, (X, V), 1).ok
    for plain, small in zip(
        rg.grad(f, (0, 1))(X, V), rg.grad(f, (0, 1), memory="1MB")(X, V), strict=True
    ):
        assert np.array_equal(plain, small)


def test_what_is_refused() -> None:
    def written(x: Any, v: Any) -> Any:
        q, total = (x * 1.0, x * 2.0), 0.0
        for k in range(70):
            y = q[k % 2]
            y[0] = 0.5 * k
            total = total + np.sum(q[0])
        return total

    with pytest.raises(UserError, match="another name"):
        rg.jit(written)(X, V)
    with pytest.raises(IndexError, match="tuple index out of range"):
        rg.jit(lambda x, n: np.sum((x, x[1:])[n]))(X, 2)
