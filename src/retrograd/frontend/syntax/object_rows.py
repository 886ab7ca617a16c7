"""Attributes of objects that are rows of a table (`values/object_rows.py`): lists, by their number.

An attribute that every object has, and that is never None, is one list. Of all others a list says
for each object where its value is in a second list: -1 where it is None, -2 where it has none.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from retrograd.frontend.identity.dict_rows import DictRow, key_named
from retrograd.frontend.identity.growing_lists import FLAT
from retrograd.frontend.library.instances import attribute
from retrograd.frontend.library.methods import attribute_of
from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.branches import branch, choose
from retrograd.frontend.values.kinds import (
    NONE,
    Instance,
    Maybe,
    Option,
    Scalar,
    Static,
    Unbound,
    Value,
)
from retrograd.frontend.values.lists import content_of, is_list, sized
from retrograd.frontend.values.object_rows import (
    COUNT,
    is_growing,
    is_row,
    row_of,
    slots_of,
    table_of,
    values_of,
)
from retrograd.frontend.values.objects import instances
from retrograd.frontend.values.tracer import NeedPartial, Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["attribute_of_row", "held_in_place", "in_place_of", "published", "row_of_list"]

_NONE, _UNASSIGNED = -1, -2


def published(t: Tracer, made: Instance) -> Instance:
    """The row of an object that its `__init__` has made."""
    _stays_inside(t, made)
    table = table_of(t, made.cls)
    number = t.content(table.cell(COUNT))
    assert isinstance(number, Scalar)
    for name in made.names:
        held = t.content(made.cell(name))
        if isinstance(held, Unbound) and getattr(made.cls, name, None) is not None:
            held = attribute(t, made, name)  # what the class has instead
        if (made.cls, name) in t.ctx.way.partial:
            lists.append(t, _column(t, table, slots_of(name)), Scalar(ilit(_UNASSIGNED)))
            _put_partial(t, (made.cls, name), number, held)
        else:
            _always(t, made.cls, name, held)
            lists.append(t, _column(t, table, name), held)
    t.set_content(table.cell(COUNT), Scalar(t.prim("add", number.atom, ilit(1)), True))
    return row_of(t, made.cls, number)


def row_of_list(t: Tracer, value: Value) -> Value:
    """A list as a row, where it is made at a place at which lists are rows; else as it is."""
    cls = t.ctx.heaps.get(t.span) if t.span is not None else None
    if cls is None or not is_list(value) or t.frame.source.place is not None:
        return value
    if t.span not in content_of(t, value).sites:  # it is read here, not made
        return value
    table = table_of(t, cls)
    number, flat = t.content(table.cell(COUNT)), _column(t, table, FLAT)
    assert isinstance(number, Scalar)
    start, size = sized(t, flat), sized(t, value)
    for name, held in (("start", start), ("size", size), ("room", size)):
        lists.append(t, _column(t, table, name), held)
    lists.extend(t, flat, value)
    t.set_content(table.cell(COUNT), Scalar(t.prim("add", number.atom, ilit(1)), True))
    return row_of(t, cls, number)


def _stays_inside(t: Tracer, made: Instance) -> None:
    """Refuses an object that its `__init__` has put elsewhere, where it would be another one."""
    for cell, held in t.state.cells.items():
        if cell not in made.cells and any(one.place == made.place for one in instances(held)):
            raise t.error(
                "RG0101", f"`__init__` of {made.cls.__name__!r} hands on the object that it makes, "
                "which a list of run-time length holds",
                "do it after the object is made",
            )  # fmt: skip


def _always(t: Tracer, cls: type, name: str, value: Value) -> None:
    if isinstance(value, Unbound | Maybe | Option) or value == NONE:
        raise NeedPartial(cls, name)


def _column(t: Tracer, table: Instance, name: str) -> Instance:
    column = t.content(table.cell(name))
    assert isinstance(column, Instance)
    return column


def _number(t: Tracer, obj: Instance) -> Scalar:
    number = t.content(obj.cells[0])
    assert isinstance(number, Scalar)
    return Scalar(number.atom, True)


def _position(t: Tracer, column: Instance, number: Scalar) -> lists.Literal | Scalar:
    """Where a row is in a column; it is there."""
    return lists.within(t, column, number)


def attribute_of_row(t: Tracer, obj: Instance, args: Sequence[Value]) -> Value:
    """The attribute whose name comes first; or its new value, which comes second, is put."""
    name, *new = args
    assert isinstance(name, Static)
    if not new:
        return get_attribute(t, obj, str(name.obj))
    put_attribute(t, obj, str(name.obj), new[0])
    return NONE


def get_attribute(t: Tracer, obj: Instance, name: str) -> Value:
    """What an attribute of a row holds."""
    table, number = table_of(t, obj.cls), _number(t, obj)
    if name == FLAT and is_growing(obj):
        return _column(t, table, FLAT)
    if (obj.cls, name) not in t.ctx.way.partial:
        column = _column(t, table, name)
        return lists.get(t, column, _position(t, column, number))
    slots, values = _column(t, table, slots_of(name)), _column(t, table, values_of(name))
    slot = lists.get(t, slots, _position(t, slots, number))
    assert isinstance(slot, Scalar)
    assigned = t.prim("ne", slot.atom, ilit(_UNASSIGNED))
    t.check(assigned, "AttributeError", f"{obj.cls.__name__!r} object has no attribute {name!r}")
    place = Scalar(slot.atom, True)
    if _is_late(obj.cls, name) and (obj.cls, _none_of(name)) not in t.ctx.way.partial:
        return lists.get(t, values, _position(t, values, place))
    there = t.prim("ge", slot.atom, ilit(0))
    return choose(t, there, lambda: lists.get(t, values, _position(t, values, place)), _none)


def _none() -> Value:
    return NONE


def _is_late(cls: type, name: str) -> bool:
    """Whether an attribute is a key that dicts get later, which is looked for before it is read."""
    return issubclass(cls, DictRow) and key_named(name) in cls.late


def _may_be_none(t: Tracer, cls: type, name: str) -> None:
    if (cls, _none_of(name)) not in t.ctx.way.partial:
        raise NeedPartial(cls, _none_of(name))


def _none_of(name: str) -> str:
    """What is noted of an attribute that such a dict has, if it may be None."""
    return f"{name} <none>"


def put_attribute(t: Tracer, obj: Instance, name: str, value: Value) -> None:
    """Assigns to an attribute of a row."""
    table, number = table_of(t, obj.cls), _number(t, obj)
    if (obj.cls, name) in t.ctx.way.partial:
        _put_partial(t, (obj.cls, name), number, value)
        return
    _always(t, obj.cls, name, value)
    column = _column(t, table, name)
    lists.set_item(t, column, _position(t, column, number), value)


def _put_partial(t: Tracer, of: tuple[type, str], number: Scalar, value: Value) -> None:
    """Assigns to an attribute of a class that not every object has."""
    cls, name = of
    table = table_of(t, cls)
    slots, values = _column(t, table, slots_of(name)), _column(t, table, values_of(name))

    def point(slot: Atom) -> None:
        lists.set_item(t, slots, _position(t, slots, number), Scalar(slot))

    def add() -> None:
        point(sized(t, values).atom)
        lists.append(t, values, value)

    if _is_late(cls, name) and (isinstance(value, Option) or value == NONE):
        _may_be_none(t, cls, name)
    match value:
        case Unbound():
            return
        case Maybe():
            inner = value.value
            branch(t, value.flag, lambda: _put_partial(t, of, number, inner), _nothing)
        case Option():
            inner = value.value
            branch(
                t, value.flag, lambda: _put_partial(t, of, number, inner),
                lambda: point(ilit(_NONE)),
            )  # fmt: skip
        case Static(obj=None):
            point(ilit(_NONE))
        case _:
            slot = lists.get(t, slots, _position(t, slots, number))
            assert isinstance(slot, Scalar)
            place = Scalar(slot.atom, True)
            branch(
                t, t.prim("ge", slot.atom, ilit(0)),
                lambda: lists.set_item(t, values, _position(t, values, place), value), add,
            )  # fmt: skip


def _nothing() -> None:
    return


def held_in_place(t: Tracer, node: ast.Attribute) -> Value:
    """What an attribute holds that is indexed, or changed in place, at once."""
    if isinstance(node.value, ast.Call):  # it may be `super()`
        return t.eval(node)
    with t.at(node):
        owner = t.eval(node.value)
        return in_place_of(t, owner, t.frame.source.mangled(node.attr))


def in_place_of(t: Tracer, obj: Value, name: str) -> Value:
    """What an attribute holds, to be indexed or changed in place at once: of rows, no copy."""
    if not isinstance(obj, Instance) or not is_row(obj) or (obj.cls, name) in t.ctx.way.partial:
        return attribute_of(t, obj, name)
    if name == FLAT and is_growing(obj):
        return get_attribute(t, obj, name)
    if name not in t.ctx.tables_of[obj.cls] or isinstance(getattr(obj.cls, name, None), property):
        return attribute_of(t, obj, name)
    column = _column(t, table_of(t, obj.cls), name)
    return lists.row_view(t, column, _position(t, column, _number(t, obj)))
