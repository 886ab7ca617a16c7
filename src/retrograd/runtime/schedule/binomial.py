"""Binomial checkpointing in closed form.

With `s` snapshots, the beginning of the run among them, and every leaf (what is recorded at once)
advanced over at most `r` times before that, eta(s, r) = C(s + r, s) leaves can be reversed
(Griewank 1992, eq. 12).
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

__all__ = ["eta", "optimal_steps", "repeats", "split"]


def eta(snapshots: int, times: int) -> int:
    """The most leaves that so many snapshots and repetitions are enough for.

    >>> eta(3, 2)
    10
    """
    return comb(snapshots + times, snapshots)


@lru_cache(4096)
def repeats(leaves: int, snapshots: int) -> int:
    """The fewest repetitions with which so many leaves can be reversed.

    >>> repeats(10, 3), repeats(11, 3)
    (2, 3)
    """
    low, high = 0, 1
    while eta(snapshots, high) < leaves:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if eta(snapshots, middle) >= leaves:
            high = middle
        else:
            low = middle + 1
    return low


@lru_cache(1 << 14)
def optimal_steps(leaves: int, snapshots: int) -> int:
    """The fewest forward steps in all, with those that record: n + r n - C(s + r, r - 1).

    >>> optimal_steps(10, 3)
    25
    """
    times = repeats(leaves, snapshots)
    if times == 0:
        return leaves
    return leaves + times * leaves - comb(snapshots + times, times - 1)


@lru_cache(4096)
def split(leaves: int, snapshots: int) -> int:
    """How many leaves to go ahead before the next snapshot is taken (Griewank 1992, eq. 16).

    There are at least two leaves and two snapshots, one of them at the beginning.

    >>> split(10, 3)
    4
    """
    times = repeats(leaves, snapshots)
    # What is left and what is right of the snapshot must be possible with what there is then.
    before, after = eta(snapshots, times - 1), eta(snapshots - 1, times)
    least_before = eta(snapshots, times - 2) if times > 1 else 0
    least_after = eta(snapshots - 1, times - 1)
    if leaves <= before + least_after:
        return max(1, leaves - least_after)
    if leaves <= least_before + after:
        return max(1, least_before)
    return max(1, min(before, leaves - least_after, leaves - 1))
