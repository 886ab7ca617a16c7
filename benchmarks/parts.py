"""What is measured beside the problems, by name: each takes the bars and whether to be quick."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from benchmarks.adbench import OBJECTIVES, adbench
from benchmarks.binomial import binomial
from benchmarks.budgets import budgets
from benchmarks.constructs import CONSTRUCTS, constructs
from benchmarks.driver import driver
from benchmarks.endurance import endurance
from benchmarks.equinox_runs import against_equinox
from benchmarks.figures import Bounds, Figure
from benchmarks.grid import grid
from benchmarks.idioms import idioms
from benchmarks.interruptible import interruptible
from benchmarks.linear import linear
from benchmarks.long_runs import LONG_RUNS
from benchmarks.reversible import reversible
from benchmarks.schedules import schedules
from benchmarks.signals import signals
from benchmarks.snapshots import snapshots
from benchmarks.space import space

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """A title for people, the figures, and in how many processes they are measured (the median
    counts)."""

    title: str
    figures: Callable[[Bounds, bool], Iterable[Figure]]
    processes: int = 1


def both_variants(bounds: Bounds, quick: bool) -> Iterable[Figure]:
    return budgets(bounds, *((1000, 3) if quick else (10_000, 7)))


PARTS: Mapping[str, Part] = (
    {
        "budgets": Part("gradients in a budget", both_variants),
        "space": Part("space of longer and longer runs", space),
        "grid": Part("one program in eight budgets", grid, 5),
        "interruptible": Part("code that can be interrupted", interruptible, 5),
        "signals": Part("signals that are answered in native code", signals, 5),
        "linear": Part("linear algebra by LAPACK", linear, 5),
        "binomial": Part("a fixed number of snapshots", binomial),
        "snapshots": Part("snapshots of a large state", snapshots),
        "driver": Part("leaves of a schedule, beside their native code", driver, 5),
        "idioms": Part("whole-array idioms of NumPy", idioms),
        "reversible": Part("functions that run backwards", reversible),
        "schedules": Part("schedules by themselves", schedules),
    }
    | {
        run.name: Part(f"{run.title}, in little memory", functools.partial(endurance, run))
        for run in LONG_RUNS
    }
    | {"equinox": Part("long runs by Equinox", against_equinox)}
    | {o.name: Part(o.title, functools.partial(adbench, o)) for o in OBJECTIVES}
    | {
        c.objective.name: Part(c.objective.title, functools.partial(constructs, c))
        for c in CONSTRUCTS
    }
)
"""In the order in which they are measured."""
