"""The table of what derivatives took."""

from __future__ import annotations

import math

from rich.console import Console

import retrograd as rg
from retrograd.report.totals import totals_table


def swing(x, n):
    for _ in range(n):
        x = x + 0.001 * math.sin(x)
    return x


def text_of(run) -> dict[str, str]:
    console = Console(width=100)
    with console.capture() as captured:
        console.print(totals_table(run))
    lines = [line.strip().rpartition("  ") for line in captured.get().splitlines()]
    return {name.strip(): value for name, _, value in lines}


def test_totals() -> None:
    with rg.record() as run:
        rg.grad(swing, memory="6kB")(0.5, 4000)
        rg.grad(swing, memory="6MB")(0.5, 4000)
    rows = text_of(run)
    assert rows["calls"] == "2"
    assert rows["leaves"] == str(run.leaves)
    assert rows["steps done again"].startswith(f"{run.recomputed_steps:,} (")
    assert rows["steps of the run"] == f"{run.steps - run.recomputed_steps:,}"


def test_no_derivative() -> None:
    with rg.record() as run:
        pass
    rows = text_of(run)
    assert rows["calls"] == "0"
    assert rows["steps done again"] == "0 (0%)"
