"""A run whose beginning records nothing: the reverse sweep ends before the schedule does.

It was resumed all the same, which was a crash of the process.
"""

from __future__ import annotations

import pytest

import retrograd as rg


def late(x: float, n: int) -> float:
    k = 1
    for i in range(n):
        k = (k * 7 + i) % 1009
    y = x
    for _ in range(2000):
        y = y + 1e-6 * y * y * k
    return y


@pytest.mark.parametrize("memory", [12_000, 8_000, 3_000])
def test_the_reverse_sweep_ends_first(memory: int) -> None:
    with rg.record() as run:
        found = rg.grad(late, memory=memory)(0.3, 20_000)
    assert found == rg.grad(late)(0.3, 20_000)
    assert run.leaves > 1


@pytest.mark.parametrize("snapshots", [1, 3])
def test_with_fixed_space(snapshots: int) -> None:
    way = rg.checkpointing.fixed_space(snapshots, leaf="2kB")
    assert rg.grad(late, checkpointing=way)(0.3, 20_000) == rg.grad(late)(0.3, 20_000)
