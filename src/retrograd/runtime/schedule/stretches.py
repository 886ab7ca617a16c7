"""What parts of a run are known to have recorded, and what is expected of others.

A stretch is (first step, last step, bytes of tape).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Before", "Stretch", "clipped", "expected", "place"]

Stretch = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Before:
    """What one call has seen, for the next: its run may be like this one.

    Attributes:
        steps: of the whole run.
        leaf: steps of a leaf, where those are of one length.
        stretches: what they have recorded, the first first; none where that does not matter.
        rate: bytes of tape per step.
        size: bytes of the largest snapshot.
        live: the most bytes that the forward run had in arrays and frames.
        back: the most that the reverse sweep had.
        over: bytes that were recorded beyond what had been asked for.
        inner: bytes that inner derivatives had better have.
    """

    steps: int
    leaf: int = 0
    stretches: tuple[Stretch, ...] = ()
    rate: float = 0.0
    size: int = 0
    live: int = 0
    back: int = 0
    over: int = 0
    inner: int = 0


def clipped(stretches: Iterable[Stretch], end: int) -> list[Stretch]:
    """What is before a step.

    >>> clipped([(0, 10, 100), (10, 20, 50), (20, 30, 8)], 15)
    [(0, 10, 100), (10, 15, 25)]
    """
    return [
        one if one[1] <= end else (one[0], end, one[2] * (end - one[0]) // (one[1] - one[0]))
        for one in stretches
        if one[0] < end
    ]


def expected(stretches: Iterable[Stretch], rate: float, start: int, end: int) -> float:
    """Bytes that the part from `start` to `end` will record; `rate` for each step not known of.

    >>> expected([(0, 10, 100)], 2.0, 5, 20)
    70.0
    """
    total, left = 0.0, end - start
    for first, last, tape in stretches:
        shared = min(last, end) - max(first, start)
        if shared > 0:  # so that stretch is not empty
            total += tape * shared / (last - first)
            left -= shared
    return total + left * rate


def place(stretches: Iterable[Stretch], rate: float, start: int, wanted: float) -> int:
    """The step up to which so many bytes will be recorded from `start` on, rounded down.

    >>> place([(0, 10, 100), (20, 30, 50)], 2.0, 5, 75.0)
    21
    """
    at, left = start, wanted
    for first, last, tape in sorted(stretches):
        gap = (first - at) * rate
        if last <= at or (gap >= 0 and left < gap):
            continue
        if first > at:
            at, left = first, left - gap
        share = tape * (last - at) / (last - first)
        if left < share:
            return at + int((last - first) * left / tape)
        at, left = last, left - share
    return at + int(left / max(rate, 1e-9))
