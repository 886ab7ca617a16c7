"""Other costs for everything that a test compiles, so that short programs take every way.

What counts as long, small or dear is far from what random programs are: with the compiler's own
costs they would never be divided, interrupted within a line, or logged.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from retrograd.api.compile.known import known
from retrograd.prims.costs import Costs

__all__ = [
    "all_bodies_apart",
    "costs",
    "log_everything",
    "short_lines",
    "short_parts",
    "with_costs",
]


def costs() -> Costs:
    """Those that are in use now."""
    return known().costs


def with_costs(monkeypatch: pytest.MonkeyPatch, **changed: float) -> None:
    """Until the end of the test, these costs are others: the fields of `Costs`, by their names."""
    prims = known()
    other = replace(prims, costs=replace(prims.costs, **changed))
    monkeypatch.setattr("retrograd.api.compile.known._KNOWN", other)


def short_parts(monkeypatch: pytest.MonkeyPatch, statements: int = 3) -> None:
    """A run can stop wherever so many scalars have been calculated."""
    with_costs(monkeypatch, straight_part=statements, straight_least=statements)


def short_lines(monkeypatch: pytest.MonkeyPatch, statements: int = 2) -> None:
    """So many statements on arrays are a function of their own.

    Few results and arguments are as many, too: those have a way of their own in native code.
    """
    with_costs(
        monkeypatch, line_part_least=statements, line_least=statements,
        line_least_in_loop=statements, line_part_most=2 * statements, returned_words=statements,
        argument_words=2 * statements,
    )  # fmt: skip


def all_bodies_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each loop body that is run again is an inner derivative."""
    with_costs(monkeypatch, apart_gain=0.0)


def log_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every array that can be logged is, whatever it costs."""
    with_costs(monkeypatch, log_excess=math.inf, log_singles=0, log_gain=0.0, log_margin=-math.inf)
