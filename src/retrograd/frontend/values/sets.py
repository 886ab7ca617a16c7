"""Sets: their items, and the order in which Python iterates over them."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.frontend.identity.keyed_by_run import Items, Keys
from retrograd.frontend.identity.sets import FROZEN, KeySet, Set
from retrograd.frontend.values.dicts import view_items
from retrograd.frontend.values.kinds import (
    Bound,
    DictView,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.types import I64

__all__ = ["inside_of", "known_item", "set_operand", "set_order"]

_OPERATORS = ("and", "or", "sub", "xor", "eq", "ne", "lt", "le", "gt", "ge")


def inside_of(t: Tracer, value: Value) -> Value | None:
    """The items of a set, as a list or a tuple; None of all else."""
    if isinstance(value, Instance) and value.cls is Set:
        return t.content(value.cell("inside"))
    return value.items[0] if isinstance(value, TupleValue) and value.cls in FROZEN else None


def set_order(items: Sequence[object]) -> tuple[object, ...] | None:
    """The order of a set of these items, if it is the same however it was made."""
    if any(isinstance(item, str) for item in items):
        return tuple(items)
    made = frozenset(items)
    tables = set[object](), set[object](), set(made), set[object](items)
    for item, other in zip(items, reversed(items), strict=True):
        tables[0].add(item)
        tables[1].add(other)
    orders = {tuple(made), *map(tuple, tables)}
    return orders.pop() if len(orders) == 1 else None


def set_operand(t: Tracer, op: str, value: Value) -> Value:
    """The keys, or the items, of a dict as the set that they are for an operator; else `value`."""
    match value:
        case DictView(kind="keys" | "items") if op in _OPERATORS:
            items: Value = TupleValue(view_items(t, value))
        case Instance() if op in _OPERATORS and value.cls in (Keys, Items):
            items = t.call(Bound(value, "listed"), (), {})
        case _:
            return value
    return TupleValue((items, literal(value=False)), KeySet)


def known_item(item: Value) -> object:
    """The literal int, or the text, that an item of a set is; None of all else."""
    if isinstance(item, Static) and isinstance(item.obj, str):
        return item.obj
    return static_int(item) if isinstance(item, Scalar) and item.type == I64 else None
