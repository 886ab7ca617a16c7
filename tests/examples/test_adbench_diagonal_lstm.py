"""ADBench's LSTM with diagonal weights against its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from examples.adbench.diagonal_lstm import objective
from tests.examples.adbench_numbers import assert_close, directional, numbers

NUMBERS = numbers("diagonal_lstm")
SEQUENCE = np.array([[float(bit) for bit in row] for row in NUMBERS["sequence"]])
MAIN, EXTRA, STATE = (np.array(NUMBERS[k]) for k in ("main", "extra", "state"))


@pytest.mark.parametrize("fun", [objective, rg.jit(objective)], ids=["python", "native"])
def test_objective(fun: Any) -> None:
    before = STATE.copy()
    assert_close(fun(MAIN, EXTRA, STATE, SEQUENCE), NUMBERS["objective"], 1e-12)
    np.testing.assert_array_equal(STATE, before)


def test_gradient() -> None:
    main, extra = rg.grad(objective, argnums=(0, 1))(MAIN, EXTRA, STATE, SEQUENCE)
    assert_close(np.concatenate((main.ravel(), extra.ravel())), NUMBERS["gradient"], 1e-12)


def test_gradient_in_little_memory() -> None:
    whole, little = (
        rg.grad(objective, argnums=(0, 1), memory=memory)(MAIN, EXTRA, STATE, SEQUENCE)
        for memory in (None, "60kB")
    )
    assert all(np.array_equal(a, b) for a, b in zip(whole, little, strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_forward_mode(seed: int) -> None:
    def of_parameters(main, extra):
        return objective(main, extra, STATE, SEQUENCE)

    direction, slope = directional(of_parameters, (MAIN, EXTRA), seed)
    flat = np.concatenate([d.ravel() for d in direction])
    gradient = np.array(NUMBERS["gradient"])
    assert abs(slope - flat @ gradient) <= 1e-12 * np.linalg.norm(flat) * np.linalg.norm(gradient)
