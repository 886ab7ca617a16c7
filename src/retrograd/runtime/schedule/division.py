"""Into how many leaves a stretch is divided, and with how many snapshots, for the least work.

The more snapshots there are the less is done again, and the smaller are the leaves beside them.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, inf

from retrograd.runtime.schedule.binomial import optimal_steps

__all__ = ["FITTING", "MANY", "division"]

FITTING = 0.95
"""The part of what is free that may be asked for."""

_TURN = 1 << 15
"""Bytes that are recorded in the time that it takes to begin and end a leaf."""

_NEAR = 1 << 19
"""Bytes of tape below which a leaf is no nearer to the processor."""

_TRIES = 8
"""To find out how many snapshots are one for each leaf."""

_WORSE = 1.25
"""How much more work ends a search."""

_SMALLER = (0.5, 0.7, 0.85)
"""By how much leaves may be smaller than what fits, where there are `MANY`."""

MANY = 32
"""Leaves of which it matters little that the last one is not advanced over."""


@lru_cache(1 << 10)
def division(total: float, least: int, free: int, size: int, over: int) -> tuple[int, int]:
    """Leaves, `least` of them at least, and snapshots to be taken at a time.

    The work grows on both sides of the best number of snapshots, but for small steps. Most loops
    record as much in each iteration, so the same is asked for again and again.

    Args:
        total: bytes that the stretch records.
        least: leaves that there have to be.
        free: bytes for snapshots and tape.
        size: bytes of a snapshot, at least 1.
        over: bytes that may be recorded beyond what is asked for.

    >>> division(10e9, 2, 10**9, 10**7, 0)
    (13, 12)
    >>> division(10e9, 2, 10**9, 10**8, 0)
    (19, 4)
    """
    # As a schedule asks for it, and a little less.
    share, less = 0.95 * FITTING, 0.95 * over

    def beside(count: int) -> int:
        leaf = share * (free - count * size) - less
        leaves = ceil(total / leaf) if leaf > 1.0 else ceil(total)
        return leaves if leaves > least else least

    most, count = (free - 1) // size, 0
    for _ in range(_TRIES):  # the fewest snapshots with which there is one for each leaf
        wanted = beside(count) - 1
        if wanted <= count or count > most:
            break
        count = wanted
    best, found, count = inf, (1, 0), max(0, min(count, most))
    while count >= 0:
        leaves = beside(count)
        work = (optimal_steps(leaves, count + 1) / leaves - 1) * total + leaves * _TURN
        if work < best:
            best, found = work, (leaves, count)
        elif work > _WORSE * best:
            break
        count = 3 * count // 4 if count else -1
    leaves, count = found
    return _smaller(leaves, total, size, free) if count >= leaves - 1 > 0 else found


def _smaller(leaves: int, total: float, size: int, free: int) -> tuple[int, int]:
    """More leaves, with a snapshot each, and these.

    They do as little again however small they are, but for the last one, which is not advanced
    over: so few leaves had better be large. Of many the smaller ones are surer to fit, and nearer
    to the processor.
    """
    for share in _SMALLER if leaves >= MANY else ():
        more = int(total / max(share * total / leaves, _NEAR))
        if more > leaves and more * size + total / more < 0.9 * free:
            return more, more - 1
    return leaves, leaves - 1
