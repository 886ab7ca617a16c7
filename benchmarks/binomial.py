"""A fixed number of snapshots against the fewest steps that there can be (Griewank 1992)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.fig8 import fig8
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.timing import interleave
from retrograd.runtime.schedule.binomial import optimal_steps

__all__ = ["binomial"]

LEAVES = 40


def binomial(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Time against that of the whole tape and of the extra steps, each as long as the primal's."""
    x = np.arange(200 if quick else 1000, 0, -1, dtype=np.float64)
    arguments = x, 200 if quick else 1000, STRIDE
    primal, plain = adapter.primal(fig8), adapter.gradient(fig8, (0,))
    expected = plain(*arguments)[1][0]
    leaf = plain.stats().tape_bytes // LEAVES
    pairs = 3 if quick else 9
    base = interleave(partial(primal, *arguments), partial(plain, *arguments), pairs)
    for snapshots in (3, 6, 12):
        compiled = adapter.gradient_by(fig8, (0,), snapshots, leaf)
        found, seen = adapter.recorded(partial(compiled, *arguments))
        if not np.array_equal(found[1][0], expected):
            raise ValueError(f"fig8: another gradient with {snapshots} snapshots")
        if seen.live_snapshots > snapshots:
            raise ValueError(f"fig8: {seen.live_snapshots} snapshots, not {snapshots}")
        pair = interleave(partial(compiled, *arguments), partial(plain, *arguments), pairs)
        extra = optimal_steps(seen.leaves, snapshots) / seen.leaves - 1.0
        wanted = 1.0 + extra * base.ratio
        steps = seen.recomputed_steps / (seen.steps - seen.recomputed_steps)
        note = f"{seen.leaves} leaves; steps again: {steps:.2f} of the run, {extra:.2f} at best"
        kind, subject = "binomial_over_optimum", f"fig8, {snapshots} snapshots"
        yield Figure(
            kind, subject, pair.ratio / wanted, 1e3 * pair.ours, 1e3 * pair.rival * wanted,
            bar=bounds.bar(kind, subject), note=note,
        )  # fmt: skip
