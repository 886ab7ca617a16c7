"""Where the generator's decisions come from: hypothesis, or a seed.

Everything is an integer between two bounds, and 0 is always the simplest decision; so
hypothesis shrinks programs without further help.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

__all__ = ["Choices", "HypothesisSource", "SeededSource", "Source"]

T = TypeVar("T")


class Source(Protocol):
    """Gives integers between two bounds, both included."""

    def integer(self, low: int, high: int) -> int: ...


@dataclass(slots=True)
class HypothesisSource:
    """Decisions that hypothesis makes, replays and shrinks."""

    draw: Callable[[Any], Any]

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))


@dataclass(slots=True)
class SeededSource:
    """Decisions from a seed: fast, and one number names a program."""

    seed: int
    generator: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.generator = random.Random(self.seed)

    def integer(self, low: int, high: int) -> int:
        return self.generator.randint(low, high)


@dataclass(slots=True)
class Choices:
    """Picks, flags and literals made from integers."""

    source: Source

    def integer(self, low: int, high: int) -> int:
        return low if high <= low else self.source.integer(low, high)

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`; the first is the simplest."""
        return items[self.integer(0, len(items) - 1)]

    def flag(self, percent: int = 50) -> bool:
        """True with that probability; False is simpler."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """One of `items` by weight; the first is the simplest."""
        point = self.integer(0, sum(weight for weight, _ in items) - 1)
        for weight, item in items:
            if point < weight:
                return item
            point -= weight
        raise AssertionError("weights do not add up")

    def constant(self, low: float = -2.0, high: float = 2.0) -> float:
        """A literal with two decimals, never near zero, so that comparisons are never at a tie."""
        cents = self.integer(int(low * 100), int(high * 100))
        if abs(cents) < 7:
            cents = 37
        return cents / 100 + 0.003
