"""Native code that answers signals, against the same code that lets them wait."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.base import Arguments
from benchmarks.timing import interleave

__all__ = ["CASES", "signals"]


def square(x):
    return x * x


def pendulum(x, n):
    v = 0.0
    for _ in range(n):
        v -= 0.0001 * math.sin(x)
        x += 0.0001 * v
    return x


def waves(x, n):
    for _ in range(n):
        x = np.sin(x) * 0.5 + x[::-1]
    return np.sum(x)


def products(x, n):
    for _ in range(n):
        x = x @ x * 0.001
    return np.sum(x)


Case = tuple[Callable[..., Any], Callable[[bool], Arguments]]

CASES: Mapping[str, Case] = {
    "call": (square, lambda quick: (1.5,)),
    "scalars": (pendulum, lambda quick: (0.5, 1000 if quick else 4_000_000)),
    "arrays": (waves, lambda quick: (np.linspace(0.0, 1.0, 200), 10 if quick else 100_000)),
    "products": (products, lambda quick: (np.full((24, 24), 0.5), 10 if quick else 50_000)),
}
"""What is run by name. At full size a run takes some tenths of a second, but for the call."""


def signals(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The values are compared, too."""
    pairs, seconds = (3, 0.002) if quick else (15, 0.05)
    for subject, (function, given) in CASES.items():
        run = partial(adapter.primal(function), *given(quick))
        with adapter.unanswered():
            value = run()
        if value != run():
            raise ValueError(f"{subject}: another value where signals wait")
        times = 1000 if subject == "call" else 1
        ours, rival = partial(repeated, run, times), partial(waiting, run, times)
        pair = interleave(ours, rival, pairs, seconds, time.process_time)
        kind = "answering_over_waiting"
        bar = bounds.bar(kind, subject)
        yield Figure(kind, subject, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)


def repeated(run: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        run()


def waiting(run: Callable[[], Any], times: int) -> None:
    with adapter.unanswered():
        repeated(run, times)
