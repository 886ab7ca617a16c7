"""Counts how many functions of installed packages work unchanged: `python -m tests.corpus`.

The open half is listed; of the other half there is only the count.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from tests.corpus.measure import Outcome
from tests.corpus.runs import outcome_of
from tests.corpus.table import Entry, entries


def _listed(rows: list[tuple[Entry, Outcome, float]]) -> Table:
    table = Table(title="the open half", show_lines=False)
    for name in ("function", "outcome", "s", "why"):
        table.add_column(name, overflow="fold")
    for entry, outcome, seconds in rows:
        if entry.half == "open":
            table.add_row(entry.label, outcome.kind, f"{seconds:.1f}", outcome.why)
    return table


def _counts(rows: list[tuple[Entry, Outcome, float]]) -> Table:
    table = Table(title="functions that work unchanged")
    kinds = ("works", "refused", "wrong", "crash", "slow")
    for name in ("half", "functions", *kinds, "share"):
        table.add_column(name, justify="right")
    for half in ("open", "held out", "both"):
        count = Counter(o.kind for e, o, _ in rows if half in (e.half, "both"))
        every = sum(count.values())
        if every:
            share = f"{100 * count['works'] / every:.0f} %"
            table.add_row(half, str(every), *(str(count[k]) for k in kinds), share)
    return table


@click.command()
@click.option("--half", type=click.Choice(["open", "held out", "both"]), default="both")
@click.option("--only", default="", help="functions whose name contains this")
@click.option("--out", type=click.Path(path_type=Path), help="outcomes as JSON")
def main(half: str, only: str, out: Path | None) -> None:
    """Tries all functions whose packages are installed."""
    rows: list[tuple[Entry, Outcome, float]] = []
    console = Console(width=None if Console().is_terminal else 200)
    for entry in entries():
        if half in (entry.half, "both") and only in entry.label and entry.installed():
            began = time.perf_counter()
            outcome = outcome_of(entry)
            rows.append((entry, outcome, time.perf_counter() - began))
            if out is not None:
                out.write_text(json.dumps([[e.label, e.half, o.kind, o.why] for e, o, _ in rows]))
    if half != "held out":
        console.print(_listed(rows))
    console.print(_counts(rows))


if __name__ == "__main__":
    main()
