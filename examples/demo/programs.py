"""What derivatives cost: several programs, primal and gradient, tape and compile time."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks import adapter
from benchmarks.problems.base import Problem
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.timing import interleave, once

__all__ = ["Row", "rows", "table"]

SHOWN = ("fig8", "lstm", "leapfrog", "logsumexp", "determinant", "rk4", "fixed_point")


@dataclass(frozen=True, slots=True)
class Row:
    """One program; seconds and bytes."""

    title: str
    primal: float
    gradient: float
    ratio: float
    tape_bytes: int
    compile_seconds: float


def row(problem: Problem, size: str) -> Row:
    """Times value and gradient against the value alone; compiling is timed on tiny data."""
    arguments, tiny = (problem.data(problem.sizes[s]) for s in (size, "tiny"))
    primal = adapter.primal(problem.primal)
    gradient = adapter.gradient(problem.primal, problem.argnums)
    primal(*tiny)
    compile_seconds = once(lambda: gradient(*tiny))
    pair = interleave(lambda: gradient(*arguments), lambda: primal(*arguments), pairs=7)
    return Row(
        problem.title, pair.rival, pair.ours, pair.ratio,
        adapter.tape_bytes(gradient, arguments), compile_seconds,
    )  # fmt: skip


def rows(size: str = "full", names: Iterable[str] = SHOWN) -> Iterator[Row]:
    """One row after another, so that progress can be shown."""
    wanted = frozenset(names)
    for problem in PROBLEMS:
        if problem.name in wanted:
            yield row(problem, size)


def decimal_size(count: int) -> str:
    """Bytes as kB or MB."""
    return f"{count / 1e6:.1f} MB" if count >= 10**6 else f"{count / 1e3:.1f} kB"


def table(found: Iterable[Row]) -> Table:
    """The rows, with the median ratio below."""
    title = "(c) What derivatives cost"
    out = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    out.show_edge = out.pad_edge = False
    out.add_column("program", no_wrap=True)
    for name in ("value", "+ gradient", "ratio", "tape", "compiling"):
        out.add_column(name, justify="right")
    shown = list(found)
    for r in shown:
        out.add_row(
            r.title, f"{1e3 * r.primal:.3f} ms", f"{1e3 * r.gradient:.3f} ms", f"{r.ratio:.2f}",
            decimal_size(r.tape_bytes), f"{1e3 * r.compile_seconds:.0f} ms",
        )  # fmt: skip
    if shown:
        out.caption = f"median ratio {statistics.median(r.ratio for r in shown):.2f}"
    return out
