"""An item of another shape was taken for all there are where the buffers of a list were full.

The items that were there lost elements, or were written beyond the end of the new buffers. And a
row of a list of lists was another list than that row, when `is` asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg


def shorter(u: Any, n: int) -> Any:
    rows = [[0.1 * u] for _ in range(n + 1)]
    rows.append([])
    return sum(sum(row) for row in rows)


def longer(u: Any, n: int) -> Any:
    rows = [[0.1 * u] for _ in range(n + 1)]
    rows.append([u, u])
    return sum(sum(row) for row in rows)


def arrays(u: Any, n: int) -> Any:
    every = [np.ones(50_000) * u for _ in range(n)]
    every.append(np.ones(2) * u)
    return np.sum(every[0])


@pytest.mark.parametrize("f", [shorter, longer, arrays])
def test_another_shape_raises(f: Any) -> None:
    for n in (1, 9):
        with pytest.raises(ValueError, match="different shapes in a list of run-time length"):
            rg.jit(f)(1.5, n)


def test_the_same_shape_does_not() -> None:
    def f(u: Any, n: int) -> Any:
        every, rows = [np.ones(3) * u], []
        for k in range(n):
            every.append(np.arange(3.0) * u * k)
            rows.append([u, k * u])
        return sum(np.sum(one) for one in every) + sum(a * b for a, b in rows)

    for n in (0, 1, 7, 8, 20):
        assert rg.jit(f)(1.5, n) == pytest.approx(f(1.5, n), rel=1e-14)
        assert rg.check_grads(f, (1.5, n), 1).ok


def test_a_row_is_the_row() -> None:
    def f(u: Any, n: int) -> Any:
        rows = [[u, u] for _ in range(n)]
        row, one = rows[0], [u]
        same = [one for _ in range(n)]
        return u * (row is rows[0]) + 2 * (row is rows[n - 1]) + 3 * (same[0] is one)

    for n in (1, 9):
        assert rg.jit(f)(1.5, n) == f(1.5, n)
