"""Two programs timed against each other.

Machines drift: clocks change, neighbours come and go. So the two are run in turn, the order swapped
from pair to pair, and what counts is the median of the ratios of neighbours, never a quotient of
two numbers taken minutes apart.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Pair", "Run", "interleave", "once"]

Run = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """Median seconds of each, and the median of ours / rival over pairs."""

    ours: float
    rival: float
    ratio: float


def once(run: Run, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of one call."""
    start = clock()
    run()
    return clock() - start


def repeated(run: Run, times: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(times):
        run()
    return (clock() - start) / times


def repetitions(run: Run, at_least: float, clock: Callable[[], float]) -> int:
    """How many calls make a sample that lasts `at_least` seconds."""
    times = 1
    while (seconds := repeated(run, times, clock)) * times < at_least and times < 1_000_000:
        grow = at_least / max(seconds * times, 1e-9)
        times = max(times + 1, int(times * min(grow, 100.0)) + 1)
    return times


def interleave(
    ours: Run,
    rival: Run,
    pairs: int = 15,
    sample_seconds: float = 0.01,
    clock: Callable[[], float] = time.perf_counter,
) -> Pair:
    """Times both in turn, warm; each sample lasts at least `sample_seconds`."""
    ours()
    rival()
    times = (repetitions(ours, sample_seconds, clock), repetitions(rival, sample_seconds, clock))
    samples: tuple[list[float], list[float]] = ([], [])
    collecting = gc.isenabled()
    gc.disable()
    try:
        for pair in range(pairs):
            for who in (0, 1) if pair % 2 == 0 else (1, 0):
                samples[who].append(repeated((ours, rival)[who], times[who], clock))
    finally:
        if collecting:
            gc.enable()
    ratios = [a / b for a, b in zip(*samples, strict=True)]
    return Pair(*map(statistics.median, samples), statistics.median(ratios))
