"""What Python does with lists: items read and written, slices, growth and joins of two lists."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer, ListItems
from retrograd.frontend.syntax.list_growth import (
    Literal,
    append,
    no_rows_elsewhere,
    outside,
    set_item,
)
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read
from retrograd.frontend.values.item_forms import content_form, form_of
from retrograd.frontend.values.item_kinds import is_deep
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.iterators import unwrapped
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.lists import (
    arrays,
    as_item,
    buffer_type,
    buffered,
    buffers_form,
    content_of,
    current,
    is_table,
    item_at,
    leaves,
    like,
    list_of,
    of_buffers,
    of_list,
    parts_of,
    set_items,
    sized,
    whole,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.object_rows import note_object
from retrograd.frontend.values.scalars import as_index
from retrograd.frontend.values.stacking import refuse_stacking
from retrograd.frontend.values.tracer import NeedLists, Tracer
from retrograd.frontend.values.uneven_arrays import array_in, must_be_alike, uneven_in
from retrograd.frontend.values.wider_rows import must_keep_length
from retrograd.ir.terms import Atom, Lit, ilit

__all__ = [
    "Literal", "append", "changeable", "concatenated", "copied", "extend", "get", "get_slice",
    "insert", "listed", "locate", "pop", "repeated", "row_view", "set_item", "set_slice",
]  # fmt: skip

_UNROLLED = 64
"""As many items are kept one by one where a list's length is in the program's text."""


def changeable(t: Tracer, owner: Value) -> Instance:
    """A list that may be changed here; UserError for one of outside."""
    if isinstance(owner, Instance):
        return owner
    if not t.ctx.way.lists:
        raise NeedLists
    raise of_list(t.error(
        "RG0101", "a list from outside of the program is changed here", "change a copy: list(l)"
    ))  # fmt: skip


def _to_buffers(t: Tracer, owner: Value) -> TupleValue:
    """The items of a list in buffers, where they stay."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        content = _as_buffers(t, content)
        set_items(t, owner, content)
    return content


def locate(
    t: Tracer, owner: Value, index: Value, message: str = "list index out of range",
    changes: bool = False,
) -> Literal | Scalar:  # fmt: skip
    """The position of an item, within bounds; `changes`: of one that is replaced or removed."""
    refuse_index(t, list, index)
    at = as_index(t, index)
    content = content_of(t, owner)
    known = static_int(at)
    if content.cls is ListItems and known is not None:
        count = len(content.items)
        if not -count <= known < count:
            raise outside(t, message)
        return Literal(known % count)
    if changes or not is_table(content):
        _to_buffers(t, owner)
    length = sized(t, owner)
    atom = at.atom
    if not at.is_nonneg:
        below = t.prim("lt", atom, ilit(0))
        atom = t.prim("select", below, t.prim("add", atom, length.atom), atom)
        t.check(t.prim("ge", atom, ilit(0)), "IndexError", message)
    t.check(t.prim("lt", atom, length.atom), "IndexError", message)
    return Scalar(atom, True)


def refuse_index(t: Tracer, cls: type, index: Value) -> None:
    """Refuses what indexes arrays only, of a list or tuple, as Python does."""
    match index:
        case TupleValue() if index.cls is not slice:
            kind = index.cls.__name__
        case Instance(cls=kind) if kind is list:
            kind = "list"
        case ArrayRef():
            kind = "numpy.ndarray"
        case _:
            return
    name = "list" if cls is list else "tuple"
    message = f"{name} indices must be integers or slices, not {kind}"
    raise t.error("RG0109", message, "index an array: np.array(..)", TypeError)


def within(t: Tracer, owner: Value, index: Scalar) -> Literal | Scalar:
    """The position of an item that is there."""
    known = static_int(index)
    if content_of(t, owner).cls is ListItems and known is not None:
        return Literal(known)
    _to_buffers(t, owner)
    return index


def _as_buffers(t: Tracer, content: TupleValue) -> TupleValue:
    """The items of a list in buffers; those of a list of literals stay as they are, too."""
    form = content_form(t, content, t.content)
    if form is None:
        raise outside(t)
    refuse_stacking(t, content)
    must_be_alike(t, [content], form)
    return buffered(t, content, form)


def get(t: Tracer, owner: Value, at: Literal | Scalar) -> Value:
    """The item at a position."""
    content = content_of(t, owner)
    if isinstance(at, Literal):
        return content.items[at.at]
    return item_at(t, _as_buffers(t, content), at)


def row_view(t: Tracer, owner: Value, at: Literal | Scalar) -> Value:
    """The item at a position, to be indexed further at once: of arrays no copy is made."""
    content = content_of(t, owner)
    if isinstance(at, Scalar) and content.cls is ListBuffer:
        buffers, _ = parts_of(content)
        if isinstance(buffers, ArrayRef) and buffers.type.rank > 1:
            return narrow(t, buffers, [Index(at, inside=True)])
        if isinstance(buffers, TupleValue) and (cls := uneven_in(buffers)) is not None:
            number = read(t, narrow(t, next(arrays(buffers)), [Index(at, inside=True)]))
            return array_in(t, cls, Scalar(number, True), copied=False)
    return get(t, owner, at)


_NO_NAMES: frozenset[str] = frozenset()


def extend(t: Tracer, owner: Value, other: Value) -> None:
    """`owner.extend(other)`."""
    if isinstance(other, Instance) and other == owner:
        other = copied(t, other)
    steps = steps_of(t, other)
    if steps.known is not None:
        for item in steps.known:
            append(t, owner, current(t, item))
        return
    at = steps.at
    assert at is not None
    now: list[Scalar] = []
    t.frame.roots += [steps.root, owner]
    run_loop(
        t,
        Loop(
            body=lambda: append(t, owner, at(now[0])), assigned=_NO_NAMES, written=_NO_NAMES,
            trips=steps.trips, bind=lambda index: now.__setitem__(slice(None), [index]),
        ),
    )  # fmt: skip
    del t.frame.roots[-2:]


# New lists of old ones.


def copied(t: Tracer, owner: Value) -> Instance:
    """`owner.copy()`."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        return list_of(t, content.items)
    return _sliced(t, content, Slice(None, None, None))


def _sliced(t: Tracer, content: TupleValue, part: Slice) -> Instance:
    buffers, length = parts_of(content)
    made: list[Value] = []
    count = length
    for ref in arrays(buffers):
        view = narrow(t, whole(t, ref, length), [part])
        count = Scalar(extent(t, view, 0), True)
        atom = read(t, view)
        copy = t.new(atom)
        assert isinstance(copy, ArrayRef)
        if ref.type.rank > 1:
            t.state.follow(copy.loc, ref.loc)
        made.append(copy)
    return of_buffers(t, like(buffers_form(buffers), iter(made)), count)


def get_slice(t: Tracer, owner: Value, part: Slice) -> Instance:
    """`owner[start:stop:step]`: a new list."""
    content = content_of(t, owner)
    bounds = (part.start, part.stop, part.step)
    known = [None if bound is None else static_int(bound) for bound in bounds]
    literal = all(k is not None or b is None for k, b in zip(known, bounds, strict=True))
    if content.cls is ListItems and literal:
        return list_of(t, content.items[slice(*known)])
    if content.cls is ListItems and not content.items:
        return list_of(t, ())
    return _sliced(t, _to_buffers(t, owner), part)


def set_slice(t: Tracer, owner: Value, part: Slice, value: Value) -> None:
    """`owner[start:stop:step] = value`: of the whole list, or where all lengths are known."""
    if part == Slice(None, None, None):
        made = list_of(t, ())
        extend(t, made, value)
        set_items(t, owner, content_of(t, made))
        return
    content = content_of(t, owner)
    known = [None if b is None else static_int(b) for b in (part.start, part.stop, part.step)]
    given = steps_of(t, value).known
    items = None if given is None else [current(t, item) for item in given]
    literal = all(
        k is not None or b is None
        for k, b in zip(known, (part.start, part.stop, part.step), strict=True)
    )
    if content.cls is not ListItems or items is None or not literal:
        _set_part(t, owner, part, value)
        return
    every = list(content.items)
    every[slice(*known)] = items
    set_items(t, owner, TupleValue(tuple(every), ListItems))


def _set_part(t: Tracer, owner: Value, part: Slice, value: Value) -> None:
    """`owner[start:stop] = value`, where something of it is known at run time only."""
    if part.step is not None:
        raise t.error(
            "RG0101", "an assignment to every other item of a list of run-time length",
            "assign the items in a loop, or use an array",
        )  # fmt: skip
    size = sized(t, owner)
    start = ilit(0) if part.start is None else _clamped(t, part.start, size)
    stop = size.atom if part.stop is None else _clamped(t, part.stop, size)
    after = Scalar(t.prim("imax", start, stop), True)
    made = get_slice(t, owner, Slice(None, Scalar(start, True), None))
    rest = get_slice(t, owner, Slice(after, None, None))
    extend(t, made, value)
    extend(t, made, rest)
    set_items(t, owner, content_of(t, made))


def _clamped(t: Tracer, bound: Scalar, size: Scalar) -> Atom:
    """A bound of a slice, from the front, within the list."""
    below = t.prim("lt", bound.atom, ilit(0))
    at = t.prim("select", below, t.prim("add", bound.atom, size.atom), bound.atom)
    return t.prim("imin", t.prim("imax", at, ilit(0)), size.atom)


def concatenated(t: Tracer, one: Value, other: Value) -> Instance:
    """`one + other` of two lists: a new one."""
    made = copied(t, one)
    extend(t, made, other)
    return made


def repeated(t: Tracer, owner: Value, count: Value) -> Instance:
    """`owner * count`: a new list."""
    content = content_of(t, owner)
    times = as_index(t, count)
    known = static_int(times)
    if content.cls is ListItems:
        if known is not None and max(known, 0) * len(content.items) <= _UNROLLED:
            return list_of(t, content.items * max(known, 0))
        if len(content.items) == 1:
            return _filled(t, content.items[0], times)
        if not content.items:
            return list_of(t, ())
    made = list_of(t, ())
    trips = t.prim("imax", times.atom, ilit(0))
    t.frame.roots += [owner, made]
    run_loop(
        t,
        Loop(
            body=lambda: extend(t, made, owner), assigned=_NO_NAMES, written=_NO_NAMES,
            trips=trips, bind=lambda _: None,
        ),
    )  # fmt: skip
    del t.frame.roots[-2:]
    return made


def _filled(t: Tracer, item: Value, times: Scalar) -> Instance:
    """`[item] * times`."""
    form = form_of(t, item, t.content)
    if is_deep(form):
        note_object(t, item)
        raise t.error(
            "RG0106", f"{describe(item)} is repeated: all items would be the same one",
            "write [... for _ in range(n)]",
        )  # fmt: skip
    room = t.prim("imax", times.atom, ilit(0))
    made: list[Value] = []
    for leaf, value in zip(leaves(form), leaves(as_item(t, item, form)), strict=True):
        type_ = buffer_type(leaf)
        assert isinstance(value, Scalar)
        zeros = t.prim("zeros", room, dtype=type_.dtype.value)
        blank = isinstance(value.atom, Lit) and str(value.atom.value) in ("0", "0.0", "False")
        ops = (ilit(0), room, ilit(1))
        full = zeros if blank else t.prim("update_slice", zeros, value.atom, *ops, spec="s")
        made.append(t.new(full))
    return of_buffers(t, like(form, iter(made)), Scalar(room, True))


# Items taken out and put in between.


def pop(
    t: Tracer, owner: Value, index: Value | None, outside_of: str = "pop index out of range"
) -> Value:
    """`owner.pop(index)`."""
    content = content_of(t, owner)
    empty = "pop from empty list"
    if content.cls is ListItems and not content.items:
        raise outside(t, empty if index is None or outside_of.startswith("pop") else outside_of)
    message = empty if index is None else outside_of
    at = locate(t, owner, Scalar(ilit(-1)) if index is None else index, message, True)
    found = get(t, owner, at)
    content = content_of(t, owner)
    if isinstance(at, Literal):
        items = (*content.items[: at.at], *content.items[at.at + 1 :])
        set_items(t, owner, TupleValue(items, ListItems))
        return found
    content = _to_buffers(t, owner)
    must_keep_length(t, content)
    buffers, length = parts_of(content)
    no_rows_elsewhere(t, buffers)
    if isinstance(found, Instance) and found.cls is list:
        found = copied(t, found)
    shorter = Scalar(t.prim("sub", length.atom, ilit(1)), True)
    if index is not None:
        after = Scalar(t.prim("add", at.atom, ilit(1)), True)
        _shift(t, buffers, (after, length), (at, shorter))
    set_items(t, owner, TupleValue((buffers, shorter), ListBuffer))
    return found


def insert(t: Tracer, owner: Value, index: Value, value: Value) -> None:
    """`owner.insert(index, value)`."""
    content = content_of(t, owner)
    at = as_index(t, index)
    known = static_int(at)
    if content.cls is ListItems and known is not None:
        items = list(content.items)
        items.insert(known, value)
        set_items(t, owner, TupleValue(tuple(items), ListItems))
        return
    if content.cls is ListItems and not content.items:
        append(t, owner, value)
        return
    content = _to_buffers(t, owner)
    _, length = parts_of(content)
    wrapped = t.prim("add", at.atom, length.atom)
    start = t.prim("select", t.prim("lt", at.atom, ilit(0)), wrapped, at.atom)
    start = t.prim("imin", t.prim("imax", start, ilit(0)), length.atom)
    append(t, owner, value)  # makes room
    buffers, longer = parts_of(content_of(t, owner))
    place = Scalar(start, True)
    after = Scalar(t.prim("add", start, ilit(1)), True)
    no_rows_elsewhere(t, buffers)
    _shift(t, buffers, (place, length), (after, longer))
    set_item(t, owner, place, value)


def _shift(
    t: Tracer, buffers: Value, source: tuple[Scalar, Scalar], target: tuple[Scalar, Scalar]
) -> None:
    """Moves a part of the buffers elsewhere; both parts are as long."""
    for ref in arrays(buffers):
        rest = "a" * (ref.type.rank - 1)
        base = t.base(ref.loc)
        count = t.prim("sub", source[1].atom, source[0].atom)
        moved = t.prim("slice", base, source[0].atom, count, ilit(1), spec="s" + rest)
        ops = (target[0].atom, count, ilit(1))
        t.state.arrays[ref.loc] = t.prim("update_slice", base, moved, *ops, spec="s" + rest)


def listed(t: Tracer, value: Value) -> Value:
    """`list(value)`: a new list."""
    value = unwrapped(t, value)
    if isinstance(value, Instance) and value.cls is list:
        return copied(t, value)
    found = steps_of(t, value).known
    if not t.ctx.way.lists:
        if found is None:
            raise NeedLists
        return TupleValue(tuple(current(t, item) for item in found), list)
    made = list_of(t, ())
    if isinstance(value, ArrayRef) and value.type.rank == 1:
        copy = t.call(Static(np.array), [value], {})
        length = t.call(Static(len), [value], {})
        assert isinstance(length, Scalar)
        return of_buffers(t, copy, length)
    extend(t, made, value)
    return made
