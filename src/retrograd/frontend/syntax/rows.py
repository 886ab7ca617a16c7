"""Arrays of what is calculated for each index: of numbers, of rows, or several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from retrograd.errors import UserError
from retrograd.frontend.identity.buffers import ListBuffer, ListItems
from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.syntax.branches import start, trace_arm
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.values.arrays import Index, extent, narrow, read, write
from retrograd.frontend.values.item_forms import content_form
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    ComplexValue,
    DictValue,
    Scalar,
    TupleValue,
    Value,
    describe,
    is_settled,
    parts,
    with_parts,
)
from retrograd.frontend.values.lists import buffered, put
from retrograd.frontend.values.scalars import as_index, convert, number
from retrograd.frontend.values.tracer import PathEnds, State, Tracer
from retrograd.frontend.values.trees import opened
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import I64, MAX_RANK, Type

__all__ = ["build", "put_once", "rows"]

_NO_NAMES: frozenset[str] = frozenset()


def build(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`retrograd.build(n, f)` inside a program."""
    no_more(t, "build", kwargs)
    n, f = bind(t, "build", args, kwargs, "n f", 2)
    assert n is not None
    assert f is not None
    trips = t.prim("imax", as_index(t, n).atom, ilit(0))
    return rows(t, trips, lambda i: t.call(f, [i], {}), f)


def put_once(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`out[i] = value` of an element that nothing else writes; `i` is an int from 0 on."""
    no_more(t, "put_once", kwargs)
    out, i, value = bind(t, "put_once", args, kwargs, "out i value", 3)
    assert isinstance(out, ArrayRef)
    assert isinstance(i, Scalar)
    assert value is not None
    t.base(out.loc)
    if out.view is None and out.base.rank == 1 and isinstance(value, Scalar):
        base = t.base(out.loc)
        atom = convert(t, value.atom, base.type.dtype)
        made = t.prim("update", base, atom, i.atom, checked=True, once=True, span=t.span)
        t.store(out.loc, made)
    else:
        new = read(t, value) if isinstance(value, ArrayRef) else number(t, value).atom
        write(t, narrow(t, out, [Index(i)]), new)
    return NONE


@dataclass(frozen=True, slots=True)
class _Made:
    """The array of a number or of rows, with the extents of a row."""

    ref: ArrayRef
    type: Type
    extents: tuple[Atom, ...]


def rows(
    t: Tracer, trips: Atom, item: Callable[[Scalar], Value], root: Value = NONE,
    listed: bool = False,
) -> Value:  # fmt: skip
    """For each number or array in the items `item(0)`, `item(1)`, .. an array of these.

    `root` is what the items refer to. `listed`: the arrays are buffers of a list, so they are
    linked with the items. `item` may be asked more than once. The extents of rows are
    those of the first one, which is calculated before the loop; what nobody needs of it goes later.
    """

    def at(index: Scalar) -> Value:
        return opened(t, item(index))

    form = _form(t, at)
    types = [leaf.type for leaf in _leaves(t, form)]
    first: list[Value] = []
    if any(not type_.is_scalar for type_ in types):
        t.check(
            t.prim("gt", trips, ilit(0)), "ValueError",
            "rows of an array without elements: how long they would be is not known",
        )  # fmt: skip
        first = list(_leaves(t, at(Scalar(ilit(0), True))))
    made = [_made(t, trips, type_, k, first) for k, type_ in enumerate(types)]
    now: list[Scalar] = []

    def body() -> None:
        for one, leaf in zip(made, _leaves(t, at(now[0])), strict=True):
            if listed:
                put(t, one.ref, now[0].atom, leaf)
            else:
                _put(t, one, now[0], leaf)

    t.frame.roots += [root, *(one.ref for one in made)]
    run_loop(
        t,
        Loop(
            body=body, assigned=_NO_NAMES, written=_NO_NAMES, trips=trips,
            bind=lambda index: now.__setitem__(slice(None), [index]),
        ),
    )  # fmt: skip
    del t.frame.roots[-1 - len(made) :]
    return _like(form, iter(made))


def _form(t: Tracer, at: Callable[[Scalar], Value]) -> Value:
    """What an item is like, from a translation that is thrown away. It may write to nothing.

    Lists that it puts into buffers, to read them by its index, are put there before.
    """
    while True:
        found, arm = list[Value](), start(t)
        buffers, before = dict[int, TupleValue](), t.state.copy()
        trace_arm(t, arm, partial(_probe, t, at, before, found, buffers))
        for cell, content in buffers.items():
            form = content_form(t, content, t.content)
            if form is None:  # nothing is in the list but what elements put there
                raise _changes(t)
            t.state.cells[cell] = buffered(t, content, form)
        if not buffers:
            break
    if not found:
        text = "there is no element: every one raises an exception"
        raise PathEnds(t.error("RG0110", text, "return a value on at least one path"))
    return found[0]


def _probe(
    t: Tracer, at: Callable[[Scalar], Value], before: State, found: list[Value],
    buffers: dict[int, TupleValue],
) -> None:  # fmt: skip
    """What an item is like, and lists that are in buffers afterwards, and had been known."""
    found.append(at(Scalar(t.ctx.names.var("i", I64), True)))
    changed = any(t.state.arrays.get(loc) is not atom for loc, atom in before.arrays.items())
    for cell, old in before.cells.items():
        now = t.state.cells.get(cell)
        match old, now:
            case TupleValue(), TupleValue() if (old.cls, now.cls) == (ListItems, ListBuffer):
                buffers[cell] = old
            case _:
                changed = changed or now is None or not is_settled(now, old, t.state.sure)
    if changed:
        raise _changes(t)


def _changes(t: Tracer) -> UserError:
    text = "an element of this array changes something else"
    way_out = "let it write to nothing but its own arrays and names, or write a loop"
    return t.error("RG0116", text, way_out)


def _leaves(t: Tracer, value: Value) -> Iterator[Scalar | ArrayRef]:
    match value:
        case Scalar():
            yield value
        case ArrayRef():
            if value.type.rank == MAX_RANK:
                message = f"rows with {MAX_RANK} axes: an array has at most {MAX_RANK}"
                raise t.error("RG0110", message, "flatten the rows")
            yield value
        case TupleValue() | DictValue() | ComplexValue():
            for one in parts(value):
                yield from _leaves(t, one)
        case _:
            raise t.error(
                "RG0110", f"{describe(value)} is no element of an array",
                "give numbers, arrays, tuples or dicts of these",
            )  # fmt: skip


def _made(t: Tracer, trips: Atom, type_: Type, k: int, first: Sequence[Value]) -> _Made:
    """The array for the k-th part of all items."""
    row = first[k] if first else None
    extents: tuple[Atom, ...] = ()
    if isinstance(row, ArrayRef):
        extents = tuple(extent(t, row, axis) for axis in range(type_.rank))
    ref = t.new(t.prim("zeros", trips, *extents, dtype=type_.dtype.value))
    assert isinstance(ref, ArrayRef)
    return _Made(ref, type_, extents)


def _put(t: Tracer, made: _Made, index: Scalar, leaf: Scalar | ArrayRef) -> None:
    if isinstance(leaf, Scalar):
        value = convert(t, leaf.atom, made.type.dtype)
        out = t.prim("update", t.base(made.ref.loc), value, index.atom, checked=False, span=t.span)
        t.store(made.ref.loc, out)
        return
    for axis, size in enumerate(made.extents):
        same = t.prim("eq", extent(t, leaf, axis), size)
        t.check(same, "ValueError", "rows of different shapes")
    write(t, narrow(t, made.ref, [Index(index, True)]), read(t, leaf))


def _like(form: Value, made: Iterator[_Made]) -> Value:
    """The arrays in the places of what they are made of."""
    if isinstance(form, TupleValue | DictValue | ComplexValue):
        return with_parts(form, tuple(_like(one, made) for one in parts(form)))
    return next(made).ref
