"""Space and time against the length of the run as a PNG: two panels with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl

from examples.demo.space_time import BUDGETS, RIVAL, SIZE, WHOLE, Sample

__all__ = ["draw"]

# Blue, orange, green and purple that stay apart for most colour-blind readers; markers differ, too.
LOOKS = {
    WHOLE: ("#0072b2", "o"), "8 MB": ("#d55e00", "s"), "1 MB": ("#009e73", "^"),
    RIVAL: ("#cc79a7", "D"),
}  # fmt: skip
NAMES = {
    WHOLE: "whole tape", "8 MB": 'memory="8MB"', "1 MB": 'memory="1MB"',
    RIVAL: "JAX + Equinox, 1,000 checkpoints",
}  # fmt: skip
BYTES = ((1e3, "kB"), (1e6, "MB"), (1e9, "GB"))
SECONDS = ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))


def draw(path: Path, found: Sequence[Sample]) -> None:
    """Space on the left with the budgets dashed, time on the right with slopes to compare."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (space, time) = plt.subplots(1, 2, figsize=(11.0, 5.0), layout="constrained")
    curves(space, found, lambda s: s.peak_bytes)
    curves(time, found, lambda s: s.seconds)
    lengths = {s.length: s.steps for s in found}
    for plot in (space, time):
        axes(plot, lengths)
    for way, budget in BUDGETS.items():
        space.axhline(budget, color=LOOKS[way][0], ls=(0, (5, 3)), lw=1.2, zorder=1)
        space.annotate(
            f"budget {way}", (0.01, budget), xycoords=("axes fraction", "data"), xytext=(0, 3),
            textcoords="offset points", color=LOOKS[way][0], fontsize=9,
        )  # fmt: skip
    slope(time, found, lambda s: s.seconds)
    slope(space, found, lambda s: s.peak_bytes)
    space.set_ylabel("peak memory of the gradient")
    time.set_ylabel("time of the gradient")
    space.yaxis.set_major_formatter(lambda value, _: with_unit(value, BYTES))
    time.yaxis.set_major_formatter(lambda value, _: with_unit(value, SECONDS))
    handles, labels = space.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(
        f"Gradient of the adaptive-grid program (Siskind & Pearlmutter 2018, Fig. 8), n = {SIZE:,}"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def curves(plot, found: Sequence[Sample], figure_of: Callable[[Sample], float | None]) -> None:
    """One line for each way that was tried."""
    for way, (colour, marker) in LOOKS.items():
        points = [(s.length, y) for s in found if s.way == way and (y := figure_of(s)) is not None]
        if points:
            plot.plot(*zip(*points, strict=True), color=colour, marker=marker, label=NAMES[way])


def axes(plot, lengths: dict[int, int]) -> None:
    """Logarithmic, with a tick for each run that says how many outer steps it has."""
    plot.set_xscale("log")
    plot.set_yscale("log")
    labels = [f"{length:,}\nl = {steps:,}" for length, steps in lengths.items()]
    plot.set_xticks(list(lengths), labels)
    plot.minorticks_off()
    plot.set_xlabel("inner iterations T(l), for l outer steps")
    plot.grid(color="0.9", lw=0.8)
    plot.set_axisbelow(True)
    plot.spines[["top", "right"]].set_visible(False)


def slope(plot, found: Sequence[Sample], figure_of: Callable[[Sample], float | None]) -> None:
    """A dotted line that grows like T, a little below the curve of the whole tape."""
    points = [(s.length, y) for s in found if s.way == WHOLE and (y := figure_of(s)) is not None]
    if len(points) < 2:
        return
    (first, low), last = points[0], points[-1][0]
    ends = [0.45 * low, 0.45 * low * last / first]
    plot.plot([first, last], ends, color="0.45", ls=":", lw=1.4, zorder=1)
    middle = (math.sqrt(first * last), math.sqrt(ends[0] * ends[1]))
    plot.annotate(
        "grows like T", middle, xytext=(12, -4), textcoords="offset points", va="top",
        color="0.35", fontsize=9,
    )  # fmt: skip


def with_unit(value: float, units: Sequence[tuple[float, str]]) -> str:
    """A tick's label, in the largest unit that leaves at least one.

    >>> with_unit(2e7, BYTES), with_unit(5e-5, SECONDS)
    ('20 MB', '50 µs')
    """
    scale, name = next((u for u in reversed(units) if value >= 0.999 * u[0]), units[0])
    return f"{value / scale:g} {name}"
