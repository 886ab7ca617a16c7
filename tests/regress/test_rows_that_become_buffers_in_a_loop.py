"""Rows of a list became buffers in a loop, and were taken for unassigned in the next attempt.

The translation ended in an assertion.
"""

from __future__ import annotations

import pytest

import retrograd as rg


def f(x: float) -> float:
    rows = [[], [0.25], [0.5, 0.75]]
    total = 0.0
    while total < x:
        made = []
        for i in range(3):
            y = x
            for j in range(i):
                y = y + rows[i][j] * made[j]
            made.append(y)
        total += made[-1]
    return total


def test_the_program_is_translated() -> None:
    assert rg.jit(f)(1.3) == pytest.approx(f(1.3), rel=1e-15)
    assert rg.check_grads(f, (1.3,), 1).ok
