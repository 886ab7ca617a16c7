"""Variables that exchange arrays in a loop: after how many iterations they have their own again."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

from retrograd.frontend.values.kinds import ArrayRef, Value, skeleton
from retrograd.frontend.values.merge import Merge

__all__ = ["order_of"]


def order_of(before: Mapping[int, Value], after: Mapping[int, Value], merge: Merge) -> int:
    """After how many iterations variables refer again to the arrays that they began with.

    `before` and `after` are their values at the begin and at the end of one. 1: they do not
    exchange arrays that exist before the loop and have to stay, or not only among each other.
    """
    stay = set(merge.outer) - merge.movable
    given = {c: v for c, v in before.items() if isinstance(v, ArrayRef) and v.loc in stay}
    moved: dict[tuple[int, object], tuple[int, object]] = {}
    for cell, ref in given.items():
        other = after.get(cell)
        if isinstance(other, ArrayRef) and not merge.same_place(ref, other):
            moved[ref.loc, skeleton(ref)] = other.loc, skeleton(other)
    if moved.keys() != set(moved.values()) or {loc for loc, _ in moved} <= merge.loose:
        return 1
    order = 1
    for start in moved:
        place, length = moved[start], 1
        while place != start:
            place, length = moved[place], length + 1
        order = lcm(order, length)
    return order
