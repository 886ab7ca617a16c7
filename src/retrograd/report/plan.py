"""What a derivative is expected to take in one budget or another, also as a table."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.options.memory import shown

__all__ = ["Plan", "PlanRow"]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What a derivative is expected to take in one budget.

    Attributes:
        budget: bytes.
        seconds: how long it takes.
        slowdown: that, as a multiple of what it takes with the whole tape.
        leaves: stretches that are recorded and taken back.
        snapshots: how many are taken.
        live_snapshots: how many there are at a time at most.
        recomputed: forward steps that are done again, as a share of the run's.
        peak_bytes: the most bytes at a time.
    """

    budget: int
    seconds: float
    slowdown: float
    leaves: int
    snapshots: int
    live_snapshots: int
    recomputed: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What `rg.plan` has found.

    Attributes:
        function: the name of what is differentiated.
        steps: of the run, in the unit of `primops`; it does more than the function alone.
        tape_bytes: the whole tape.
        smallest: about the smallest budget that is enough, bytes.
        full: the smallest one for which nothing is done again, bytes.
        rows: one for each budget that is enough, the smallest first.
        refused: budgets that are not enough, bytes.
        slow: budgets that may be enough, but for a run that is done again too often to be counted.
    """

    function: str
    steps: int
    tape_bytes: int
    smallest: int
    full: int
    rows: tuple[PlanRow, ...]
    refused: tuple[int, ...]
    slow: tuple[int, ...]

    def __rich__(self) -> Group:
        """One row for each budget, and what is enough."""
        title = (
            f"Gradient of {self.function}: {self.steps:,} steps, {shown(self.tape_bytes)} of tape"
        )
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        heads = "budget", "seconds", "slowdown", "leaves", "snapshots", "steps done again", "peak"
        for head in heads:
            table.add_column(head, justify="right")
        for row in self.rows:
            table.add_row(
                shown(row.budget), f"{row.seconds:.3g}", f"{row.slowdown:.2f}", f"{row.leaves:,}",
                f"{row.snapshots:,}", f"{row.recomputed:.0%}", shown(row.peak_bytes),
            )  # fmt: skip
        full = f"with {shown(self.full)} nothing is done again."
        lines = [f"About {shown(self.smallest)} are enough; {full}", "Seconds are estimates."]
        lines += [f"{shown(budget)} are too little." for budget in self.refused]
        lines += [f"With {shown(budget)} it takes too long to tell." for budget in self.slow]
        return Group(table, *(Text(line) for line in lines))

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=100)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())
