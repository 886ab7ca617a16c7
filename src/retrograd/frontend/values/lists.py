"""Lists that a program makes: objects with one attribute, which holds the items. These are known
one by one (`ListItems`: values of any kind), or in *buffers*
(`ListBuffer`): an array for each number or array of an item, of one axis more, of which the first
`length` entries count. A list gets buffers where its length, or which item is meant, is known at
run time only. Items are references in Python: so the buffers are linked with the arrays that were
put into them, and a write to one of these makes the list stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrograd.errors import UserError
from retrograd.frontend.identity import growing_lists, uneven_arrays
from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListRow
from retrograd.frontend.identity.growing_lists import Growing
from retrograd.frontend.values.arrays import (
    Index,
    extent,
    narrow,
    read,
    value_atom,
    write,
)
from retrograd.frontend.values.columns import all_there, columns, whole
from retrograd.frontend.values.complexes import as_complex
from retrograd.frontend.values.dicts import items_of
from retrograd.frontend.values.forms import arrays, buffers_form, leaves, like
from retrograd.frontend.values.item_forms import content_form, form_of, join_forms
from retrograd.frontend.values.item_kinds import (
    as_kind,
    ids_in,
    is_kinds,
    kind_at,
)
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    ComplexValue,
    Instance,
    Later,
    Scalar,
    Static,
    Text,
    TupleValue,
    Undef,
    Value,
    hole,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.list_texts import (
    is_of_texts,
    text_as_item,
    text_numbered,
    texts_in,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.object_rows import (
    has_rows,
    is_row,
    row_in,
    row_of,
)
from retrograd.frontend.values.objects import held_in
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import NeedLists, PathEnds, Tracer
from retrograd.frontend.values.uneven_arrays import (
    array_in,
    as_uneven,
    is_uneven_site,
    one_table,
    put_in,
    uneven_in,
)
from retrograd.frontend.values.varying import varies
from retrograd.frontend.values.wider_rows import (
    is_row_of_list,
    is_view,
    must_keep_length,
    refilled,
)
from retrograd.ir.terms import Atom, Lit, ilit
from retrograd.ir.types import DType, Type

__all__ = [
    "arrays", "as_array", "as_item", "buffer_type", "buffered", "buffers_form", "content_of",
    "current", "in_table", "is_given_list", "is_list", "is_table", "item_at", "known_alike",
    "leaves", "like", "list_of", "needs_lists", "of_buffers", "of_list", "parts_of", "put",
    "set_items", "sized", "whole",
]  # fmt: skip


def is_list(value: Value) -> bool:
    """Whether it is a list that the program may change."""
    return isinstance(value, Instance) and value.cls is list


def needs_lists(t: Tracer, value: Value) -> bool:
    """Whether it is a list of a program that is translated as if lists were tuples.

    Then the program is translated again. A list from outside is one that stays as it is.
    """
    if not is_given_list(value):
        return False
    if not t.ctx.way.lists:
        raise NeedLists
    return True


def is_given_list(value: Value) -> bool:
    """Whether it is a list from outside that stays as it is."""
    return isinstance(value, TupleValue) and value.cls is list


def of_list(error: UserError) -> UserError:
    """A refusal of a change of a list from outside."""
    error.of_list = True
    return error


def list_of(t: Tracer, items: Sequence[Value]) -> Instance:
    """A new list of these items."""
    return _made(t, TupleValue(tuple(items), ListItems))


def _made(t: Tracer, content: TupleValue) -> Instance:
    made = content if t.span is None else replace(content, sites=frozenset((t.span,)))
    return _holding(t, in_table(t, made))


def in_table(t: Tracer, content: TupleValue) -> TupleValue:
    """The items of a list; in buffers where there are arrays of different lengths among them."""
    if content.cls is ListItems and content.items and is_uneven_site(t, content.sites):
        form = content_form(t, content, t.content)
        assert form is not None
        return buffered(t, content, form)
    return content


def _holding(t: Tracer, content: TupleValue) -> Instance:
    made = Instance(list, t.ctx.fresh_place(1), ("items",))
    t.state.cells[made.cells[0]] = content
    return made


def of_buffers(t: Tracer, buffers: Value, length: Scalar) -> Instance:
    """A new list whose items are in buffers."""
    made = _made(t, TupleValue((buffers, length), ListBuffer))
    form = buffers_form(buffers)
    if as_uneven(t, content_of(t, made), form) == form:
        return made
    again = list_of(t, ())
    t.call(Bound(again, "extend"), [made], {})
    return again


def content_of(t: Tracer, owner: Value) -> TupleValue:
    """The items of a list, as they are known or in buffers."""
    held = held_in(t, owner)
    assert isinstance(held, TupleValue)
    return held


def set_items(t: Tracer, owner: Value, content: TupleValue) -> None:
    """Gives a list new items."""
    assert isinstance(owner, Instance)
    held = t.state.cells.get(owner.cells[0])
    if (
        isinstance(held, TupleValue)
        and is_row_of_list(t, held)
        and not _same_buffers(held, content)
    ):
        _write_rows(t, held, content)
        return
    if isinstance(held, TupleValue):
        content = replace(content, sites=held.sites)
    t.set_content(owner.cells[0], content)


def _same_buffers(one: TupleValue, other: TupleValue) -> bool:
    """Whether these are the same buffers, or a wider list's, of as many items."""
    if other.cls is not ListBuffer or one.items[1] != other.items[1]:
        return False
    return one == other or is_view(other)


def _write_rows(t: Tracer, held: TupleValue, content: TupleValue) -> None:
    """Replaces all items of a list that is a row of another one, which has to have as many."""
    buffers, length = parts_of(held)
    form = buffers_form(buffers)
    new = content_form(t, content, t.content)
    if not is_view(held) or new is None or join_forms(t, form, new) != form:
        must_keep_length(t, held, "is given other items")
    rows, count = parts_of(buffered(t, content, form))
    same = t.prim("eq", count.atom, length.atom)
    t.check(same, "ValueError", "a row of a list of lists is given more or fewer items")
    for ref, row in zip(arrays(buffers), arrays(rows), strict=True):
        write(t, ref, read(t, whole(t, row, count)))


def parts_of(content: TupleValue) -> tuple[Value, Scalar]:
    """The buffers of items that are in buffers, and how many there are."""
    buffers, length = content.items
    assert isinstance(length, Scalar)
    return buffers, length


def sized(t: Tracer, owner: Value) -> Scalar:
    """How many items a list has."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        return Scalar(ilit(len(content.items)))
    return parts_of(content)[1]


def current(t: Tracer, value: Value) -> Value:
    """`value` with items that were to be read later as they are now."""
    match value:
        case Later() if value.owner.cls is dict:
            held = items_of(t, value.owner)
            if value.position >= len(held.items):
                raise t.error(
                    "RG0101", "a dict changes its keys while a loop runs over it",
                    "loop over a copy: for key in list(d)",
                )  # fmt: skip
            return held.items[value.position]
        case Later():
            items = content_of(t, value.owner)
            if items.cls is ListBuffer and value.position < (static_int(items.items[1]) or 0):
                return item_at(t, items, Scalar(ilit(value.position), True))
            if items.cls is not ListItems or value.position >= len(items.items):
                raise t.error(
                    "RG0101", "a list changes its length while a loop runs over it",
                    "loop over a copy: for x in list(l)",
                )  # fmt: skip
            return items.items[value.position]
        case TupleValue():
            return TupleValue(tuple(current(t, item) for item in value.items), value.cls)
        case _:
            return value


def is_table(content: TupleValue) -> bool:
    """Whether it is a list of literal numbers, of which an array is made where one is needed."""
    return content.cls is ListItems and all(
        isinstance(item, Scalar) and isinstance(item.atom, Lit) for item in content.items
    )


def buffer_type(leaf: Value) -> Type:
    """The type of the buffer for a number or array of an item."""
    assert isinstance(leaf, Scalar | ArrayRef)
    return leaf.type.with_rank(leaf.type.rank + 1)


def known_alike(h: TupleValue, value: TupleValue) -> bool:
    """Whether two values need no buffers where they meet: always, but for items of lists."""
    kinds = {h.cls, value.cls}
    if kinds == {ListItems}:
        return len(h.items) == len(value.items)
    if kinds == {ListBuffer}:
        every = (leaf for one in (h, value) for leaf in leaves(one.items[0]))
        if not all(isinstance(leaf, ArrayRef) for leaf in every):
            raise UserError(
                "RG0104", "the items of a list are not alike: some are nested deeper than others",
                None, "make them alike: numbers, texts and arrays, nested equally deep",
            )  # fmt: skip
        pairs = zip(arrays(h.items[0]), arrays(value.items[0]), strict=False)
        same = all(a.type == b.type for a, b in pairs)
        kinds_alike = ids_in(h.items[0]) == ids_in(value.items[0])
        texts_alike = texts_in(h.items[0]) == texts_in(value.items[0])
        return same and kinds_alike and texts_alike and one_table(h.items[0], value.items[0])
    return kinds != {ListItems, ListBuffer}


def buffered(t: Tracer, content: TupleValue, form: Value) -> TupleValue:
    """The same items in buffers of their own, for items like `form`."""
    if content.cls is ListBuffer:
        return replace(_as_wide(t, content, form), sites=content.sites)
    count = len(content.items)
    rows = [list(leaves(as_item(t, item, form))) for item in content.items]
    made: list[Value] = []
    for k, leaf in enumerate(leaves(form)):
        assert isinstance(leaf, Scalar | ArrayRef)
        dims: list[Atom] = [ilit(0)] * leaf.type.rank
        first = next((row[k] for row in rows if not isinstance(row[k], Undef)), None)
        if first is not None:
            dims = [extent(t, first, a) for a in range(leaf.type.rank)] if (
                isinstance(first, ArrayRef)
            ) else []  # fmt: skip
        ref = t.new(t.prim("zeros", ilit(count), *dims, dtype=leaf.type.dtype.value))
        assert isinstance(ref, ArrayRef)
        for position, row in enumerate(rows):
            put(t, ref, ilit(position), row[k])
        made.append(ref)
    length = Scalar(ilit(count), True)
    return TupleValue((like(form, iter(made)), length), ListBuffer, content.sites)


def _as_wide(t: Tracer, content: TupleValue, form: Value) -> TupleValue:
    """Items that are in buffers already, of wider types where `form` has these."""
    buffers, length = parts_of(content)
    found = refilled(t, buffers, form, lambda ref: ref)
    return TupleValue((like(form, found), length), ListBuffer)


def as_item(t: Tracer, item: Value, form: Value) -> Value:
    """An item with lists as the arrays that they are in buffers."""
    if is_kinds(form):
        return as_kind(
            t, item, form, lambda one: form_of(t, one, t.content), lambda a, b: as_item(t, a, b)
        )
    if isinstance(form, TupleValue) and form.cls is ListRow:
        assert isinstance(item, Instance)
        return TupleValue((_as_row(t, item, form.items[0]),), ListRow, form.sites)
    if (cls := uneven_in(form)) is not None and isinstance(item, ArrayRef):
        return put_in(t, item, cls)
    if isinstance(form, TupleValue) and isinstance(item, Static | Text):
        return text_as_item(t, item, form)
    if isinstance(form, TupleValue) and isinstance(item, Instance) and is_row(item):
        return TupleValue((t.content(item.cells[0]),), form.cls)
    if isinstance(form, ComplexValue) and isinstance(item, Scalar | ArrayRef):
        return as_complex(t, item)
    if isinstance(form, TupleValue) and isinstance(item, TupleValue):
        pairs = zip(item.items, form.items, strict=True)
        return TupleValue(tuple(as_item(t, a, b) for a, b in pairs), form.cls)
    return item


def _as_row(t: Tracer, item: Instance, form: Value) -> Value:
    """A list as an item of another one, of which its items are parts like `form`."""
    content = content_of(t, item)
    by_key = t.frame.source.place is not None  # of a dict, say
    if content.cls is ListBuffer and (by_key or varies(t, parts_of(content)[1].atom)):
        t.note_list(content)
        raise t.error(
            "RG0110", "lists of different lengths in a list whose length is known at run time only",
            "begin each with row = [] and append to it, item by item",
        )  # fmt: skip
    if isinstance(form, ArrayRef):
        array = as_array(t, item, form.type.dtype)
        t.state.link(item.cells[0], array.loc)
        if content.cls is ListBuffer:  # it may be a row of another list
            for ref in arrays(parts_of(content)[0]):
                t.state.follow(array.loc, ref.loc)
        return array
    made: list[Value] = []
    buffers, length = parts_of(buffered(t, content, buffers_form(form)))
    for ref in arrays(buffers):
        copy = t.new(t.prim("copy", read(t, whole(t, ref, length))))
        assert isinstance(copy, ArrayRef)
        t.state.link(item.cells[0], copy.loc)
        if content.cls is ListBuffer:
            t.state.follow(copy.loc, ref.loc)
        made.append(copy)
    return like(form, iter(made))


def put(t: Tracer, ref: ArrayRef, at: Atom, leaf: Value) -> None:
    """Writes a number or array of an item to its place in a buffer.

    What was there, and what refers to it, does not change: so nothing becomes stale.
    """
    if isinstance(leaf, Undef):  # the item is None, or of another kind
        return
    base = t.base(ref.loc)
    assert isinstance(leaf, Scalar | ArrayRef)
    if ref.view is not None:  # a row of a list of lists: a list of numbers
        write(t, narrow(t, ref, [Index(Scalar(at), inside=True)]), value_atom(t, leaf))
        return
    if isinstance(leaf, Scalar):
        if leaf.array:
            t.ctx.stored_arrays.add(leaf.array)
        atom = convert(t, leaf.atom, ref.type.dtype)
        out = t.prim("update", base, atom, at, checked=False, span=t.span)
        if ref.loc in t.ctx.row_copies:
            t.store(ref.loc, out)
            return
    else:
        for axis in range(leaf.type.rank):
            same = t.prim("eq", extent(t, leaf, axis), t.prim("dim", base, axis=axis + 1))
            t.check(same, "ValueError", "items of different shapes in a list of run-time length")
        atom = convert(t, read(t, leaf), ref.type.dtype)
        out = t.prim("update_slice", base, atom, at, spec="i" + "a" * leaf.type.rank)
        links = t.state.links
        if not links.get(leaf.loc, frozenset()).isdisjoint({ref.loc, *links.get(ref.loc, ())}):
            t.state.repeat(ref.loc)
        t.state.follow(ref.loc, leaf.loc)
    t.state.arrays[ref.loc] = out


# Items.


def item_at(t: Tracer, content: TupleValue, at: Scalar) -> Value:
    """The item at an index that is within the length, of items in buffers."""
    buffers, _ = parts_of(content)
    return _item(t, buffers, Index(at, inside=True))


def _item(t: Tracer, buffers: Value, index: Index) -> Value:
    match buffers:
        case ArrayRef():
            row = narrow(t, buffers, [index])
            if row.type.rank == 0:
                return Scalar(read(t, row))
            made = t.new(read(t, row))
            assert isinstance(made, ArrayRef)
            t.state.follow(made.loc, buffers.loc)
            return made
        case TupleValue() if buffers.cls is ListRow:
            rows = [narrow(t, ref, [index]) for ref in arrays(buffers.items[0])]
            one: Value = like(buffers.items[0], iter(rows))
            deep = isinstance(one, ArrayRef) and one.type.rank > 1
            inner = TupleValue((one,), ListRow) if deep else one
            length = Scalar(extent(t, rows[0], 0), True)
            return _holding(t, TupleValue((inner, length), ListBuffer, buffers.sites))
        case TupleValue() if is_kinds(buffers):
            return kind_at(t, buffers, lambda part: _item(t, part, index))
        case TupleValue() if is_of_texts(buffers):
            return text_numbered(buffers, _item(t, buffers.items[0], index))
        case TupleValue() if (cls := row_in(buffers)) is not None:
            number = _item(t, buffers.items[0], index)
            assert isinstance(number, Scalar)
            uneven = uneven_in(buffers)
            return row_of(t, cls, number) if uneven is None else array_in(t, uneven, number)
        case TupleValue() | ComplexValue():
            return with_parts(buffers, tuple(_item(t, part, index) for part in parts(buffers)))
        case _:
            raise PathEnds


def as_array(t: Tracer, value: Value, dtype: DType | None = None) -> ArrayRef:
    """The array of the items of a list of numbers, of arrays or of such lists: always a copy."""
    content = content_of(t, value)
    if content.cls is ListItems:
        form = content_form(t, content, t.content)
        if form is None:
            form = Scalar(hole(Type(dtype or DType.F64)))
        content = buffered(t, content, form)
    buffers, length = parts_of(content)
    if is_kinds(buffers):
        buffers = all_there(t, buffers, length)
    if texts_in(buffers):
        raise t.error(
            "RG0110", "a list of texts, or of tuples with texts, as an array", "number the texts"
        )
    if (cls := row_in(buffers)) is not None and issubclass(cls, Growing):
        stacked = t.call(Static(growing_lists.stacked), [value], {})
        assert isinstance(stacked, ArrayRef)
        return stacked if dtype is None else _of_dtype(t, stacked, dtype)
    if uneven_in(buffers) is not None:
        stacked = t.call(Static(uneven_arrays.stacked), [value], {})
        assert isinstance(stacked, ArrayRef)
        return stacked if dtype is None else _of_dtype(t, stacked, dtype)
    if has_rows([buffers]):
        raise t.error(
            "RG0110", "a list of objects as an array", "make a list of what is to be in it"
        )
    if isinstance(buffers, TupleValue) and buffers.cls is ListRow:
        buffers = buffers.items[0]
        if is_kinds(buffers):
            buffers = all_there(t, buffers, length)
    atom = columns(t, buffers, length) if isinstance(buffers, TupleValue) else (
        read(t, whole(t, next(arrays(buffers)), length))
    )  # fmt: skip
    made = t.new(atom if dtype is None else convert(t, atom, dtype))
    assert isinstance(made, ArrayRef)
    return made


def _of_dtype(t: Tracer, array: ArrayRef, dtype: DType) -> ArrayRef:
    made = t.new(convert(t, read(t, array), dtype))
    assert isinstance(made, ArrayRef)
    return made
