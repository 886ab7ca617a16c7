"""The plan of a derivative in one budget or another, as a table."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.api.planning import Plan
from retrograd.options.memory import shown

__all__ = ["plan_text", "print_plan"]


def plan_text(plan: Plan) -> Group:
    """One row for each budget, and what is enough."""
    title = f"Gradient of {plan.function}: {plan.steps:,} steps, {shown(plan.tape_bytes)} of tape"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    heads = "budget", "seconds", "slowdown", "leaves", "snapshots", "steps done again", "peak"
    for head in heads:
        table.add_column(head, justify="right")
    for row in plan.rows:
        table.add_row(
            shown(row.budget), f"{row.seconds:.3g}", f"{row.slowdown:.2f}", f"{row.leaves:,}",
            f"{row.snapshots:,}", f"{row.recomputed:.0%}", shown(row.peak_bytes),
        )  # fmt: skip
    lines = [
        f"About {shown(plan.smallest)} are enough; with {shown(plan.full)} nothing is done again.",
        "Seconds are estimates.",
    ]
    lines += [f"{shown(budget)} are too little." for budget in plan.refused]
    lines += [f"With {shown(budget)} it takes too long to tell." for budget in plan.slow]
    return Group(table, *(Text(line) for line in lines))


def print_plan(plan: Plan) -> None:
    """The table on the terminal (plain text where there is none)."""
    Console().print(plan_text(plan))
