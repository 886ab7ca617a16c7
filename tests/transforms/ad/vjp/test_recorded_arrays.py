"""Elementwise functions of arrays that take long are recorded, and draws are made again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.special as sp

import retrograd as rg

N = 1000
X = np.random.default_rng(4).uniform(0.5, 2.0, N)


def cheap(x: np.ndarray) -> float:
    return np.sum(np.sin(x) * x)


def exponentials(x: np.ndarray) -> float:
    return np.sum(np.exp(x) * x)


def recursive(x: np.ndarray, k: int = 3) -> float:
    """The first call stands in its caller, and runs once."""
    if k == 0:
        return np.sum(x)
    return recursive(0.1 * np.exp(x) * x, k - 1)


def in_a_branch_of_a_loop(x: np.ndarray) -> float:
    total = 0.0
    for k in range(8):
        if k % 2:
            total += np.sum(np.exp(x) * x)
    return total


def in_a_loop(x: np.ndarray) -> float:
    for _ in range(3):
        x = 0.1 * np.exp(x) * x
    return np.sum(x)


def error_functions(x: np.ndarray) -> float:
    return np.sum(sp.erf(x) * x)


def gammas(x: np.ndarray) -> float:
    return np.sum(x * sp.gammaln(x))


def of_draws(x: np.ndarray) -> float:
    noise = rg.random.default_rng(3).normal(size=len(x))
    return np.sum(x * noise * sp.erf(noise))


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (cheap, 0),
        (exponentials, N),
        (in_a_loop, 3 * N),
        (recursive, N),
        (in_a_branch_of_a_loop, 0),
        (error_functions, N),
        (gammas, N),
        (of_draws, 0),
    ],
)
def test_tapes(f: Callable[[np.ndarray], float], words: int) -> None:
    gradient = rg.grad(f)
    slopes = gradient(X)
    assert 8 * words <= gradient.stats().tape_bytes <= 8 * words + 64
    direction = np.cos(np.arange(N))
    ends = [f(X + s * 1e-6 * direction) for s in (1, -1)]
    np.testing.assert_allclose(slopes @ direction, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
    assert rg.grad(f, memory="1MB")(X).tobytes() == slopes.tobytes()
