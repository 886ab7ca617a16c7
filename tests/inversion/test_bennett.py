"""Bennett's scheme: its counts, and its gradient."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near


def step(x):  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    """A step that loses information."""
    return np.sin(x) + 0.5 * x * x


def steps(x, n):  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    """Many, as an ordinary program."""
    for _ in range(n):
        x = np.sin(x) + 0.5 * x * x
    return np.sum(x)


@pytest.mark.parametrize(("k", "m"), [(2, 4), (3, 3), (4, 2), (5, 1)])
def test_calls_and_states_are_those_of_the_formula(k: int, m: int) -> None:
    run = rg.bennett(step, np.array([0.5, 0.2]), k**m, k)
    assert run.calls == (2 * k - 1) ** m
    assert run.peak_states == m * (k - 1) + 2
    assert run.state_bar is None


@pytest.mark.parametrize(("n", "k"), [(1, 2), (16, 2), (23, 3), (7, 10)])
def test_gradients_are_those_of_the_steps(n: int, k: int) -> None:
    x = np.array([0.5, 0.2])
    run = rg.bennett(step, x, n, k, np.ones(2))
    assert run.pullbacks == n
    assert near(run.state_bar, rg.grad(steps)(x, n), 1e-12)
    assert near(float(np.sum(run.state)), rg.jit(steps)(x, n), 1e-14)


def test_states_may_be_trees() -> None:
    def turn(state: tuple[float, float]) -> tuple[float, float]:
        a, b = state
        return a + 0.1 * b, b - 0.1 * a * a

    run = rg.bennett(turn, (1.0, 0.5), 9, 3, (1.0, 0.0))

    def end(a: float, b: float) -> float:
        for _ in range(9):
            a, b = a + 0.1 * b, b - 0.1 * a * a
        return a

    assert near(run.state_bar, rg.grad(end, argnums=(0, 1))(1.0, 0.5), 1e-12)


@pytest.mark.parametrize(("n", "k"), [(0, 2), (-3, 2), (4, 1)])
def test_numbers_that_are_too_small(n: int, k: int) -> None:
    with pytest.raises(rg.UserError, match="RG0511"):
        rg.bennett(step, 1.0, n, k)
