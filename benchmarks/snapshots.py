"""Snapshots of a run with a large state, against NumPy's copy of as many bytes."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.timing import once

__all__ = ["snapshots"]


STEPS, SNAPSHOTS = 12, 4


def relaxed(x, steps):
    """A state that changes as a whole in each step."""
    y = x.copy()
    for _ in range(steps):
        for k in range(1, len(y)):
            y[k] = 0.5 * y[k] * y[k] + 0.25 * y[k - 1]
    return np.sum(y)


def snapshots(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Milliseconds of keeping a state and of putting it back, against a copy of as many bytes.

    As many copies are held at a time as there are snapshots, between the runs, so both go to memory
    that is as new to the process.
    """
    x = np.linspace(0.1, 0.9, 20_000 if quick else 2_000_000)
    compiled = adapter.gradient_by(relaxed, (0,), SNAPSHOTS, 2 * x.nbytes)
    compiled(x, STEPS)
    taken: dict[str, list[float]] = {"save": [], "load": []}
    copies: list[float] = []
    size = 0
    for _ in range(3 if quick else 7):
        _, seen = adapter.recorded(lambda: compiled(x, STEPS))
        for before, event in itertools.pairwise(seen.timeline):
            # Number 0 is the beginning of the run, where there is nothing to be copied.
            if event.action in taken and event.snapshot:
                taken[event.action].append(event.seconds - before.seconds)
            if event.action == "save":
                size = event.kept - before.kept
        copies += copied(size)
    rival = statistics.median(copies)
    for subject, samples in taken.items():
        ours, kind = statistics.median(samples), "snapshot_over_copy"
        note = f"{size / 1e6:.3g} MB, {size / ours / 1e9:.3g} GB/s"
        yield Figure(
            kind, subject, ours / rival, 1e3 * ours, 1e3 * rival, bar=bounds.bar(kind, subject),
            note=note,
        )  # fmt: skip


def copied(size: int) -> list[float]:
    """Seconds of each of as many copies as there are snapshots, all of them held."""
    source, held = np.ones(size, np.uint8), list[np.ndarray]()
    return [once(lambda: held.append(source.copy())) for _ in range(SNAPSHOTS)]
