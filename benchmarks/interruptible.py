"""Code that can be interrupted, and is not, against code that cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.long_runs import LONG_RUNS, LongRun
from benchmarks.problems import lstm
from benchmarks.problems.base import Arguments
from benchmarks.problems.fig8 import fig8
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.programs.interrupted import collatz, fib, quadrature
from benchmarks.programs.long_runs import grey_scott, oscillator
from benchmarks.timing import interleave

__all__ = ["CASES", "interruptible"]

Case = tuple[Callable[..., Any], Arguments]


def long_run(name: str) -> LongRun:
    (found,) = (r for r in LONG_RUNS if r.name == name)
    return found


def grid_case(quick: bool) -> Case:
    x = np.arange(1000, 0, -1, dtype=np.float64)
    return fig8, (x, 100 if quick else 5000, STRIDE)


def sequence_case(quick: bool) -> Case:
    size = {"length": 100 if quick else 20_000, "inputs": 16, "hidden": 32}
    return lstm.lstm_numpy, lstm.data(size)


def reaction_case(quick: bool) -> Case:
    size = {"n": 32 if quick else 256, "steps": 20 if quick else 150}
    return grey_scott, long_run("run_reaction").data(size)


def adaptive_case(quick: bool) -> Case:
    return oscillator, long_run("run_adaptive").data({"until": 20 if quick else 10_000})


CASES: Mapping[str, Callable[[bool], Case]] = {
    "fig8": grid_case,
    "lstm_np": sequence_case,
    "reaction": reaction_case,
    "adaptive": adaptive_case,
    "collatz": lambda quick: (collatz, (1000 if quick else 300_000,)),
    "quadrature": lambda quick: (quadrature, (0.0, 3.0, 1e-9, 2 if quick else 1000)),
    "fib": lambda quick: (fib, (15 if quick else 32,)),
}
"""What is run by name. At full size a run takes about a tenth of a second."""


def interruptible(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """One leg from beginning to end, copying of the arguments included; the values are compared."""
    pairs, seconds = (3, 0.002) if quick else (15, 0.05)
    for subject, case in CASES.items():
        function, arguments = case(quick)
        plain = adapter.primal(function)
        if adapter.endless(function, *arguments) != plain(*arguments):
            raise ValueError(f"{subject}: another value by interruptible code")
        ours = partial(adapter.endless, function, *arguments)
        pair = interleave(ours, partial(plain, *arguments), pairs, seconds)
        kind = "interruptible_over_primal"
        bar = bounds.bar(kind, subject)
        yield Figure(kind, subject, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)
    plain, kind = adapter.primal(collatz), "interruptible_call"
    pair = interleave(lambda: adapter.endless(collatz, 3), lambda: plain(3), pairs, seconds)
    value, bar = 1e6 * (pair.ours - pair.rival), bounds.bar(kind, "collatz")
    yield Figure(kind, "collatz", value, unit="us", bar=bar, note="more than a plain call")
