"""Space and time of a gradient against the length of the run: the paper's Fig. 30.

Siskind & Pearlmutter 2018 draw what the gradient of their Fig. 8 takes against the number of steps,
with the whole tape and with checkpointing. Here l outer steps make T(l) = O(l log l) inner ones,
and T(l) is what the length of a run is measured in.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks import adapter, equinox_rival
from benchmarks.equinox_rival import EquinoxRival
from benchmarks.memory import available_bytes
from benchmarks.problems.fig8 import fig8, inner_iterations
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.timing import once
from examples.demo.programs import decimal_size

__all__ = ["BUDGETS", "RIVAL", "SIZE", "WHOLE", "Sample", "samples", "table"]

SIZE = 1000
WHOLE = "whole tape"
BUDGETS = {"8 MB": 8 * 10**6, "1 MB": 10**6}
RIVAL = "JAX + Equinox"
CHECKPOINTS = BUDGETS["8 MB"] // (8 * SIZE)

SHARE = 4
"""A tape may take one part in so many of the memory that is available."""

LONGEST_RIVAL = 10_000
"""Inner iterations up to which the rival is run: it takes minutes for ten times as many."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One gradient: `steps` is l and `length` T(l); bytes at the peak, seconds of a warm call.

    `right`: the same bits as all others of this l have, and no more bytes than it was given.
    Without bytes and seconds it was not calculated, and the `note` says why.
    """

    way: str
    steps: int
    length: int
    peak_bytes: int | None = None
    seconds: float | None = None
    right: bool = True
    note: str = ""


def seconds_of(run: Callable[[], Any]) -> float:
    """Of a warm call: the median of up to seven that take half a second together."""
    taken: list[float] = []
    while len(taken) < 7 and sum(taken) < 0.5:
        taken.append(once(run))
    return statistics.median(taken)


def samples(lengths: Sequence[int], share: int = SHARE) -> Iterator[Sample]:
    """For each l the whole tape, if it fits in its part of the memory, and all budgets."""
    x = np.arange(SIZE, 0, -1, dtype=np.float64)
    whole = adapter.gradient(fig8, (0,))
    in_budget = {way: adapter.gradient_in(fig8, (0,), b) for way, b in BUDGETS.items()}
    per_iteration = adapter.tape_bytes(whole, (x, 10, STRIDE)) / inner_iterations(10)
    for steps in lengths:
        length, arguments = inner_iterations(steps), (x, steps, STRIDE)
        found: FloatArray | None = None
        tape = int(per_iteration * length)
        if tape * share <= available_bytes():
            found = whole(*arguments)[1][0]
            seconds = seconds_of(lambda arguments=arguments: whole(*arguments))
            yield Sample(WHOLE, steps, length, whole.stats().peak_bytes, seconds)
        else:
            note = f"a tape of {decimal_size(tape)} is left out here"
            yield Sample(WHOLE, steps, length, note=note)
        for way, compiled in in_budget.items():
            gradient = compiled(*arguments)[1][0]
            seconds = seconds_of(lambda run=compiled, arguments=arguments: run(*arguments))
            peak = compiled.stats().peak_bytes
            same = found is None or np.array_equal(gradient, found)
            found = gradient
            yield Sample(way, steps, length, peak, seconds, same and peak <= BUDGETS[way])
        if equinox_rival.available() and length <= LONGEST_RIVAL:
            yield rival_sample(x, steps, found)


def rival_sample(x: FloatArray, steps: int, expected: FloatArray | None) -> Sample:
    """The same by JAX and Equinox, whose rounding differs, with checkpoints for 8 MB."""
    rival = EquinoxRival.of(x, steps, CHECKPOINTS)
    gradient = rival.run()
    right = expected is None or np.allclose(gradient, expected, rtol=1e-6)
    length = inner_iterations(steps)
    return Sample(RIVAL, steps, length, rival.temp_bytes, seconds_of(rival.run), right)


def table(found: Iterable[Sample]) -> Table:
    """A row for each gradient, with its time as a multiple of the whole tape's."""
    title = f"(d) Fig. 8, n = {SIZE}: space and time against the length of the run"
    out = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    out.show_edge = out.pad_edge = False
    for name in ("l", "T(l)"):
        out.add_column(name, justify="right")
    out.add_column("gradient in", no_wrap=True)
    for name in ("peak", "time", "/ whole tape", ""):
        out.add_column(name, justify="right")
    whole: float | None = None
    for s in found:
        first = s.way == WHOLE
        cells = [f"{s.steps:,}", f"{s.length:,}"] if first else ["", ""]
        if s.seconds is None or s.peak_bytes is None:
            whole = None
            out.add_row(*cells, s.way, "-", "-", "", s.note)
            continue
        whole = s.seconds if first else whole
        ratio = "" if first or whole is None else f"{s.seconds / whole:.2f}"
        verdict = "[green]right[/]" if s.right else "[bold red]wrong[/]"
        time = f"{1e3 * s.seconds:,.2f} ms"
        out.add_row(*cells, s.way, decimal_size(s.peak_bytes), time, ratio, verdict)
    return out
