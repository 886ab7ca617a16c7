"""`python -m benchmarks`: all figures, their bars and verdicts."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import jax_rival
from benchmarks.crival import gcc_available, processor_name
from benchmarks.figures import Bounds, Figure, as_json
from benchmarks.parts import PARTS
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.process import in_processes
from benchmarks.startup import startup
from benchmarks.tables import tables

__all__ = ["main"]

STARTUP = "startup"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    parser.add_argument(
        "--problem",
        action="append",
        choices=[*(p.name for p in PROBLEMS), *PARTS, STARTUP],
        metavar="NAME",
        help="only this; repeatable: %(choices)s",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--no-jax", action="store_true", help="leave JAX out where installed")
    return parser.parse_args(arguments)


def measured(
    console: Console, chosen: Sequence[str], flags: Sequence[str]
) -> tuple[list[Figure], bool]:
    """The figures of the chosen problems and parts, and whether nothing went wrong."""
    figures: list[Figure] = []
    sound = True
    titles = {p.name: p.title for p in PROBLEMS} | {n: p.title for n, p in PARTS.items()}
    for name, title in titles.items():
        if name not in chosen:
            continue
        part = PARTS.get(name)
        processes = 1 if part is None or "--quick" in flags else part.processes
        with console.status(title):
            outcome = in_processes(name, flags, processes)
        figures += outcome.figures
        if outcome.complaint:
            sound = False
            console.print(f"[bold red]{name}[/] could not be measured to the end:")
            console.print(outcome.complaint, style="red", markup=False, highlight=False)
    return figures, sound


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 where a program was refused or a number was wrong, not where a bar was missed.

    A budget that is exceeded is a wrong number.
    """
    options = parse(arguments)
    console = Console()
    if not gcc_available():
        console.print("The rivals are in C: `gcc` is needed and was not found.", style="red")
        return 1
    bounds = Bounds.load()
    chosen = options.problem or [*(p.name for p in PROBLEMS), *PARTS, STARTUP]
    switches = {"--quick": options.quick, "--no-jax": options.no_jax}
    flags = [name for name, given in switches.items() if given]
    console.print(f"{processor_name()}, load {os.getloadavg()[0]:.1f} before the first run")
    figures, sound = measured(console, chosen, flags)
    if STARTUP in chosen:
        with console.status("start-up"):
            figures += startup(bounds, 1 if options.quick else 5)
    for table in tables(figures, bounds):
        console.print(table)
    if not jax_rival.available():
        console.print("JAX is not installed and was left out; the extra `jax` brings it in.")
    missed = sum(f.verdict == "missed" for f in figures)
    met = sum(f.verdict == "ok" for f in figures)
    console.print(f"{met} bars met, {missed} missed.")
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(figures), indent=1) + "\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
