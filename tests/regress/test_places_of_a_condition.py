"""The body of a `while` used a place that its condition had calculated, which it cannot see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import retrograd as rg


@dataclass(frozen=True, eq=False)
class Marks:
    held: Any

    def __getitem__(self, k: Any) -> Any:
        return int(self.held[k])

    def __setitem__(self, k: Any, value: Any) -> None:
        self.held[k] = value


def visited(x: Any) -> Any:
    seen = Marks(np.zeros(4, dtype=np.int64))
    total, i = 0.0, 0
    while not seen[i]:
        seen[i] = 1
        total += x[i] * x[i]
        i = (i * 3 + 1) % 4
    return total


def test_a_body_calculates_its_own_places() -> None:
    x = np.array([1.5, 2.5, -0.5, 4.0])
    assert np.array_equal(rg.grad(visited)(x), [3.0, 5.0, 0.0, 0.0])
    assert np.array_equal(rg.grad(visited, memory=10**6)(x), [3.0, 5.0, 0.0, 0.0])
