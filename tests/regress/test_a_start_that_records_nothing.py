"""A reverse sweep that is done before the first stretches were recorded crashed the process."""

from __future__ import annotations

import math

import pytest

import retrograd as rg


def late(x, n):
    k = 12345
    for _ in range(n):
        k = (k * 1103515245 + 12345) % 2147483648
    y = x + (k % 7) * 1e-3
    for _ in range(2000):
        y = y + 0.01 * math.sin(y)
    return y


@pytest.mark.parametrize("budget", [10_000, 5_000, 3_000])
def test_in_a_budget(budget: int) -> None:
    assert rg.grad(late, memory=budget)(0.5, 50_000) == rg.grad(late)(0.5, 50_000)


def test_by_a_tree() -> None:
    way = rg.checkpointing.fixed_space(3, leaf="100B")
    with rg.record() as run:
        assert rg.grad(late, checkpointing=way)(0.5, 50_000) == rg.grad(late)(0.5, 50_000)
    assert run.leaves >= 1
