"""Items put into lists: in the place of others, and at the end, where buffers grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListRow
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.values.arrays import extent, read
from retrograd.frontend.values.item_forms import form_of, join_forms
from retrograd.frontend.values.item_kinds import ids_of, is_deep, is_kinds
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    OneOf,
    Option,
    Scalar,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.lists import (
    arrays,
    as_item,
    buffered,
    buffers_form,
    content_of,
    in_table,
    leaves,
    parts_of,
    put,
    set_items,
    whole,
)
from retrograd.frontend.values.objects import living
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.frontend.values.uneven_arrays import must_be_even
from retrograd.frontend.values.wider_rows import is_view, must_keep_length, widen_rows
from retrograd.ir.terms import Atom, Lit, ilit

__all__ = ["Literal", "append", "make_place", "no_rows_elsewhere", "outside", "set_item"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A position, counted from the front, of a list whose items are known one by one."""

    at: int


def outside(t: Tracer, message: str = "list index out of range") -> Exception:
    t.stop("IndexError", message)
    return PathEnds()


def set_item(t: Tracer, owner: Value, at: Literal | Scalar, value: Value) -> None:
    """Replaces the item at a position."""
    content = content_of(t, owner)
    if isinstance(at, Literal):
        items = (*content.items[: at.at], value, *content.items[at.at + 1 :])
        set_items(t, owner, TupleValue(items, ListItems))
        return
    if not content.items:
        raise outside(t, "list assignment index out of range")
    if by_cases(t, value, lambda one: set_item(t, owner, at, one)):
        return
    content, row = _fitted(t, content, value)
    buffers, length = parts_of(content)
    no_rows_elsewhere(t, buffers)
    _shape_rows(t, buffers, row, length)
    for ref, leaf in zip(arrays(buffers), leaves(row), strict=True):
        put(t, ref, at.atom, leaf)
    set_items(t, owner, content)


def by_cases(t: Tracer, value: Value, put_in: Callable[[Value], None]) -> bool:
    """Puts in an array that may be None, or what may be of another kind, by branches.

    What is not there has no shape.
    """
    if not isinstance(value, Option | OneOf) or not is_deep(form_of(t, value, t.content)):
        return False
    if isinstance(value, Option):
        branch(t, value.flag, lambda: put_in(value.value), lambda: put_in(NONE))
        return True

    def among(cases: Sequence[tuple[Atom, Value]]) -> None:
        (flag, one), *rest = cases
        if rest:
            branch(t, flag, lambda: put_in(one), lambda: among(rest))
        else:
            put_in(one)

    among(list(zip(value.flags, value.values, strict=True)))
    return True


def _shape_rows(t: Tracer, buffers: Value, row: Value, length: Scalar) -> None:
    """Gives the rows of a kind of which there has been no item yet their shape."""
    if not isinstance(buffers, TupleValue) or not isinstance(row, TupleValue):
        return
    if not is_kinds(buffers):
        for one, part in zip(buffers.items, row.items, strict=True):
            _shape_rows(t, one, part, length)
        return
    which = buffers.items[0]
    assert isinstance(which, ArrayRef)
    for number, column, part in zip(ids_of(buffers), buffers.items[1:], row.items[1:], strict=True):
        for ref, leaf in zip(arrays(column), leaves(part), strict=True):
            if isinstance(leaf, ArrayRef):
                _shape_row(t, ref, leaf, lambda n=number: _is_there(t, which, n, length))


def _is_there(t: Tracer, which: ArrayRef, number: int, length: Scalar) -> Atom:
    """Whether an item of that kind is in a list."""
    same = t.prim("eq", read(t, whole(t, which, length)), ilit(number))
    found = t.call(Static(np.any), [t.new(same)], {})
    assert isinstance(found, Scalar)
    return found.atom


def _shape_row(t: Tracer, ref: ArrayRef, leaf: ArrayRef, there: Callable[[], Atom]) -> None:
    base = t.base(ref.loc)
    blank = t.prim("eq", t.prim("dim", base, axis=1), ilit(0))

    def shaped() -> None:
        old = t.base(ref.loc)
        dims = [extent(t, leaf, axis) for axis in range(leaf.type.rank)]
        room = t.prim("dim", old, axis=0)
        t.state.arrays[ref.loc] = t.prim("zeros", room, *dims, dtype=ref.type.dtype.value)

    branch(t, blank, lambda: branch(t, there(), _nothing, shaped), _nothing)


def _fitted(t: Tracer, content: TupleValue, value: Value) -> tuple[TupleValue, Value]:
    """Buffers that are wide enough for an item, and the item in their form."""
    own = buffers_form(content.items[0])
    form = join_forms(t, own, form_of(t, value, t.content))
    row = as_item(t, value, form)
    must_be_even(t, content.sites, form, row)
    if form != own and is_view(content):
        return widen_rows(t, content, form), row
    if form != own:
        must_keep_length(t, content, "is given an item of another kind, and it may be one of two")
    return buffered(t, content, form), row


def no_rows_elsewhere(t: Tracer, buffers: Value) -> None:
    """Refuses to replace rows of a list of lists while a name has one: the old one would change."""
    rows = [part for part in (buffers, *_parts(buffers)) if isinstance(part, TupleValue)]
    shared = {ref.loc for row in rows if row.cls is ListRow for ref in arrays(row)}
    if not shared:
        return
    reached = living(t, t.state.cells)
    for cell, held in t.state.cells.items():
        if cell not in reached or not isinstance(held, TupleValue):
            continue
        for ref in leaves(held):
            if isinstance(ref, ArrayRef) and ref.view is not None and ref.loc in shared:
                t.note_list(held)
                raise t.error(
                    "RG0106", "a row of this list of lists has another name, and is replaced here",
                    "give the name a copy: row = list(rows[i])",
                )  # fmt: skip


def _parts(value: Value) -> tuple[Value, ...]:
    return value.items if isinstance(value, TupleValue) else ()


def append(t: Tracer, owner: Value, value: Value) -> None:
    """`owner.append(value)`."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        longer = TupleValue((*content.items, value), ListItems, content.sites)
        set_items(t, owner, in_table(t, longer))
        return
    must_keep_length(t, content, "grows")
    if by_cases(t, value, lambda one: append(t, owner, one)):
        return
    content, row = _fitted(t, content, value)
    buffers, length = parts_of(content)
    refs = list(arrays(buffers))
    items = list(leaves(row))
    _shape_rows(t, buffers, row, length)
    _reserve(t, refs, items, length)
    for ref, leaf in zip(refs, items, strict=True):
        put(t, ref, length.atom, leaf)
    longer = Scalar(t.prim("add", length.atom, ilit(1)), True)
    set_items(t, owner, TupleValue((buffers, longer), ListBuffer))


_LEAST = 8
"""Entries of the first buffer of a list."""


def _reserve(t: Tracer, refs: Sequence[ArrayRef], items: Sequence[Value], length: Scalar) -> None:
    """Makes place for another item: the buffers double where they are full.

    The first item says how long the rows are.
    """
    capacity = t.prim("dim", t.base(refs[0].loc), axis=0)
    full = t.prim("ge", length.atom, capacity)
    deep = any(ref.type.rank > 1 for ref in refs)
    if deep:
        full = t.prim("or_", full, t.prim("eq", length.atom, ilit(0)))

    def grow() -> None:
        doubled = t.prim("mul", t.prim("dim", t.base(refs[0].loc), axis=0), ilit(2))
        room = t.prim("imax", doubled, ilit(_LEAST))
        for ref, leaf in zip(refs, items, strict=True):
            _enlarge(t, ref, leaf, room, length)

    branch(t, full, grow, _nothing)


def make_place(t: Tracer, owner: Value, count: Scalar, value: Value) -> None:
    """Makes a list longer by so many items like `value`, which mean nothing until they are put."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        form = form_of(t, value, t.content)
        for item in content.items:
            form = join_forms(t, form, form_of(t, item, t.content))
        content = buffered(t, content, form)
    content, row = _fitted(t, content, value)
    buffers, length = parts_of(content)
    refs, items = list(arrays(buffers)), list(leaves(row))
    longer = t.prim("add", length.atom, count.atom)
    capacity = t.prim("dim", t.base(refs[0].loc), axis=0)

    def grow() -> None:
        doubled = t.prim("mul", t.prim("dim", t.base(refs[0].loc), axis=0), ilit(2))
        room = t.prim("imax", doubled, longer)
        for ref, leaf in zip(refs, items, strict=True):
            _enlarge(t, ref, leaf, room, length)

    _shape_rows(t, buffers, row, length)
    branch(t, t.prim("gt", longer, capacity), grow, _nothing)
    set_items(t, owner, TupleValue((buffers, Scalar(longer, True)), ListBuffer))


def _enlarge(t: Tracer, ref: ArrayRef, leaf: Value, room: Atom, length: Scalar) -> None:
    old = t.base(ref.loc)
    rank = ref.type.rank
    dims: list[Atom] = [t.prim("dim", old, axis=axis) for axis in range(1, rank)]
    if isinstance(leaf, ArrayRef):  # the first item says what shape all have
        empty = t.prim("eq", length.atom, ilit(0))
        new = (extent(t, leaf, axis) for axis in range(rank - 1))
        dims = [t.prim("select", empty, n, dim) for n, dim in zip(new, dims, strict=True)]
    fresh = t.prim("zeros", room, *dims, dtype=ref.type.dtype.value)
    t.state.arrays[ref.loc] = fresh
    if rank == 1 or (isinstance(length.atom, Lit) and length.atom.value):
        _take_over(t, ref, old, length.atom)
    elif not isinstance(length.atom, Lit):  # the rows of an empty list have no length yet
        known = t.prim("gt", length.atom, ilit(0))
        branch(t, known, lambda: _take_over(t, ref, old, length.atom), _nothing)


def _take_over(t: Tracer, ref: ArrayRef, old: Atom, count: Atom) -> None:
    rest = "a" * (ref.type.rank - 1)
    ops = (ilit(0), count, ilit(1))
    kept = t.prim("slice", old, *ops, spec="s" + rest)
    base = t.state.arrays[ref.loc]
    t.state.arrays[ref.loc] = t.prim("update_slice", base, kept, *ops, spec="s" + rest)


def _nothing() -> None:
    return
