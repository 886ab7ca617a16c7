"""Arrays of different lengths in lists of run-time length, by their numbers in a table.

Where the arrays that are put into a list are known to be of other lengths each time, the program is
translated once more with a table for them (`retrograd.frontend.identity.uneven_arrays`). Only lists
have such numbers: an item that is read is an array, linked with the elements of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from retrograd.errors import Span, UserError
from retrograd.frontend.identity import growing_lists
from retrograd.frontend.identity.buffers import (
    ListBuffer,
    ListItems,
    ListKinds,
    ListRow,
    ListUneven,
)
from retrograd.frontend.identity.uneven_arrays import (
    FLAT,
    SIZE,
    START,
    UnevenLists,
    UnevenRow,
    uneven_rows,
)
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read
from retrograd.frontend.values.forms import arrays, leaves, like
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    ComplexValue,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    hole,
    parts,
)
from retrograd.frontend.values.object_rows import COUNT, row_form, row_in, table_of
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.frontend.values.varying_shapes import (
    has_varying_shape,
    have_other_shapes,
    is_made_shorter,
)
from retrograd.frontend.values.views import Part, Whole
from retrograd.ir.terms import Atom, Var, ilit

__all__ = [
    "array_in", "as_uneven", "is_uneven_site", "join_uneven", "must_be_alike", "must_be_even",
    "must_have_table", "one_table", "put_in", "told", "uneven_in",
]  # fmt: skip


def uneven_in(form: Value) -> type[UnevenRow] | None:
    """The class of arrays of different lengths, of such an item, its form or its buffer."""
    cls = row_in(form)
    return cls if cls is not None and issubclass(cls, UnevenRow) else None


def _class_of(t: Tracer, content: TupleValue, part: int, rank: int) -> type[UnevenRow] | None:
    """Of which class the arrays of a list are, if they have different lengths."""
    for lists in t.ctx.way.uneven:
        if (lists.part, lists.rank) == (part, rank) and not lists.sites.isdisjoint(content.sites):
            return uneven_rows(lists)
    return None


def as_uneven(t: Tracer, content: TupleValue, form: Value) -> Value:
    """The form of the items of a list, with numbers for arrays of different lengths."""
    if not t.ctx.way.uneven or not content.sites:
        return form
    found = list(leaves(form))
    for part, leaf in _arrays(form):
        cls = _class_of(t, content, part, leaf.type.rank)
        found[part] = leaf if cls is None else row_form(cls)
    return like(form, iter(found))


def _arrays(form: Value) -> Iterator[tuple[int, ArrayRef]]:
    """The arrays in a form, but for those of lists in lists, and of items of several kinds, with
    their places among all leaves."""
    for part, (leaf, inside) in enumerate(_marked(form, False)):
        if isinstance(leaf, ArrayRef) and not inside:
            yield part, leaf


def _marked(form: Value, inside: bool) -> Iterator[tuple[Value, bool]]:
    """The leaves, with whether they are part of a list in a list, or of one of several kinds."""
    if not isinstance(form, TupleValue | ComplexValue):
        yield form, inside
        return
    if isinstance(form, TupleValue):
        inside = inside or form.cls is ListRow or issubclass(form.cls, ListKinds)
    for part in parts(form):
        yield from _marked(part, inside)


def is_uneven_site(t: Tracer, sites: frozenset[Span]) -> bool:
    """Whether lists that are made at one of these places get arrays of different lengths."""
    return any(not lists.sites.isdisjoint(sites) for lists in t.ctx.way.uneven)


def must_be_even(t: Tracer, sites: frozenset[Span], form: Value, row: Value) -> None:
    """Refuses to put an array into a buffer whose items have other lengths each time.

    `sites` are where the list is made.
    """
    if not sites:
        return
    found = list(leaves(row))
    for part, _ in _arrays(form):
        leaf = found[part]
        if not isinstance(leaf, ArrayRef):
            continue
        if has_varying_shape(t, leaf) or (not t.indices and is_made_shorter(t, leaf)):
            t.ctx.uneven.add(UnevenLists(sites, part, leaf.type.rank))
            raise _different(t)


def must_be_alike(t: Tracer, lists: Sequence[TupleValue], form: Value) -> None:
    """Refuses to put known items into buffers where their arrays are of different lengths."""
    known = [content for content in lists if content.cls is ListItems]
    sites = frozenset[Span]().union(*(content.sites for content in known))
    if not sites:
        return
    rows = [list(leaves(item)) for content in known for item in content.items]
    for part, leaf in _arrays(form):
        items = [row[part] for row in rows if part < len(row)]
        same = [
            one for one in items if isinstance(one, ArrayRef) and one.type.rank == leaf.type.rank
        ]
        if have_other_shapes(t, same):
            t.ctx.uneven.add(UnevenLists(sites, part, leaf.type.rank))
            raise _different(t)


def one_table(one: Value, other: Value) -> bool:
    """Whether arrays of different lengths in the buffers of two lists are in the same tables."""
    if not isinstance(one, TupleValue) or not isinstance(other, TupleValue):
        return True
    if (uneven_in(one) or uneven_in(other)) is not None:
        return one.cls is other.cls
    return all(map(one_table, one.items, other.items))


def join_uneven(t: Tracer, one: Value, other: Value) -> Value | None:
    """The form of arrays of different lengths and other arrays; None of all else.

    Where both have tables of their own, the program is translated with one for both.
    """
    first, second = uneven_in(one), uneven_in(other)
    if first is None or second is None:
        array = other if second is None else one
        known = one if second is None else other
        return known if (first or second) is not None and isinstance(array, ArrayRef) else None
    if first is not second and first.lists.rank == second.lists.rank:
        sites = first.lists.sites | second.lists.sites
        for cls in (first, second):
            t.ctx.uneven.add(replace(cls.lists, sites=sites))
        raise _different(t)
    return one if first is second else None


def must_have_table(t: Tracer, lists: tuple[TupleValue, TupleValue], form: Value) -> None:
    """Refuses a list of known arrays that meets, under one name, one with arrays of different
    lengths, or known arrays of other ones."""
    must_be_alike(t, lists, form)
    for cls in _classes_in(form):
        _must_be_in_table(t, lists, cls)


def _classes_in(form: Value) -> Iterator[type[UnevenRow]]:
    if (cls := uneven_in(form)) is not None:
        yield cls
    elif isinstance(form, TupleValue):
        for part in form.items:
            yield from _classes_in(part)


def _must_be_in_table(t: Tracer, lists: Sequence[TupleValue], cls: type[UnevenRow]) -> None:
    for content in lists:
        if content.items and not content.sites <= cls.lists.sites:
            t.ctx.uneven.add(replace(cls.lists, sites=cls.lists.sites | content.sites))
            raise _different(t)


def _different(t: Tracer) -> UserError:
    return t.error(
        "RG0110", "arrays of different lengths in a list whose length is known at run time only",
        "pad them to one length",
    )  # fmt: skip


def _parts(t: Tracer, cls: type[UnevenRow]) -> tuple[Instance, Instance, Instance, Scalar]:
    """The list of all elements, those of sizes and starts, and how many entries these have."""
    table = table_of(t, cls)
    flat, size, start = (t.content(table.cell(name)) for name in (FLAT, SIZE, START))
    count = t.content(table.cell(COUNT))
    assert isinstance(flat, Instance)
    assert isinstance(size, Instance)
    assert isinstance(start, Instance)
    assert isinstance(count, Scalar)
    return flat, size, start, count


def put_in(t: Tracer, array: ArrayRef, cls: type[UnevenRow]) -> Value:
    """An array as an item: the number of a new entry of the table, with a copy of it."""
    flat, sizes, starts, count = _parts(t, cls)
    rank, dtype = array.type.rank, array.type.dtype
    size = extent(t, array, 0)
    first = _length(t, flat)
    like_it = narrow(t, array, [Index(Scalar(ilit(0)), inside=True)]) if rank > 1 else (
        Scalar(hole(array.type.with_rank(0)))
    )  # fmt: skip
    room = t.prim("imax", size, ilit(1)) if rank > 1 else size  # so rows have a length
    t.call(Static(growing_lists.pad), [flat, Scalar(room, True), like_it], {})
    (buffer,) = arrays(_content(t, flat).items[0])
    base = t.base(buffer.loc)
    for axis in range(1, rank):
        same = t.prim("eq", extent(t, array, axis), t.prim("dim", base, axis=axis))
        t.check(same, "ValueError", "items of different shapes in a list of run-time length")
    dtype = buffer.type.dtype
    ops = (first, size, ilit(1))
    value = convert(t, read(t, array), dtype)
    out = t.prim("update_slice", base, value, *ops, spec="s" + "a" * (rank - 1))
    t.state.arrays[buffer.loc] = out
    t.state.follow(buffer.loc, array.loc)
    for column, number in ((sizes, size), (starts, first)):
        t.call(Bound(column, "append"), [Scalar(number, True)], {})
    more = Scalar(t.prim("add", count.atom, ilit(1)), True)
    t.set_content(table_of(t, cls).cell(COUNT), more)
    return TupleValue((Scalar(count.atom, True),), row_form(cls).cls)


def _content(t: Tracer, owner: Instance) -> TupleValue:
    held = t.content(owner.cells[0])
    assert isinstance(held, TupleValue)
    return held


def _length(t: Tracer, owner: Instance) -> Atom:
    content = _content(t, owner)
    if content.cls is ListItems:
        return ilit(len(content.items))
    length = content.items[1]
    assert isinstance(length, Scalar)
    return length.atom


def array_in(t: Tracer, cls: type[UnevenRow], number: Scalar, copied: bool = True) -> ArrayRef:
    """The array of an item, by its number: a copy, or the place where its elements are."""
    flat, sizes, starts, _ = _parts(t, cls)
    content = _content(t, flat)
    if content.cls is not ListBuffer:  # there are no arrays yet
        raise PathEnds
    (buffer,) = arrays(content.items[0])
    at = Index(replace(number, nonneg=True), inside=True)
    start, size = _entry(t, starts, at), _entry(t, sizes, at)
    t.bending |= {size}
    whole = (Whole(),) * (buffer.base.rank - 1)
    view = ArrayRef(buffer.loc, buffer.base, (Part(start, size, ilit(1)), *whole))
    if not copied:
        return view
    made = t.new(read(t, view))
    assert isinstance(made, ArrayRef)
    t.state.follow(made.loc, buffer.loc)
    return made


def told(t: Tracer, buffers: Value) -> Value:
    """The buffers of items with all that is known of arrays of different lengths, as results."""
    if not isinstance(buffers, TupleValue):
        return buffers
    if (cls := uneven_in(buffers)) is None:
        return replace(buffers, items=tuple(told(t, part) for part in buffers.items))
    flat, sizes, starts, _ = _parts(t, cls)
    lists = (_content(t, one) for one in (starts, sizes, flat))
    columns = (_column(t, content) for content in lists)
    return TupleValue((buffers.items[0], *columns), ListUneven)


def _column(t: Tracer, content: TupleValue) -> Value:
    if content.cls is ListItems:
        return t.call(Static(np.array), [TupleValue(content.items)], {})
    (buffer,) = arrays(content.items[0])
    length = content.items[1]
    assert isinstance(length, Scalar)
    return narrow(t, buffer, [Slice(None, length, None)])


def _entry(t: Tracer, column: Instance, at: Index) -> Var:
    """A number in a column of the table."""
    content = _content(t, column)
    if content.cls is ListItems:
        known = t.call(Static(np.array), [TupleValue(content.items)], {})
        assert isinstance(known, ArrayRef)
        found = read(t, narrow(t, known, [at]))
    else:
        (buffer,) = arrays(content.items[0])
        found = read(t, narrow(t, buffer, [at]))
    assert isinstance(found, Var)
    return found
