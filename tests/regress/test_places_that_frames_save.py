"""A place that came round and was used after an inner loop again was no valid LLVM in a budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

PLACES = np.array([0, -1, 2, -3, 1, 2] * 10)
GRIDS = np.linspace(0.0, 1.0, 12).reshape(3, 4) ** 2


def looked_up(tables: Any, energy: float) -> Any:
    total = np.zeros(2)
    for at in range(len(PLACES)):
        row = PLACES[at]
        grid = GRIDS[row]
        low, high = 0, len(grid) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if grid[middle] <= energy:
                low = middle
            else:
                high = middle
        share = (energy - grid[low]) / (grid[low + 1] - grid[low])
        total += (1.0 - share) * tables[row, low] + share * tables[row, low + 1]
    return np.sum(total * total)


@pytest.mark.parametrize("memory", ["20kB", "200kB"])
def test_bits_are_those_of_the_full_tape(memory: str) -> None:
    tables = np.sin(np.arange(24.0)).reshape(3, 4, 2)
    value, slopes = rg.value_and_grad(looked_up)(tables, 0.4)
    assert value == pytest.approx(looked_up(tables, 0.4), rel=1e-13)
    found = rg.value_and_grad(looked_up, memory=memory)(tables, 0.4)
    assert found[0] == value
    np.testing.assert_array_equal(found[1], slopes)
