"""A sum that is open: its lanes between two iterations, as a value that is never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.prims.reduce import BLOCK, LANES

__all__ = ["OpenSum"]


@dataclass(frozen=True, slots=True)
class OpenSum:
    """A sum over `trips` terms, in the order of `retrograd.prims.reduce`, some of them added.

    >>> OpenSum(3).added(0, [0.5, 2.0]).added(2, [1.0]).total
    3.5
    """

    trips: int
    total: float = 0.0
    lanes: tuple[float, ...] = (0.0,) * LANES

    def added(self, first: int, terms: Sequence[float]) -> OpenSum:
        """The sum with the terms from number `first` on."""
        total, lanes = self.total, list(self.lanes)
        for k, term in enumerate(terms, first):
            lane = 0 if self.trips < LANES else k % LANES
            lanes[lane] = lanes[lane] + term
            if k + 1 == self.trips or (k + 1) % BLOCK == 0:
                total = total + _folded(lanes)
                lanes = [0.0] * LANES
        return OpenSum(self.trips, total, tuple(lanes))


def _folded(lanes: list[float]) -> float:
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [a + b for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return lanes[0]
