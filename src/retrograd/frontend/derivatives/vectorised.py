"""`vmap` inside programs: the array of what a function gives for each index of an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from retrograd.frontend.identity.transformed import Axes, AxesByKey
from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.syntax.rows import rows
from retrograd.frontend.values.arrays import Index, Item, Slice, extent, narrow, read
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = ["apply_vmap", "vmap"]


def vmap(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`vmap(fun, in_axes, out_axes)`: a function value."""
    fun, in_axes, out_axes = bind(t, "vmap", args, kwargs, "fun in_axes out_axes")
    assert fun is not None
    axes = tuple(0 if a is None else _axes(t, a) for a in (in_axes, out_axes))
    return Transform("vmap", fun, axes=(axes[0], axes[1]))


def _axes(t: Tracer, value: Value) -> Axes:
    """Axes that decide what the program is: ints, None and tuples of these."""
    match value:
        case Static(obj=None):
            return None
        case TupleValue():
            return tuple(_axes(t, one) for one in value.items)
        case DictValue():
            return AxesByKey(value.keys, tuple(_axes(t, one) for one in value.items))
        case Scalar() if (number := known_int(t, value)) is not None:
            return number
        case _:
            raise t.error("RG0113", f"an axis that is {describe(value)}", "write an int or None")


def apply_vmap(
    t: Tracer, fun: Transform, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The value of a call of a function made by `vmap`."""
    no_more(t, "a function made by vmap", kwargs)
    in_axes, out_axes = fun.axes
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    if len(axes) != len(args):
        raise t.error(
            "RG0108", f"in_axes has {len(axes)} entries for {len(args)} arguments",
            "give one for each argument, None for those that all share",
        )  # fmt: skip
    lengths = [n for a, axis in zip(args, axes, strict=True) for n in _lengths(t, a, axis)]
    if not lengths:
        t.stop("ValueError", "vmap needs an argument with an axis to map over")
        return Static(None)
    for other in lengths[1:]:
        same = t.prim("eq", lengths[0], other)
        t.check(same, "ValueError", "vmap got axes of different lengths")

    def at(index: Scalar) -> Value:
        return t.call(
            fun.fun,
            [thawed(t, _at(t, a, axis, index)) for a, axis in zip(args, axes, strict=True)],
            {},
        )

    found = rows(t, lengths[0], at, TupleValue((fun.fun, *args)))
    return _moved(t, found, out_axes)


def _place(t: Tracer, axis: int, rank: int) -> int:
    """An axis counted from the front."""
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise t.error("RG0109", f"axis {axis} of an array with {rank} axes", "name one of its axes")
    return place


def _entries(t: Tracer, value: TupleValue | DictValue, axis: Axes) -> tuple[Axes, ...]:
    entries = axis if isinstance(axis, tuple) else (axis,) * len(value.items)
    if isinstance(axis, AxesByKey):
        entries = (axis.of(value.keys) if isinstance(value, DictValue) else None) or ()
    if len(entries) != len(value.items):
        message = f"{len(entries)} axes for {describe(value)}"
        raise t.error("RG0108", message, "give one for each item, or one for all")
    return entries


def _lengths(t: Tracer, value: Value, axis: Axes) -> Iterator[Atom]:
    """How long the mapped axes are, of all arrays in an argument."""
    if axis is None or value == NONE:
        return
    if isinstance(value, TupleValue | DictValue):
        for one, entry in zip(value.items, _entries(t, value, axis), strict=True):
            yield from _lengths(t, one, entry)
    elif isinstance(value, ArrayRef) and isinstance(axis, int):
        yield extent(t, value, _place(t, axis, value.type.rank))
    else:
        message = f"vmap over {describe(value)}"
        raise t.error("RG0110", message, "map over arrays, and give None for what all share")


def _at(t: Tracer, value: Value, axis: Axes, index: Scalar) -> Value:
    """Of an argument what belongs to an index."""
    if isinstance(value, TupleValue | DictValue) and axis is not None:
        entries = zip(value.items, _entries(t, value, axis), strict=True)
        return replace(value, items=tuple(_at(t, one, entry, index) for one, entry in entries))
    if not isinstance(value, ArrayRef) or not isinstance(axis, int):
        return value
    whole: list[Item] = [Slice(None, None, None)] * _place(t, axis, value.type.rank)
    found = narrow(t, value, [*whole, Index(index, True)])
    return Scalar(read(t, found)) if found.type.rank == 0 else found


def _moved(t: Tracer, value: Value, axis: Axes) -> Value:
    """A result with its first axis at another place."""
    if isinstance(value, TupleValue | DictValue):
        entries = zip(value.items, _entries(t, value, axis), strict=True)
        return replace(value, items=tuple(_moved(t, one, entry) for one, entry in entries))
    if not isinstance(value, ArrayRef) or not isinstance(axis, int):
        raise t.error("RG0108", "a result without an axis", "out_axes is an int for each result")
    place = _place(t, axis, value.type.rank)
    if place == 0:
        return value
    order = list(range(1, value.type.rank))
    order.insert(place, 0)
    return t.new(t.prim("transpose", read(t, value), perm=tuple(order)))
