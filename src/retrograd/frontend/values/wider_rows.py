"""Rows of lists of lists that are given items of another kind: the list around them gets wider.

A row is a view of the buffers of the list that it is in. So where a row of ints is given a float,
that list has buffers of floats from then on, and all rows of it that have names are views of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from retrograd.errors import UserError
from retrograd.frontend.identity.buffers import ListBuffer, ListRow
from retrograd.frontend.values.arrays import extent, read
from retrograd.frontend.values.forms import arrays, leaves, like
from retrograd.frontend.values.item_kinds import Absent, aligned
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Instance,
    Maybe,
    Option,
    Scalar,
    TupleValue,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.object_rows import sites_in
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.views import View, Whole
from retrograd.ir.terms import Atom, ilit

__all__ = [
    "is_row_of_list",
    "is_view",
    "must_keep_length",
    "must_keep_rows",
    "refilled",
    "widen_rows",
]


def is_view(content: TupleValue) -> bool:
    """Whether these are the items of a list that is a row of another one."""
    if content.cls is not ListBuffer:
        return False
    return any(ref.view is not None for ref in arrays(content.items[0]))


def is_row_of_list(t: Tracer, content: TupleValue) -> bool:
    """Whether these are the items of a list that is, or may be, a row of another one."""
    if content.cls is not ListBuffer:
        return False
    return is_view(content) or any(ref.loc in t.ctx.row_copies for ref in arrays(content.items[0]))


def must_keep_length(t: Tracer, content: TupleValue, what: str = "changes its length") -> None:
    """Refuses a row of a list of lists that grows or gets shorter."""
    if is_row_of_list(t, content):
        t.note_list(content)
        raise t.error(
            "RG0101", f"a row of a list of lists {what}",
            "build the row in a list of its own, and append it when it is complete",
        )  # fmt: skip


def refilled(
    t: Tracer, buffers: Value, form: Value, whole: Callable[[ArrayRef], ArrayRef]
) -> Iterator[ArrayRef]:
    """Buffers for items like `form` with what is in `buffers`, of each of which `whole` gives the
    array that is meant. Those of the same dtype stay."""
    for ref, leaf in zip(aligned(t, buffers, form), leaves(form), strict=True):
        assert isinstance(leaf, Scalar | ArrayRef)
        dtype = leaf.type.dtype
        if isinstance(ref, Absent):
            made = t.new(_blank(t, ref, whole(ref.beside), leaf))
        elif ref.type.dtype is dtype:
            made = whole(ref)
        else:
            made = t.new(convert(t, read(t, whole(ref)), dtype))
            assert isinstance(made, ArrayRef)
            t.state.follow(made.loc, ref.loc)
        assert isinstance(made, ArrayRef)
        yield made


def _blank(t: Tracer, absent: Absent, beside: ArrayRef, leaf: Scalar | ArrayRef) -> Atom:
    """A new buffer of items that there are not yet."""
    inside = absent.beside.type.rank - absent.axes
    dims = [extent(t, beside, axis) for axis in range(beside.type.rank - inside)]
    if absent.fill is not None:
        return t.prim("full", absent.fill, *dims)
    deeper = leaf.type.rank + 1 - absent.axes
    return t.prim("zeros", *dims, *[ilit(0)] * deeper, dtype=leaf.type.dtype.value)


def widen_rows(t: Tracer, content: TupleValue, form: Value) -> TupleValue:
    """The items of a row of a list of lists, which gets wider: for items like `form`."""
    rows = content.items[0]
    old = frozenset(ref.loc for ref in arrays(rows))
    made = like(form, refilled(t, rows, form, lambda ref: ArrayRef(ref.loc, ref.base)))
    if not any(_holds(held, old) for held in t.state.cells.values()):
        t.note_list(content)
        raise _out_of_reach(t)
    for cell, held in list(t.state.cells.items()):
        t.state.cells[cell] = _moved(held, old, made)
    moved = _moved(content, old, made)
    assert isinstance(moved, TupleValue)
    return moved


def _out_of_reach(t: Tracer) -> UserError:
    return t.error(
        "RG0110", "a row of a list of lists is given an item of another kind than its others, and "
        "the list around it is not to be seen here",
        "begin with items of that kind, as with [0.0] * n, or index the list itself: rows[i][j]",
    )  # fmt: skip


def _holds(value: Value, old: frozenset[int]) -> bool:
    """Whether it has the buffers themselves, not rows of them."""
    if isinstance(value, Maybe | Option):
        return _holds(value.value, old)
    if isinstance(value, ArrayRef):
        return value.loc in old and value.view is None
    return any(_holds(part, old) for part in parts(value))


def _moved(value: Value, old: frozenset[int], made: Value) -> Value:
    """A value with the new buffers in the place of the old ones."""
    match value:
        case Maybe():
            return Maybe(_moved(value.value, old, made), value.flag)
        case TupleValue() if value.cls is ListRow and _is_of(value.items[0], old):
            return replace(value, items=(_seen(value.items[0], made),))
        case TupleValue() if value.cls is ListBuffer and _is_of(value.items[0], old):
            return replace(value, items=(_seen(value.items[0], made), value.items[1]))
        case _:
            own = parts(value)
            new = tuple(_moved(part, old, made) for part in own)
            same = all(a is b for a, b in zip(own, new, strict=True))
            return value if same else with_parts(value, new)


def _is_of(value: Value, old: frozenset[int]) -> bool:
    """Whether it is just these buffers, or a part of each."""
    if isinstance(value, TupleValue) and value.cls is ListRow:
        return False
    found = [leaf for leaf in leaves(value) if isinstance(leaf, ArrayRef)]
    return bool(found) and all(ref.loc in old for ref in found)


def _seen(rows: Value, made: Value) -> Value:
    """The same part of the new buffers as `rows` are of the old ones."""
    view: View | None = next(arrays(rows)).view
    found: list[Value] = []
    for ref in arrays(made):
        deeper = 0 if view is None else ref.base.rank - len(view)
        own = None if view is None else (*view, *(Whole() for _ in range(deeper)))
        found.append(ArrayRef(ref.loc, ref.base, own))
    return like(made, iter(found))


def must_keep_rows(t: Tracer, cell: int, after: Value) -> None:
    """Gives an attribute what a call has left in it; refused where rows of a list that has got
    wider have names here, as they would be those of the old one."""
    before = t.state.cells.get(cell)
    if isinstance(before, TupleValue):
        if is_row_of_list(t, before) and after != before:
            must_keep_length(t, before, "is changed by a function that does not have the list")
        old = frozenset(ref.loc for ref in _rows(before)) - {ref.loc for ref in _rows(after)}
        if old and any(_is_seen(held, old) for held in t.state.cells.values()):
            t.ctx.heaped.add(sites_in(before))
            raise t.error(
                "RG0106", "a row of this list of lists has another name, and the function gives "
                "the list items of another kind",
                "begin with items of that kind, as with [0.0] * n",
            )  # fmt: skip
    t.set_content(cell, after)


def _rows(value: Value) -> Iterator[ArrayRef]:
    if isinstance(value, TupleValue) and value.cls is ListRow:
        yield from (leaf for leaf in leaves(value) if isinstance(leaf, ArrayRef))
    elif isinstance(value, TupleValue):
        for part in value.items:
            yield from _rows(part)


def _is_seen(value: Value, old: frozenset[int]) -> bool:
    if isinstance(value, Instance):
        return False
    if isinstance(value, ArrayRef):
        return value.view is not None and value.loc in old
    inner = (value.value,) if isinstance(value, Maybe) else parts(value)
    return any(_is_seen(part, old) for part in inner)
