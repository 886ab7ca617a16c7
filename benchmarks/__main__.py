"""`python -m benchmarks`: all figures, their bars and verdicts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import jax_rival
from benchmarks.crival import gcc_available
from benchmarks.figures import Bounds, Figure, as_json
from benchmarks.measure import Effort, measure
from benchmarks.problems.base import Problem
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.startup import startup
from benchmarks.tables import tables
from benchmarks.validate import WrongGradient
from retrograd.errors import RetrogradError

STARTUP = "startup"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [p.name for p in PROBLEMS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    parser.add_argument(
        "--problem", action="append", choices=[*names, STARTUP], help="only this; repeatable"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--no-jax", action="store_true", help="leave JAX out where installed")
    return parser.parse_args(arguments)


def problem_figures(
    problem: Problem, effort: Effort, bounds: Bounds, jax: bool, console: Console
) -> tuple[list[Figure], bool]:
    """What could be measured, and whether nothing went wrong."""
    figures: list[Figure] = []
    try:
        for figure in measure(problem, effort, bounds, jax):
            figures.append(figure)
    except (RetrogradError, WrongGradient) as error:
        console.print(f"[bold red]{problem.name}[/]: {type(error).__name__}: {error}", style="red")
        return figures, False
    return figures, True


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 where a program was refused or a number was wrong, not where a bar was missed."""
    options = parse(arguments)
    console = Console()
    if not gcc_available():
        console.print("The rivals are in C: `gcc` is needed and was not found.", style="red")
        return 1
    bounds, effort = Bounds.load(), Effort.of(options.quick)
    jax = jax_rival.available() and not options.no_jax
    chosen = options.problem or [*(p.name for p in PROBLEMS), STARTUP]
    figures: list[Figure] = []
    sound = True
    for problem in PROBLEMS:
        if problem.name in chosen:
            with console.status(problem.title):
                found, fine = problem_figures(problem, effort, bounds, jax, console)
            figures += found
            sound = sound and fine
    if STARTUP in chosen:
        with console.status("start-up"):
            figures += startup(bounds, 1 if options.quick else 5)
    for table in tables(figures, bounds):
        console.print(table)
    if not jax:
        console.print("JAX was left out (`pip install retrograd[jax]` brings it in).")
    missed = [f for f in figures if f.verdict == "missed"]
    met = sum(f.verdict == "ok" for f in figures)
    console.print(f"{met} bars met, {len(missed)} missed.")
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(figures), indent=1) + "\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
