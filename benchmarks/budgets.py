"""The gradient of Fig. 8 in a budget, against its own full tape and its own primal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.fig8 import fig8, fig8_sum
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.timing import interleave

__all__ = ["budgets"]

LARGE, SMALL = "8MB", "1MB"
BYTES = {LARGE: 8 * 10**6, SMALL: 10**6}


def budgets(bounds: Bounds, steps: int, pairs: int) -> Iterator[Figure]:
    """Both variants. A peak above the budget, or another gradient, is an error."""
    x = np.arange(1000, 0, -1, dtype=np.float64)
    for f in (fig8, fig8_sum):
        subject = f.__name__
        primal, whole = adapter.primal(f), adapter.gradient(f, (0,))
        large, small = (adapter.gradient_in(f, (0,), memory) for memory in (LARGE, SMALL))
        runs = [lambda run=run: run(x, steps, STRIDE) for run in (primal, whole, large, small)]
        want = runs[1]()[1][0]
        for run, compiled, memory in ((runs[2], large, LARGE), (runs[3], small, SMALL)):
            if not np.array_equal(run()[1][0], want):
                raise ValueError(f"{subject}: another gradient in {memory}")
            peak = compiled.stats().peak_bytes
            if peak > BYTES[memory]:
                raise ValueError(f"{subject}: {peak} bytes in {memory}")
        for kind, ours, rival in (
            ("budget_over_primal", runs[2], runs[0]),
            ("budget_over_tape", runs[2], runs[1]),
            ("small_over_large_budget", runs[3], runs[2]),
        ):
            pair = interleave(ours, rival, pairs)
            bar = bounds.bar(kind, subject)
            note = f"tape {whole.stats().tape_bytes / 1e6:.0f} MB, {steps} outer steps"
            yield Figure(
                kind, subject, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar, note=note
            )
