"""What items of lists of run-time length are like: their forms, with nameless atoms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from retrograd.errors import UserError
from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListRow
from retrograd.frontend.values.forms import buffers_form, leaves, like
from retrograd.frontend.values.item_kinds import is_kinds, kinds_form, united
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    ComplexValue,
    Instance,
    OneOf,
    Option,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
    hole,
    parts,
    with_parts,
)
from retrograd.frontend.values.list_texts import is_of_texts, text_form, texts_in
from retrograd.frontend.values.object_rows import is_row, note_object, row_form, row_in, sites_in
from retrograd.frontend.values.scalars import join_dtype
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.uneven_arrays import as_uneven, join_uneven
from retrograd.frontend.values.wording import class_in_words
from retrograd.ir.types import MAX_RANK, DType, Type

__all__ = ["content_form", "form_of", "join_forms", "refuse"]


def refuse(t: Tracer, value: Value) -> UserError:
    """The error of what cannot be in a list of run-time length."""
    note_object(t, value)
    way_out = "keep numbers, arrays or tuples of these in it, and one list for each attribute"
    if isinstance(value, Instance) and value.cls is dict:
        way_out = "give it all its keys, which are texts, before it is put into the list"
    return t.error(
        "RG0110", f"{describe(value)} in a list whose length is known at run time only", way_out
    )


Look = Callable[[int], Value]
"""What a cell holds."""


def form_of(t: Tracer, item: Value, look: Look) -> Value:
    """What an item is like: its buffers without their first axis."""
    match item:
        case Static(obj=None):
            return kinds_form({}, True)
        case Option():
            return _united(t, form_of(t, NONE, look), form_of(t, item.value, look))
        case OneOf():
            forms = [form_of(t, one, look) for one in item.values]
            return reduce(lambda one, other: _united(t, one, other), forms)
        case Scalar():
            return Scalar(hole(item.type))
        case ArrayRef():
            if item.type.rank == MAX_RANK:
                raise refuse(t, item)
            return ArrayRef(0, item.type)
        case TupleValue() if item.cls is not list:
            return TupleValue(tuple(form_of(t, part, look) for part in item.items), item.cls)
        case Static() | Text() if (form := text_form(t, item)) is not None:
            return form
        case ComplexValue():
            return with_parts(item, tuple(form_of(t, part, look) for part in parts(item)))
        case Instance() if is_row(item):
            return row_form(item.cls)
        case Instance() if item.cls is list:
            return _list_form(t, item, look)
        case _:
            raise refuse(t, item)


def _list_form(t: Tracer, item: Instance, look: Look) -> Value:
    """What a list is like as an item."""
    content = look(item.cells[0])
    if not isinstance(content, TupleValue):
        return TupleValue((_row_form(t, content, look),), ListRow)
    if item in content.items:
        raise t.error(
            "RG0101", "a list of run-time length that contains itself", "keep the two apart"
        )
    return TupleValue((_row_form(t, content, look),), ListRow, content.sites)


def _row_form(t: Tracer, content: Value, look: Look) -> Value:
    """What the buffers of a list are like as a part of an item: arrays of one more axis."""
    assert isinstance(content, TupleValue)
    form = content_form(t, content, look)
    if form is None:
        return ArrayRef(0, Type(DType.F64, 1))
    if isinstance(form, TupleValue) and form.cls is ListRow and isinstance(form.items[0], ArrayRef):
        form = form.items[0]  # a list of lists of numbers is one array
    made: list[Value] = []
    for leaf in leaves(form):
        assert isinstance(leaf, Scalar | ArrayRef)
        if leaf.type.rank == MAX_RANK:
            t.note_list(content)
            raise refuse(t, content)
        made.append(ArrayRef(0, leaf.type.with_rank(leaf.type.rank + 1)))
    return like(form, iter(made))


def _united(t: Tracer, one: Value, other: Value, depth: int = 0) -> Value:
    """What covers items of two kinds, or None."""
    found = united(t, one, other, depth, lambda a, b: join_forms(t, a, b, depth))
    if found is None:
        raise _several(t, one, other)
    return found


def _several(t: Tracer, one: Value, other: Value) -> UserError:
    if sites := sites_in(one) | sites_in(other):
        t.ctx.heaped.add(sites)
    return t.error(
        "RG0110",
        f"{_named(one)} and {_named(other)} in one list whose length is known at run time only",
        "keep items of one kind in it",
    )


def join_forms(t: Tracer, one: Value, other: Value, depth: int = 0) -> Value:
    """What both are like; `depth`: as items of lists in lists."""
    match one, other:
        case _ if is_kinds(one) or is_kinds(other):
            return _united(t, one, other, depth)
        case (Scalar(), Scalar()):
            return Scalar(hole(Type(join_dtype(one.type.dtype, other.type.dtype))))
        case (ArrayRef(), ArrayRef()) if one.type.rank == other.type.rank:
            dtype = join_dtype(one.type.dtype, other.type.dtype)
            return ArrayRef(0, Type(dtype, one.type.rank))
        case (TupleValue() | ArrayRef(), TupleValue() | ArrayRef()) if (
            found := join_uneven(t, one, other)
        ) is not None:
            return found
        case (TupleValue(), TupleValue()) if is_of_texts(one) and is_of_texts(other):
            return max(one, other, key=lambda form: len(texts_in(form)))
        case (TupleValue(), TupleValue()) if one.cls is other.cls and len(one.items) == len(
            other.items
        ):
            pairs = zip(one.items, other.items, strict=True)
            inside = depth + (one.cls is ListRow)
            items = tuple(join_forms(t, a, b, inside) for a, b in pairs)
            return TupleValue(items, one.cls, one.sites | other.sites)
        case (ComplexValue(), ComplexValue()):
            pairs = zip(parts(one), parts(other), strict=True)
            kind = one if one.mixed else other
            return with_parts(kind, tuple(join_forms(t, a, b) for a, b in pairs))
        case (ComplexValue(), Scalar() | ArrayRef()):
            return join_forms(t, one, ComplexValue(other, one.imag, mixed=True))
        case (Scalar() | ArrayRef(), ComplexValue()):
            return join_forms(t, other, one)
        case _:
            return _united(t, one, other, depth)


def _named(form: Value) -> str:
    """What the user would call an item of that form."""
    cls = row_in(form)
    return describe(form) if cls is None else class_in_words(cls, None)


def content_form(t: Tracer, content: TupleValue, look: Look) -> Value | None:
    """What the items are like; None where there are none."""
    if content.cls is ListBuffer:
        return buffers_form(content.items[0])
    form: Value | None = None
    _same_lengths(t, content.items, look)
    for item in content.items:
        own = form_of(t, item, look)
        form = own if form is None else join_forms(t, form, own)
    return None if form is None else as_uneven(t, content, form)


def _same_lengths(t: Tracer, items: Sequence[Value], look: Look) -> None:
    """Refuses lists of different lengths, which no buffer can hold."""
    rows = [look(item.cells[0]) for item in items if isinstance(item, Instance)]
    known = [row for row in rows if isinstance(row, TupleValue) and row.cls is ListItems]
    if len({len(row.items) for row in known}) > 1:
        t.ctx.heaped.add(frozenset(site for row in known for site in row.sites))
        raise t.error(
            "RG0110", "lists of different lengths in a list that is indexed at run time",
            "index it by the variable of a loop over a literal range, or pad the shorter ones",
        )  # fmt: skip
