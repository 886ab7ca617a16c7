"""Lists and dicts across the border to functions that take them for tuples: what they hold now."""

from __future__ import annotations

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.values.arrays import read
from retrograd.frontend.values.dicts import dict_of, items_of, view_items
from retrograd.frontend.values.forms import arrays
from retrograd.frontend.values.kinds import (
    Bound,
    ComplexValue,
    DictValue,
    DictView,
    Instance,
    Later,
    TupleValue,
    Value,
    with_parts,
)
from retrograd.frontend.values.lists import (
    as_array,
    content_of,
    current,
    list_of,
    parts_of,
    whole,
)
from retrograd.frontend.values.object_rows import is_growing
from retrograd.frontend.values.tracer import Tracer

__all__ = ["frozen", "thawed"]


def frozen(t: Tracer, value: Value) -> Value:
    """The items of lists, at all depths, as they are now: as tuples, or as arrays."""
    match value:
        case Instance() if value.cls is list:
            content = content_of(t, value)
            if content.cls is ListBuffer:
                return _array_of(t, value, content)
            return TupleValue(tuple(_frozen_item(t, item) for item in content.items), list)
        case Instance() if value.cls is dict:
            held = items_of(t, value)
            items = tuple(frozen(t, item) for item in held.items)
            return DictValue(held.keys, items, value.place, held.site)
        case DictView():
            return TupleValue(tuple(frozen(t, item) for item in view_items(t, value)))
        case TupleValue():
            return TupleValue(tuple(_frozen_item(t, item) for item in value.items), value.cls)
        case Later():
            return frozen(t, current(t, value))
        case _:
            return value


def _frozen_item(t: Tracer, item: Value) -> Value:
    listed = t.call(Bound(item, "listed"), (), {}) if is_growing(item) else item
    return frozen(t, listed)


def _array_of(t: Tracer, value: Instance, content: TupleValue) -> Value:
    """The items of a list in buffers; of complex numbers, an array of these."""
    buffers, length = parts_of(content)
    if not isinstance(buffers, ComplexValue):
        return as_array(t, value)
    rows = (read(t, whole(t, ref, length)) for ref in arrays(buffers))
    return with_parts(buffers, tuple(t.new(t.prim("copy", row)) for row in rows))


def thawed(t: Tracer, value: Value) -> Value:
    """Dicts, and lists where the program has such, at all depths, as those that may be changed."""
    if t.frame.origin.ours or not isinstance(value, TupleValue | DictValue):
        return value
    items = tuple(thawed(t, item) for item in value.items)
    if isinstance(value, DictValue):
        return dict_of(t, value.keys, items)
    listed = value.cls is list and t.ctx.way.lists
    return list_of(t, items) if listed else TupleValue(items, value.cls)
