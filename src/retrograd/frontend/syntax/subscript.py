"""Subscripts: from the syntax of an index to items, and elements read and written by them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from retrograd.frontend.identity.dict_rows import DictRow
from retrograd.frontend.library.complexes import complex_into_real, stored_parts
from retrograd.frontend.library.instances import special
from retrograd.frontend.library.members import found_by_name
from retrograd.frontend.library.methods import attribute_of
from retrograd.frontend.library.operators import augmented, binary, in_place
from retrograd.frontend.syntax import dicts, lists
from retrograd.frontend.syntax.advanced import (
    Advanced,
    Entry,
    IndexArray,
    as_elements,
    change_everywhere,
    located,
    places,
    read_places,
    write_everywhere,
    write_places,
)  # fmt: skip
from retrograd.frontend.syntax.dict_objects import entry_in_place
from retrograd.frontend.syntax.index_entries import bounds_of, items_of, of_one, part_of
from retrograd.frontend.syntax.indexers import indexed, is_indexer, item_of_range
from retrograd.frontend.syntax.list_operators import changed_part, list_binary, list_in_place
from retrograd.frontend.syntax.number_places import change_number, no_elements
from retrograd.frontend.syntax.object_items import augment_item
from retrograd.frontend.syntax.object_rows import held_in_place
from retrograd.frontend.syntax.picking import picked
from retrograd.frontend.syntax.text_parts import item_of_text
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
from retrograd.frontend.values.atoms import SHARED
from retrograd.frontend.values.complexes import is_array
from retrograd.frontend.values.dicts import is_dict
from retrograd.frontend.values.freezing import frozen, thawed
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    ComplexValue,
    Instance,
    RangeValue,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.lists import is_given_list, list_of, needs_lists, of_list
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.members import of_enum
from retrograd.frontend.values.numbers import may_be_array
from retrograd.frontend.values.object_rows import note_objects
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.records import is_record, own_method
from retrograd.frontend.values.scalars import as_element, as_int
from retrograd.frontend.values.tracer import NeedLists, PathEnds, Tracer
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import BOOL

__all__ = ["assign", "augment", "subscript"]


@dataclass(frozen=True, slots=True)
class Place:
    """An element (or sub-array) of an array, located once: for reading and then writing it.

    With `found` it is the elements (or rows) of `ref` at index arrays.
    """

    ref: ArrayRef
    element: tuple[Atom, ...] | None
    found: Advanced | None = None
    dots: bool = False


def _spread(ref: ArrayRef, items: Sequence[Item | None]) -> list[Item]:
    """The items with `...` replaced by whole slices."""
    used = sum(item is not None and not isinstance(item, NewAxis) for item in items)
    found: list[Item] = []
    for item in items:
        if item is None:
            found += [Slice(None, None, None)] * (ref.type.rank - used)
        else:
            found.append(item)
    return found


def _place(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> Place:
    plain = [item for item in items if not isinstance(item, IndexArray)]
    if len(plain) != len(items):
        return Place(ref, None, located(t, ref, items))
    spread = _spread(ref, plain)
    indices = [item for item in spread if isinstance(item, Index)]
    if len(indices) == len(spread) and None not in plain:
        t.base(ref.loc)
        found = element(t, ref, indices)
        if found is not None:
            return Place(ref, found)
    return Place(narrow(t, ref, spread), None, dots=None in plain)


def _load(t: Tracer, place: Place) -> Value:
    if place.found is not None:
        return read_places(t, places(t, place.found))
    if place.element is not None:
        base = t.base(place.ref.loc)
        element = t.prim("index", base, *place.element, checked=True, span=t.span)
        return Scalar(element, numpy=True)
    if place.ref.type.rank == 0:
        return Scalar(read(t, place.ref), numpy=True, array=SHARED if place.dots else 0)
    return place.ref


def fetch(t: Tracer, ref: ArrayRef | ComplexValue, items: Sequence[Entry]) -> Value:
    """`ref[items]`: a number, or a view."""
    if isinstance(ref, ComplexValue):
        return _complex_item(t, ref, items)
    return _load(t, _place(t, ref, items))


def subscript(t: Tracer, node: ast.Subscript) -> Value:
    """`value[slice]`, read."""
    text = "'NoneType' object is not subscriptable"
    return select(t, sure(t, _owner(t, node.value), text), node.slice)


def _owner(t: Tracer, node: ast.expr) -> Value:
    """What is indexed: rows of lists of arrays, which are indexed at once, without a copy."""
    if isinstance(node, ast.Attribute) and t.ctx.tables_of:
        return held_in_place(t, node)
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return t.eval(node)
    with t.at(node):
        outer = sure(t, _owner(t, node.value), "'NoneType' object is not subscriptable")
        if isinstance(outer, Instance) and outer.cls is list:
            return lists.row_view(t, outer, lists.locate(t, outer, t.eval(node.slice)))
        if isinstance(outer, Instance) and issubclass(outer.cls, DictRow):
            index = t.eval(node.slice)
            found = entry_in_place(t, outer, index) or special(t, "__getitem__", outer, index)
            assert found is not None
            return found
        return select(t, outer, node.slice)


def _list_slice(t: Tracer, node: ast.Slice) -> Slice:
    return Slice(*bounds_of(t, node))


def _list_index(t: Tracer, index: ast.expr) -> Slice | Value:
    """The index of an item of a list, or the part that is meant."""
    if isinstance(index, ast.Slice):
        return _list_slice(t, index)
    value = t.eval(index)
    if isinstance(value, TupleValue) and value.cls is slice:
        return part_of(t, value)
    return value


def _list_item(t: Tracer, owner: Instance, index: ast.expr) -> Value:
    at = _list_index(t, index)
    if isinstance(at, Slice):
        return lists.get_slice(t, owner, at)
    return lists.get(t, owner, lists.locate(t, owner, at))


def delete(t: Tracer, node: ast.Subscript) -> None:
    """`del value[index]` of a list."""
    owner = sure(t, t.eval(node.value), "'NoneType' object does not support item deletion")
    needs_lists(t, owner)
    if is_dict(owner):
        t.call(Bound(owner, "pop"), (t.eval(node.slice),), {})
        return
    if not isinstance(owner, Instance) or owner.cls is not list:
        if special(t, "__delitem__", owner, t.eval(node.slice)) is None:
            refused = t.error("RG0101", f"`del` of an item of {describe(owner)}", "leave it out")
            raise of_list(refused) if is_given_list(owner) else refused
        return
    at = _list_index(t, node.slice)
    if isinstance(at, Slice):
        lists.set_slice(t, owner, at, TupleValue(()))
        return
    lists.pop(t, owner, at, _OUTSIDE)


def select(t: Tracer, value: Value, index: ast.expr) -> Value:
    """`value[index]`, read."""
    match value:
        case ArrayRef() | ComplexValue():
            return fetch(t, value, items_of(t, index))
        case TupleValue() if own_method(value, "__getitem__"):
            return t.call(Bound(value, "__getitem__"), (t.eval(index),), {})
        case TupleValue() if not is_record(value):
            return _tuple_item(t, value, index)
        case Instance() if value.cls is list:
            return _list_item(t, value, index)
        case Instance() if value.cls is dict:
            return dicts.get_item(t, value, t.eval(index))
        case Instance() if (found := special(t, "__getitem__", value, t.eval(index))) is not None:
            return found
        case Static(obj=str()) | Text():
            return item_of_text(t, value, index)
        case Static():
            return _of_baked(t, value, index)
        case RangeValue(backwards=False):
            return item_of_range(t, value, index)
        case Scalar():
            return _of_number(t, value, items_of(t, index))
        case _:
            raise no_elements(t, value)


def _of_baked(t: Tracer, value: Static, index: ast.expr) -> Value:
    """An item of an object that is part of the program."""
    if is_indexer(value.obj):
        return indexed(t, value.obj, index)
    if (cls := of_enum(value)) is not None:
        return found_by_name(t, cls, t.eval(index))
    if isinstance(value.obj, re.Match):
        return t.call(Bound(value, "group"), (t.eval(index),), {})
    raise no_elements(t, value)


def _complex_item(t: Tracer, value: ComplexValue, items: Sequence[Entry]) -> Value:
    """The same part of both arrays, or of both numbers."""
    both = (
        _of_number(t, part, items) if isinstance(part, Scalar) else fetch(t, part, items)
        for part in (value.real, value.imag)
    )
    return with_parts(value, tuple(both))


def _of_number(t: Tracer, value: Scalar, items: Sequence[Entry]) -> Value:
    """`x[...]`, `x[()]`, `x[..., None]` and `x[mask]`, with a bool, of NumPy's numbers."""
    if len(items) == 1 and isinstance(mask := items[0], IndexArray) and mask.new:
        return fetch(t, of_one(t, value), [IndexArray(mask.ref)])
    new = [item for item in items if isinstance(item, NewAxis)]
    if len(new) + sum(item is None for item in items) < len(items):
        raise no_elements(t, value)
    if not new:
        return value
    return t.new(t.prim("full", value.atom, *(ilit(1) for _ in new)))


OUTCOMES = "retrograd.frontend.library.plain.outcomes"
"""What SciPy's solvers give: dicts, of which attributes are items."""


def _tuple_item(t: Tracer, value: TupleValue, index: ast.expr) -> Value:
    if isinstance(index, ast.Slice):
        bounds = bounds_of(t, index)
        known = [None if b is None else static_int(b) for b in bounds]
        if any(k is None and b is not None for k, b in zip(known, bounds, strict=True)):
            if value.cls is not list or t.frame.origin.ours:
                raise _not_literal(t, value)
            if not t.ctx.way.lists:
                raise NeedLists
            return lists.get_slice(t, list_of(t, value.items), Slice(*bounds))
        chosen = value.items[slice(*known)]
        return thawed(t, TupleValue(chosen, value.cls if value.cls is list else tuple))
    at = t.eval(index)
    if isinstance(at, Static) and value.cls.__module__ == OUTCOMES and isinstance(at.obj, str):
        return attribute_of(t, value, at.obj)
    if isinstance(at, Scalar) and at.type == BOOL:
        at = as_int(t, at, "an index")  # False and True are 0 and 1 to tuples and lists
    lists.refuse_index(t, value.cls, at)
    position = static_int(at)
    if position is None:
        found = picked(t, value, at)
        if found is None and not value.items and not needs_lists(t, value):
            t.stop("IndexError", f"{value.cls.__name__} index out of range")
            raise PathEnds
        if found is None:
            raise _not_literal(t, value)
        return found
    if not -len(value.items) <= position < len(value.items):
        needs_lists(t, value)  # it may have more items at run time
        message = f"index {position} is outside {describe(value)}"
        way_out = f"write an index from {-len(value.items)} to {len(value.items) - 1}"
        raise t.error("RG0109", message, way_out, python=IndexError)
    return value.items[position]


def _not_literal(t: Tracer, value: Value) -> Exception:
    note_objects(t, parts(value))
    return t.error(
        "RG0109",
        f"{describe(value)} is indexed with a number known at run time only",
        "put the items into an array with np.array(...), or loop over the tuple itself",
    )


def _set_item(t: Tracer, owner: Value, index: Value, value: Value) -> None:
    if special(t, "__setitem__", owner, index, value) is None:
        raise t.error("RG0109", f"{describe(owner)} has no elements", "give it a __setitem__")


def _target(t: Tracer, value: Value, node: ast.Subscript) -> Place:
    if not isinstance(value, ArrayRef):
        is_list = is_given_list(value)
        refused = t.error(
            "RG0101",
            f"assignment to an element of {describe(value)}",
            "copy it first: q = list(q)" if is_list else "use an array, or build a new tuple",
            python=None if is_list or may_be_array(value) else TypeError,
        )
        raise of_list(refused) if is_list else refused
    return _place(t, value, items_of(t, node.slice))


def _save(t: Tracer, place: Place, value: Value, checked: bool) -> None:
    value = sure(t, value)
    if isinstance(value, ComplexValue):
        raise complex_into_real(t, place.ref)
    value = as_elements(t, value)
    if not isinstance(value, Scalar | ArrayRef):
        raise t.error("RG0110", f"{describe(value)} does not go into an array", "use np.array(...)")
    if place.element is None:
        write(t, place.ref, read(t, value) if isinstance(value, ArrayRef) else value.atom)
        return
    if not isinstance(value, Scalar):
        raise t.error(
            "RG0110",
            f"{describe(value)} assigned to one element",
            "assign a number, or write to a row: x[i, :] = y",
        )
    base = t.base(place.ref.loc)
    atom = as_element(t, value.atom, base.type.dtype)
    out = t.prim("update", base, atom, *place.element, checked=checked, span=t.span)
    t.store(place.ref.loc, out)


def assign(t: Tracer, node: ast.Subscript, value: Value) -> None:
    """`value[slice] = ...`."""
    text = "'NoneType' object does not support item assignment"
    owner = sure(t, _owner(t, node.value), text)
    needs_lists(t, owner)
    if isinstance(owner, Instance) and owner.cls is list:
        at = _list_index(t, node.slice)
        if isinstance(at, Slice):
            lists.set_slice(t, owner, at, value)
        else:
            lists.set_item(t, owner, lists.locate(t, owner, at, _OUTSIDE, True), value)
        return
    if is_dict(owner):
        dicts.put_item(t, owner, t.eval(node.slice), value)
        return
    if isinstance(owner, Instance) or own_method(owner, "__setitem__"):
        _set_item(t, owner, t.eval(node.slice), value)
        return
    value = frozen(t, value)
    if isinstance(owner, ComplexValue):
        _assign_complex(t, owner, items_of(t, node.slice), value)
        return
    if not change_number(t, node, owner, lambda ref, to: _store(t, _place(t, ref, to), value)):
        _store(t, _target(t, owner, node), value)


def _store(t: Tracer, place: Place, value: Value) -> None:
    if place.found is None:
        _save(t, place, value, True)
    elif not isinstance(value, Scalar) or not write_everywhere(t, place.found, value):
        write_places(t, places(t, place.found), value)


def _assign_complex(t: Tracer, owner: ComplexValue, items: Sequence[Entry], value: Value) -> None:
    """Both parts of a number or array go into those of an array."""
    new = stored_parts(t, owner, value)
    for part, one in zip((owner.real, owner.imag), new, strict=True):
        assert isinstance(part, ArrayRef)
        _store(t, _place(t, part, items), one)


_OUTSIDE = "list assignment index out of range"


def _augment_item(t: Tracer, owner: Instance, index: ast.expr, op: str, right: ast.expr) -> None:
    """`owner[index] op= right` of a list: arrays and lists in it change in place."""
    where = _list_index(t, index)
    if isinstance(where, Slice):
        part = lists.get_slice(t, owner, where)
        lists.set_slice(t, owner, where, changed_part(t, op, part, t.eval(right)))
        return
    at = lists.locate(t, owner, where, changes=True)
    old = lists.row_view(t, owner, at)
    operand = t.eval(right)
    if isinstance(old, ArrayRef):
        in_place(t, op, old, frozen(t, operand))
        return
    new = list_in_place(t, op, old, operand)
    if new is None:
        new = list_binary(t, op, old, operand)
    lists.set_item(t, owner, at, augmented(t, op, old, frozen(t, operand)) if new is None else new)


def augment(t: Tracer, node: ast.Subscript, op: str, right: ast.expr) -> None:
    """`value[slice] op= ...`: the place is located once."""
    owner = sure(t, _owner(t, node.value), "'NoneType' object is not subscriptable")
    needs_lists(t, owner)
    if isinstance(owner, Instance) and owner.cls is list:
        _augment_item(t, owner, node.slice, op, right)
        return
    if is_dict(owner):
        dicts.augment_item(t, owner, t.eval(node.slice), op, right)
        return
    if isinstance(owner, Instance) or own_method(owner, "__setitem__"):
        _augment_object(t, owner, t.eval(node.slice), op, right)
        return
    if isinstance(owner, ComplexValue):
        items = items_of(t, node.slice)
        item = _complex_item(t, owner, items)
        _assign_complex(t, owner, items, binary(t, op, item, frozen(t, t.eval(right))))
        return
    if not change_number(
        t, node, owner, lambda ref, to: _augment_place(t, _place(t, ref, to), op, right)
    ):
        _augment_place(t, _target(t, owner, node), op, right)


def _augment_place(t: Tracer, place: Place, op: str, right: ast.expr) -> None:
    if place.found is not None:
        if _is_plain(right) and change_everywhere(t, place.found, op, t.eval(right)):
            return
        chosen = places(t, place.found)
        old = read_places(t, chosen)
        write_places(t, chosen, binary(t, op, old, frozen(t, t.eval(right))))
        return
    old = _load(t, place)
    operand = frozen(t, t.eval(right))
    if isinstance(old, ArrayRef):
        in_place(t, op, old, operand)
        return
    _save(t, place, binary(t, op, old, operand), False)


def _augment_object(t: Tracer, owner: Value, index: Value, op: str, right: ast.expr) -> None:
    """`owner[index] op= ...` of an object."""
    held = entry_in_place(t, owner, index) if isinstance(owner, Instance) else None
    if held is not None and is_array(held):
        in_place(t, op, held, frozen(t, t.eval(right)))
        return
    item = special(t, "__getitem__", owner, index)
    if item is None:
        raise t.error(
            "RG0109",
            f"{describe(owner)} has no elements",
            "give its class a `__getitem__`, or index what it holds",
        )
    augment_item(t, op, item, t.eval(right), partial(_set_item, t, owner, index))


def _is_plain(node: ast.expr) -> bool:
    """Whether it makes no difference when this is evaluated, or whether it is twice."""
    return all(isinstance(one, _PLAIN) for one in ast.walk(node))


_PLAIN = ast.Constant | ast.Name | ast.expr_context | ast.UnaryOp | ast.unaryop
