"""Fig. 8 in 8 MB: accounted bytes, what the process grows by, and time, for longer and longer runs.

Each length has a process of its own, so that nobody else's memory is counted:
`python -m benchmarks.space STEPS PAIRS`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.memory import forget_high_water, high_water_bytes
from benchmarks.problems.fig8 import fig8, inner_iterations
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.process import fresh_python
from benchmarks.timing import interleave

__all__ = ["BUDGET", "main", "space"]

BUDGET = 8 * 10**6


def space(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Bytes and time for each length; more bytes than the budget are an error."""
    for steps in (50, 300) if quick else (1000, 10_000, 100_000):
        pairs = 3 if quick else max(1, 7 - 2 * (len(str(steps)) - 4))
        done = fresh_python(("-m", "benchmarks.space", str(steps), str(pairs)), {})
        if done.returncode != 0:
            raise RuntimeError(f"{steps} outer steps failed:\n{done.stderr}")
        found = json.loads(done.stdout)
        subject = f"fig8, l = {steps:,}"
        if found["peak"] > BUDGET:
            raise ValueError(f"{subject}: {found['peak']} bytes in {BUDGET}")
        note = f"{inner_iterations(steps):,} inner iterations, {found['peak'] / 1e6:.2f} MB counted"
        yield Figure(
            "space_growth", subject, found["growth"] / 1e6, unit="MB",
            bar=bounds.bar("space_growth", subject), note=note,
        )  # fmt: skip
        ours, rival = 1e3 * found["seconds"], 1e3 * found["primal"]
        bar = bounds.bar("space_over_primal", subject)
        yield Figure("space_over_primal", subject, found["ratio"], ours, rival, bar=bar)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures one length in this process, and prints what was found as JSON."""
    steps, pairs = map(int, sys.argv[1:] if arguments is None else arguments)
    x = np.arange(1000, 0, -1, dtype=np.float64)
    primal, gradient = adapter.primal(fig8), adapter.gradient_in(fig8, (0,), BUDGET)
    primal(x, 1, STRIDE)
    gradient(x, 1, STRIDE)
    forget_high_water()
    before = high_water_bytes()
    gradient(x, steps, STRIDE)
    growth = high_water_bytes() - before
    peak = gradient.stats().peak_bytes
    pair = interleave(lambda: gradient(x, steps, STRIDE), lambda: primal(x, steps, STRIDE), pairs)
    found = {"peak": peak, "growth": growth, "seconds": pair.ours, "primal": pair.rival}
    print(json.dumps(found | {"ratio": pair.ratio}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
