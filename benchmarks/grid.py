"""One program in eight budgets: each is kept, and more memory does not take more time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.fig8 import fig8
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.timing import Pair, interleave

__all__ = ["BUDGETS", "grid", "spread"]

BUDGETS = 8
MORE_THAN_ENOUGH = 1.2


def spread(least: int, most: int, count: int = BUDGETS) -> list[int]:
    """So many budgets from the one to the other, each the same multiple of the one before.

    >>> spread(10, 1000, 3)
    [10, 100, 1000]
    """
    ratio = (most / least) ** (1 / (count - 1))
    return [least, *(round(least * ratio**k) for k in range(1, count - 1)), most]


def grid(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Each budget against the next smaller one, and the largest against the plain tape."""
    x = np.arange(200 if quick else 1000, 0, -1, dtype=np.float64)
    arguments = x, 200 if quick else 1000, STRIDE
    plain = adapter.gradient(fig8, (0,))
    expected = plain(*arguments)[1][0]
    least, enough = adapter.planned(fig8, *arguments)
    budgets = spread(least, int(MORE_THAN_ENOUGH * enough))
    compiled = [adapter.gradient_in(fig8, (0,), budget) for budget in budgets]
    checked(compiled, budgets, arguments, expected)
    pairs = 3 if quick else 7
    for k in range(1, len(budgets)):
        smaller, larger = compiled[k - 1], compiled[k]
        pair = interleave(partial(larger, *arguments), partial(smaller, *arguments), pairs)
        subject = f"{budgets[k] / 1e6:.3g} MB"
        note = f"against {budgets[k - 1] / 1e6:.3g} MB; peak {peak_of(larger) / 1e6:.3g} MB"
        yield figure("larger_over_smaller_budget", subject, bounds, pair, note)
    pair = interleave(partial(compiled[-1], *arguments), partial(plain, *arguments), pairs)
    subject, note = f"{budgets[-1] / 1e6:.3g} MB", f"tape {plain.stats().tape_bytes / 1e6:.3g} MB"
    yield figure("ample_over_tape", subject, bounds, pair, note)


def checked(compiled: Sequence[Any], budgets: Sequence[int], arguments: Any, expected: Any) -> None:
    """Runs each once. A peak above the budget, or another gradient, is an error."""
    for gradient, budget in zip(compiled, budgets, strict=True):
        found = gradient(*arguments)[1][0]
        if peak_of(gradient) > budget:
            raise ValueError(f"fig8: {peak_of(gradient)} bytes in {budget}")
        if not np.array_equal(found, expected):
            raise ValueError(f"fig8: another gradient in {budget} bytes")


def peak_of(compiled: Any) -> int:
    return compiled.stats().peak_bytes


def figure(kind: str, subject: str, bounds: Bounds, pair: Pair, note: str) -> Figure:
    ours, rival, bar = 1e3 * pair.ours, 1e3 * pair.rival, bounds.bar(kind, subject)
    return Figure(kind, subject, pair.ratio, ours, rival, bar=bar, note=note)
