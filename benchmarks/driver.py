"""What a leaf takes besides its native code: schedule, bookkeeping, and calls into native code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.timing import interleave

__all__ = ["chain", "driver"]

STEPS, BYTES, LONGER, ENOUGH = 1_000_000, 16_000, 8, 5_000
LEAF = 200.0
"""Microseconds of native code in a leaf, for which the share is told."""


def chain(x, steps):
    """A scalar, so that a snapshot is small."""
    for _ in range(steps):
        x = x + 0.001 * math.sin(x)
    return x


def driver(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The driver's share of the time of leaves that have 200 microseconds of native code.

    A snapshot for each leaf, so every leaf is advanced over once and recorded once however long it
    is. Leaves that are eight times as long have the same native code in all, and an eighth of the
    rest.
    """
    steps = STEPS // 50 if quick else STEPS
    short, long = (adapter.gradient_by(chain, (0,), ENOUGH, b) for b in (BYTES, LONGER * BYTES))
    runs = [partial(compiled, 0.3, steps) for compiled in (short, long)]
    counts: list[int] = []
    for run in runs:
        run()
        counts.append(adapter.recorded(run)[1].leaves)
    pair = interleave(runs[0], runs[1], 3 if quick else 15)
    fixed = 1e6 * (pair.ours - pair.rival) / (counts[0] - counts[1])
    native = 1e6 * pair.ours / counts[0] - fixed
    kind, subject = "driver_share", f"leaves of {LEAF:.0f} us"
    note = f"{fixed:.3g} us for each of {counts[0]} leaves, beside {native:.3g} us of native code"
    yield Figure(
        kind, subject, fixed / (fixed + LEAF), bar=bounds.bar(kind, subject), unit="", note=note
    )
