"""Subscripts: from the syntax of an index to items, and elements read and written by them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.frontend.library.array_functions import gather, scatter
from retrograd.frontend.library.operators import binary, in_place
from retrograd.frontend.values.arrays import (
    Index,
    Item,
    NewAxis,
    Slice,
    element,
    narrow,
    read,
    write,
)
from retrograd.frontend.values.kinds import (
    ArrayRef,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    static_int,
)  # fmt: skip
from retrograd.frontend.values.scalars import as_index, convert
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom
from retrograd.ir.types import BOOL, F64, I64

__all__ = ["assign", "augment", "subscript"]


@dataclass(frozen=True, slots=True)
class IndexArray:
    """An array of ints, which is the whole index."""

    ref: ArrayRef


Entry = Item | IndexArray | None
"""An entry of an index as it is written; None stands for `...`."""


@dataclass(frozen=True, slots=True)
class Place:
    """An element (or sub-array) of an array, located once: for reading and then writing it.

    With `indices` it is the elements (or rows) of `ref` at these.
    """

    ref: ArrayRef
    element: tuple[Atom, ...] | None
    indices: ArrayRef | None = None


def items_of(t: Tracer, node: ast.expr) -> list[Entry]:
    """The entries of an index; None stands for `...`."""
    entries = node.elts if isinstance(node, ast.Tuple) else [node]
    found: list[Entry] = []
    for entry in entries:
        if isinstance(entry, ast.Slice):
            bounds = [_bound(t, b) for b in (entry.lower, entry.upper, entry.step)]
            found.append(Slice(*bounds))
            continue
        found += _items(t, t.eval(entry), len(entries) == 1)
    return found


def _bound(t: Tracer, node: ast.expr | None) -> Scalar | None:
    if node is None:
        return None
    value = t.eval(node)
    if isinstance(value, Static) and value.obj is None:
        return None
    return as_index(t, value)


def _items(t: Tracer, value: Value, alone: bool) -> list[Entry]:
    match value:
        case Static(obj=None):
            return [NewAxis()]
        case Static() if value.obj is Ellipsis:
            return [None]
        case Scalar() if value.type == BOOL:
            raise t.error("RG0109", "a bool as an index", "write `if`, or int(...)")
        case Scalar() if value.type == F64:
            raise t.error(
                "RG0109",
                "a float as an index (an int that meets a float at a join becomes a float)",
                "keep the index an int on every path, or write int(...)",
            )
        case Scalar():
            return [Index(value)]
        case ArrayRef() if alone and value.type.element == I64:
            return [IndexArray(value)]
        case TupleValue() if alone and value.cls is tuple:
            return [item for entry in value.items for item in _items(t, entry, False)]
        case _:
            raise _advanced(t, value)


def _advanced(t: Tracer, value: Value) -> Exception:
    mask = isinstance(value, ArrayRef) and value.type.element == BOOL
    kind = "a mask" if mask else describe(value)
    way_out = "np.where(mask, a, b), or a loop with `if`" if mask else "loop over the indices"
    return t.error("RG0109", f"indexing with {kind} is not accepted", way_out)


def _spread(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> list[Item]:
    """The items with `...` replaced by whole slices."""
    used = sum(item is not None and not isinstance(item, NewAxis) for item in items)
    found: list[Item] = []
    for item in items:
        if isinstance(item, IndexArray):  # it is alone
            raise _advanced(t, item.ref)
        if item is None:
            found += [Slice(None, None, None)] * (ref.type.rank - used)
        else:
            found.append(item)
    return found


def _place(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> Place:
    if len(items) == 1 and isinstance(items[0], IndexArray):
        return Place(ref, None, items[0].ref)
    spread = _spread(t, ref, items)
    indices = [item for item in spread if isinstance(item, Index)]
    if len(indices) == len(spread):
        t.base(ref.loc)
        found = element(t, ref, indices)
        if found is not None:
            return Place(ref, found)
    return Place(narrow(t, ref, spread), None)


def _load(t: Tracer, place: Place) -> Value:
    if place.indices is not None:
        return gather(t, place.ref, place.indices)
    if place.element is not None:
        base = t.base(place.ref.loc)
        return Scalar(t.prim("index", base, *place.element, checked=True, span=t.span))
    if place.ref.type.rank == 0:
        return Scalar(read(t, place.ref))
    return place.ref


def fetch(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> Value:
    """`ref[items]`: a number, or a view."""
    return _load(t, _place(t, ref, items))


def subscript(t: Tracer, node: ast.Subscript) -> Value:
    """`value[slice]`, read."""
    return select(t, t.eval(node.value), node.slice)


def select(t: Tracer, value: Value, index: ast.expr) -> Value:
    """`value[index]`, read."""
    match value:
        case ArrayRef():
            return fetch(t, value, items_of(t, index))
        case TupleValue():
            return _tuple_item(t, value, index)
        case RangeValue():
            raise t.error("RG0109", "a range is not indexed here", "compute start + i*step")
        case _:
            raise t.error("RG0109", f"{describe(value)} has no elements")


def _tuple_item(t: Tracer, value: TupleValue, index: ast.expr) -> Value:
    if isinstance(index, ast.Slice):
        bounds = [_bound(t, b) for b in (index.lower, index.upper, index.step)]
        known = [None if b is None else static_int(b) for b in bounds]
        if any(k is None and b is not None for k, b in zip(known, bounds, strict=True)):
            raise _not_literal(t, value)
        chosen = value.items[slice(*known)]
        return TupleValue(chosen, value.cls if value.cls is list else tuple)
    position = static_int(t.eval(index))
    if position is None:
        raise _not_literal(t, value)
    if not -len(value.items) <= position < len(value.items):
        raise t.error("RG0109", f"index {position} is outside {describe(value)}")
    return value.items[position]


def _not_literal(t: Tracer, value: Value) -> Exception:
    return t.error(
        "RG0109",
        f"{describe(value)} is indexed with a number known at run time only",
        "put the items into an array with np.array(...), or loop over the tuple itself",
    )


def _target(t: Tracer, node: ast.Subscript) -> Place:
    value = t.eval(node.value)
    if not isinstance(value, ArrayRef):
        raise t.error(
            "RG0101",
            f"assignment to an element of {describe(value)}",
            "use an array, or build a new tuple",
        )
    return _place(t, value, items_of(t, node.slice))


def _save(t: Tracer, place: Place, value: Value, checked: bool) -> None:
    if not isinstance(value, Scalar | ArrayRef):
        raise t.error("RG0110", f"{describe(value)} does not go into an array", "use np.array(...)")
    if place.element is None:
        write(t, place.ref, read(t, value) if isinstance(value, ArrayRef) else value.atom)
        return
    if not isinstance(value, Scalar):
        raise t.error("RG0110", f"{describe(value)} assigned to one element")
    base = t.base(place.ref.loc)
    atom = convert(t, value.atom, base.type.dtype)
    out = t.prim("update", base, atom, *place.element, checked=checked, span=t.span)
    t.store(place.ref.loc, out)


def assign(t: Tracer, node: ast.Subscript, value: Value) -> None:
    """`value[slice] = ...`."""
    place = _target(t, node)
    if place.indices is not None:
        scatter(t, place.ref, place.indices, value)
        return
    _save(t, place, value, True)


def augment(t: Tracer, node: ast.Subscript, op: str, right: ast.expr) -> None:
    """`value[slice] op= ...`: the place is located once."""
    place = _target(t, node)
    old = _load(t, place)
    operand = t.eval(right)
    if place.indices is not None:
        scatter(t, place.ref, place.indices, binary(t, op, old, operand))
        return
    if isinstance(old, ArrayRef):
        in_place(t, op, old, operand)
        return
    _save(t, place, binary(t, op, old, operand), False)
