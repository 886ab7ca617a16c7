"""Objects that lists of run-time length hold: rows of a table of their class.

Where objects cannot be variables of their own, the program is translated once more with a table
for each such class: a list for each attribute. An object is then a number, that of its row, which
may be an item of a list, joined and carried like any int. The table is given to each function that
needs it, as what is read from outside is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.buffers import ListItems, ListObject, list_object
from retrograd.frontend.identity.growing_lists import Growing
from retrograd.frontend.identity.specs import StaticSpec
from retrograd.frontend.values.dict_keys import early_and_late
from retrograd.frontend.values.kinds import (
    Bound,
    DictValue,
    Instance,
    Maybe,
    Scalar,
    Static,
    TupleValue,
    Value,
    hole,
    parts,
)
from retrograd.frontend.values.tracer import Hidden, NeedHidden, Tracer
from retrograd.ir.terms import Atom, false, ilit
from retrograd.ir.types import I64

__all__ = [
    "COUNT", "ROW", "TABLE", "Rows", "add_tables", "has_rows", "held_by_name", "is_growing",
    "is_row",
    "must_be_read", "note_object", "note_objects", "row_form", "row_in", "row_of", "rows_leave",
    "same_rows", "sites_in", "slots_of", "table_of", "unsettled", "values_of",
]  # fmt: skip

ROW = "<row>"
"""The only attribute of an object that is a row: its number."""

COUNT = "<count>"
"""The attribute of a table that counts its rows."""

TABLE = "table"
"""The kind of the hidden argument that a table is."""


class Rows:
    """Stands for the class of tables."""


def is_row(value: Value) -> bool:
    """Whether it is an object that is a row of a table."""
    return isinstance(value, Instance) and value.names == (ROW,)


def row_of(t: Tracer, cls: type, number: Scalar) -> Instance:
    """The object of a row."""
    made = Instance(cls, t.ctx.fresh_place(1), (ROW,))
    t.state.cells[made.cells[0]] = number
    return made


def same_rows(t: Tracer, a: Value, b: Value) -> Atom | None:
    """Whether two objects are one, of which each is a row; None of all else."""
    if not isinstance(a, Instance) or not isinstance(b, Instance) or not is_row(a) or not is_row(b):
        return None
    one, two = t.content(a.cells[0]), t.content(b.cells[0])
    if a.cls is not b.cls or not isinstance(one, Scalar) or not isinstance(two, Scalar):
        return false
    return t.prim("eq", one.atom, two.atom)


def held_by_name(t: Tracer, obj: Instance, name: str) -> Value:
    """What an attribute of an object holds."""
    if is_row(obj):
        return t.call(Bound(obj, ROW), (Static(name),), {})
    return t.content(obj.cell(name))


def row_form(cls: type) -> TupleValue:
    """What such an object is like as an item of a list."""
    return TupleValue((Scalar(hole(I64), True),), list_object(cls))


def row_in(value: Value) -> type | None:
    """The class of the object that an item is, or its form, or the buffer of such; else None."""
    if isinstance(value, TupleValue) and issubclass(value.cls, ListObject):
        return value.cls.of
    return None


def is_growing(value: Value) -> bool:
    """Whether it is a list that a list of run-time length may hold."""
    return isinstance(value, Instance) and issubclass(value.cls, Growing)


def sites_in(value: Value) -> frozenset[Span]:
    """Where the lists are made that an item, its form or the buffers of such have in them."""
    found = frozenset[Span]()
    match value:
        case TupleValue():
            found = value.sites
            if (cls := row_in(value)) is not None and issubclass(cls, Growing):
                found = found | cls.sites
        case Instance() if issubclass(value.cls, Growing):
            return value.cls.sites
        case _:
            pass
    return found.union(*map(sites_in, parts(value)))


def has_rows(values: Iterable[Value]) -> bool:
    """Whether there are such objects in these values."""
    return any(
        is_row(value)
        or row_in(value) is not None
        or (has_rows((value.value,)) if isinstance(value, Maybe) else has_rows(parts(value)))
        for value in values
    )


def note_object(t: Tracer, value: Value) -> None:
    """Notes the class of an object that cannot be a variable of its own."""
    if isinstance(value, Instance) and not is_row(value):
        _note_dict(t, value)
        t.ctx.note_crowd(value)
        if value.cls is list:
            t.note_list(t.state.cells.get(value.cells[0]))


def _note_dict(t: Tracer, value: Instance) -> None:
    """Notes a dict that could be an object with an attribute for each key."""
    held = t.state.cells.get(value.cells[0]) if value.cls is dict else None
    if not isinstance(held, DictValue) or held.site is None:
        return
    if (found := early_and_late(held)) is not None:
        keys, late = found
        t.ctx.dicts.add((held.site, keys))
        t.ctx.later.update((keys, key) for key in late)


def note_objects(t: Tracer, values: Iterable[Value]) -> None:
    """Notes the classes of objects that cannot be variables of their own."""
    for value in values:
        note_object(t, value)


def unsettled(t: Tracer, objects: Iterable[Value]) -> UserError:
    """The error of a loop that carries ever other values, these objects among them."""
    note_objects(t, objects)
    return t.error("RG0104", "the types of this loop do not settle", "give x its type before")


def slots_of(name: str) -> str:
    """The column of an attribute that says which of its values an object has."""
    return f"{name} <slots>"


def values_of(name: str) -> str:
    """The column of the values of an attribute that not every object has."""
    return f"{name} <values>"


def _columns(cls: type, names: Iterable[str], partial: frozenset[tuple[type, str]]) -> list[str]:
    found: list[str] = []
    for name in names:
        found += [slots_of(name), values_of(name)] if (cls, name) in partial else [name]
    return found


def add_tables(t: Tracer, tables: Mapping[type, tuple[str, ...]]) -> None:
    """The tables of a function that shares them with nobody, without rows."""
    for cls, names in tables.items():
        columns = (COUNT, *_columns(cls, names, t.ctx.way.partial))
        made = Instance(Rows, t.ctx.fresh_place(len(columns)), columns)
        t.frame.hidden[_hidden(cls).key] = made
        t.state.cells[made.cells[0]] = Scalar(ilit(0), True)
        for cell in made.cells[1:]:
            t.state.cells[cell] = _no_items(t)


def _no_items(t: Tracer) -> Instance:
    made = Instance(list, t.ctx.fresh_place(1), ("items",))
    t.state.cells[made.cells[0]] = TupleValue((), ListItems)
    return made


def _hidden(cls: type) -> Hidden:
    return Hidden(TABLE, cls, "", StaticSpec(None))


def rows_leave(t: Tracer) -> UserError:
    """The error of a result with such objects in it."""
    return t.error(
        "RG0103", "the result is an object, or has one, that a list of run-time length holds",
        "return its numbers and arrays",
    )  # fmt: skip


def must_be_read(t: Tracer, hidden: Hidden) -> None:
    """Refuses a table as what a function with a rule of its own is given besides its arguments."""
    if hidden.kind == TABLE:
        raise t.error(
            "RG0306", "a function with a rule makes or reads objects that a list of run-time "
            "length holds", "do it outside of the function",
        )  # fmt: skip


def table_of(t: Tracer, cls: type) -> Instance:
    """The table of a class."""
    hidden = _hidden(cls)
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    found = t.frame.hidden[hidden.key]
    assert isinstance(found, Instance)
    return found
