"""Loops over tuples and lists of lists, whose bodies append to the lists that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg


def in_a_tuple(x: float, n: int) -> float:
    up: list[float] = []
    down: list[float] = []
    for i in range(n):
        for kept in (up, down):
            kept.append(x * i)
    return sum(up) + 2.0 * sum(down) * len(up)


def with_values(x: float, n: int) -> float:
    up: list[float] = []
    down: list[float] = []
    for i in range(n):
        for kept, value in ((up, x * i), (down, x * x)):
            kept.append(value)
            if len(kept) > 2:
                kept.pop(0)
    return sum(up) * sum(down)


def numbered(x: float, n: int) -> float:
    rows: list[list[float]] = [[], [], []]
    for k, row in enumerate(rows):
        row.append(x * k)
        row.append(x)
    for row, scale in zip(rows, (1.0, 2.0, 3.0), strict=True):
        row.append(scale * x * n)
    return sum(sum(row) * len(row) for row in rows)


def of_a_dict(x: float, n: int) -> float:
    traces: dict[str, list[float]] = {"a": [], "b": []}
    for _ in range(n):
        for name, trace in traces.items():
            trace.append(x if name == "a" else x * x)
    return sum(traces["a"]) * sum(traces["b"])


@pytest.mark.parametrize("program", [in_a_tuple, with_values, numbered, of_a_dict])
def test_which_list_it_is_is_known(program: Callable[..., Any]) -> None:
    assert rg.jit(program)(1.5, 4) == pytest.approx(program(1.5, 4))
    slope = (program(1.5 + 1e-6, 4) - program(1.5 - 1e-6, 4)) / 2e-6
    found = rg.grad(program)(1.5, 4)
    assert found == pytest.approx(slope, rel=1e-6)


def test_a_budget_of_bytes_gives_the_same_bits() -> None:
    assert rg.grad(in_a_tuple, memory=10**6)(1.5, 3) == rg.grad(in_a_tuple)(1.5, 3)


def grows(x: float) -> float:
    kept = [x, x]
    for value in kept:
        kept.append(value)
        if len(kept) > 5:
            break
    return kept[0]


def grows_zipped(x: float) -> float:
    kept = [x, x]
    for value, _ in zip(kept, (1.0, 2.0, 3.0), strict=False):
        kept.append(value)
    return kept[0]


def grows_numbered(x: float) -> float:
    kept = [x, x]
    for k, value in enumerate(kept):
        if k > 3:
            break
        kept.append(value)
    return kept[0]


def grows_outside(x: float) -> float:
    rows = [[x], [x]]
    for row in rows:
        rows.append(row)
        if len(rows) > 5:
            break
    return rows[0][0]


@pytest.mark.parametrize("program", [grows, grows_zipped, grows_numbered, grows_outside])
def test_the_list_that_a_loop_runs_over_keeps_its_length(program: Callable[..., Any]) -> None:
    with pytest.raises((rg.UserError, RuntimeError), match="changes its length while a loop"):
        rg.jit(program)(1.5)
