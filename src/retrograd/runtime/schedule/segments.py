"""What parts of a run are known to have recorded, and what is expected of others.

A stretch is (first step, last step, bytes of tape). Those of a sequence stand in order, and none
begins before another ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Before", "Stretch", "clip", "expected", "place"]

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


def clip(stretches: list[Stretch], end: int) -> None:
    """Leaves what is before a step.

    >>> known = [(0, 10, 100), (10, 20, 50), (20, 30, 8)]
    >>> clip(known, 15)
    >>> known
    [(0, 10, 100), (10, 15, 25)]
    """
    while stretches and stretches[-1][1] > end:
        first, last, tape = stretches.pop()
        if first < end:
            stretches.append((first, end, tape * (end - first) // (last - first)))


def expected(stretches: Sequence[Stretch], rate: float, start: int, end: int) -> float:
    """Bytes that the part from `start` to `end` will record; `rate` for each step not known of.

    >>> expected([(0, 10, 100)], 2.0, 5, 20)
    70.0
    """
    total, left = 0.0, end - start
    for first, last, tape in reversed(stretches):
        if last <= start:  # all others are before that
            break
        shared = (last if last < end else end) - (first if first > start else start)
        if shared > 0:  # so that stretch is not empty
            total += tape * shared / (last - first)
            left -= shared
    return total + left * rate


def place(stretches: Sequence[Stretch], rate: float, start: int, wanted: float) -> int:
    """The step up to which so many bytes will be recorded from `start` on, rounded down.

    >>> place([(0, 10, 100), (20, 30, 50)], 2.0, 5, 75.0)
    21
    """
    at, left = start, wanted
    begin = len(stretches)
    while begin and stretches[begin - 1][1] > start:
        begin -= 1
    for first, last, tape in stretches[begin:]:
        gap = (first - at) * rate
        if gap >= 0 and left < gap:
            continue
        if first > at:
            at, left = first, left - gap
        share = tape * (last - at) / (last - first)
        if left < share:
            return at + int((last - first) * left / tape)
        at, left = last, left - share
    return at + int(left / max(rate, 1e-9))
