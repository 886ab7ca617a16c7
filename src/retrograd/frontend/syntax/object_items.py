"""`owner[index] op= value` of an object, by its `__getitem__` and `__setitem__`."""

from __future__ import annotations

import copy
from collections.abc import Callable

from retrograd.frontend.library.operators import augmented, in_place
from retrograd.frontend.syntax.dicts import dict_in_place
from retrograd.frontend.syntax.list_operators import list_in_place
from retrograd.frontend.values.complexes import is_array
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import ArrayRef, ComplexValue, Static, Value, parts
from retrograd.frontend.values.tracer import Tracer

__all__ = ["augment_item"]


def augment_item(
    t: Tracer, op: str, item: Value, operand: Value, put: Callable[[Value], None]
) -> None:
    """Arrays, lists and dicts are changed in their place, where other names see it, and put back.

    An item that may be another array, too, as one is that a list has among its buffers, is changed
    there by putting it back, and what may be another name of it is stale.
    """
    if is_array(item):
        locs = [one.loc for one in _arrays(item)]
        if any(t.state.links.get(loc) for loc in locs):
            _exchange(t, op, item, operand, put)
        else:
            in_place(t, op, item, frozen(t, operand))
            put(item)
    elif list_in_place(t, op, item, operand) or dict_in_place(t, op, item, operand):
        put(item)
    else:
        put(augmented(t, op, item, operand))


def _arrays(item: Value) -> list[ArrayRef]:
    """An array itself, or the two of complex numbers."""
    every = (item, *parts(item))
    return [one for one in every if isinstance(one, ArrayRef)]


def _exchange(
    t: Tracer, op: str, item: Value, operand: Value, put: Callable[[Value], None]
) -> None:
    made = t.call(Static(copy.copy), (item,), {})
    assert isinstance(made, ArrayRef | ComplexValue)
    in_place(t, op, made, frozen(t, operand))
    locs = {one.loc for one in _arrays(item)}
    rivals = locs.union(*(t.state.links.get(loc, ()) for loc in locs))
    before = {loc: t.state.arrays.get(loc) for loc in rivals}
    put(made)
    for loc in sorted(rivals):
        if t.state.arrays.get(loc) is before[loc]:
            t.state.stale.setdefault(loc, t.span)
