"""The order of items of any kind that are known one by one, by comparing each with each.

How many items come before an item is its place in the sorted list, which holds at each place the
item that belongs there: one of several objects, texts or tuples of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.frontend.library.operators import compare_values
from retrograd.frontend.syntax.branches import choose
from retrograd.frontend.values.kinds import Value
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["MOST", "in_order"]

MOST = 16
"""So many items are compared with each other."""


def in_order(
    t: Tracer, items: Sequence[Value], keys: Sequence[Value], backwards: bool
) -> tuple[Value, ...]:
    """The items by `keys` that Python can compare by `<`; equal ones stay in their order."""
    places = [_place(t, keys, k, backwards) for k in range(len(keys))]
    return tuple(_item(t, items, places, k) for k in range(len(items)))


def _place(t: Tracer, keys: Sequence[Value], k: int, backwards: bool) -> Atom:
    """How many keys come before one of them."""
    total: Atom = ilit(0)
    for j, other in enumerate(keys):
        if j == k:
            continue
        sides = (keys[k], other) if (j < k) != backwards else (other, keys[k])
        less = truth(t, compare_values(t, "lt", *sides))
        before, after = (ilit(0), ilit(1)) if j < k else (ilit(1), ilit(0))
        total = t.prim("add", total, t.prim("select", less, before, after))
    return total


def _item(t: Tracer, items: Sequence[Value], places: Sequence[Atom], k: int) -> Value:
    """The item at a place."""
    found = items[-1]
    for item, place in zip(items[:-1], places[:-1], strict=True):
        here = t.prim("eq", place, ilit(k))
        found = choose(t, here, _constant(item), _constant(found))
    return found


def _constant(value: Value) -> Callable[[], Value]:
    return lambda: value
