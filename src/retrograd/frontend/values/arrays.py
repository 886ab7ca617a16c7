"""Reading and writing arrays through views, and taking views of views.

An index list of the user (`Item`s) is applied to a reference axis by axis. The result is again a
reference, so that nothing is copied where a view is only indexed further; `read` emits the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.frontend.values.kinds import (
    ArrayRef,
    At,
    Axis,
    New,
    OneOf,
    Option,
    Part,
    Scalar,
    Value,
    View,
    Whole,
    describe,
)  # fmt: skip
from retrograd.frontend.values.members import as_number
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.scalars import as_element
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, ilit
from retrograd.ir.types import MAX_RANK

__all__ = [
    "Index", "Item", "NewAxis", "Slice", "element", "extent", "narrow", "read", "value_atom",
    "write",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Index:
    """An int; `inside` says that it is already known to be within bounds."""

    at: Scalar
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    start: Scalar | None
    stop: Scalar | None
    step: Scalar | None


@dataclass(frozen=True, slots=True)
class NewAxis:
    """`None` in an index."""


Item = Index | Slice | NewAxis


def extent(t: Tracer, ref: ArrayRef, axis: int) -> Atom:
    """The extent of an axis of a reference."""
    view = ref.view or (Whole(),) * ref.base.rank
    base_axis, seen = 0, 0
    for entry in view:
        if not isinstance(entry, At):
            if seen == axis:
                match entry:
                    case Part():
                        return entry.size
                    case New():
                        return ilit(1)
                    case Whole():
                        return t.prim("dim", t.state.arrays[ref.loc], axis=base_axis)
            seen += 1
        if not isinstance(entry, New):
            base_axis += 1
    raise t.error(
        "RG0109",
        f"axis {axis} is out of bounds for {describe(ref)}",
        f"write an axis from 0 to {ref.type.rank - 1}",
    )


def _dim(t: Tracer, ref: ArrayRef, axis: int) -> Atom:
    return t.prim("dim", t.state.arrays[ref.loc], axis=axis)


def _normal(t: Tracer, index: Scalar, size: Atom) -> Atom:
    """A possibly negative index, counted from the front."""
    if index.is_nonneg:
        return index.atom
    if isinstance(index.atom, Lit):
        return t.prim("add", size, index.atom)
    return t.prim("wrap", index.atom, size)


def _plus(t: Tracer, start: Atom, k: Atom, step: Atom) -> Atom:
    """start + k*step, which is in bounds."""
    if step != ilit(1):
        k = t.prim("mul", k, step)
    return k if start == ilit(0) else t.prim("add", start, k)


def _locate(
    t: Tracer, ref: ArrayRef, entry: Axis, axis: int, item: Index, seen: int
) -> Axis | None:
    """An index on one axis of a view; None where the axis is not one of the base.

    `axis` is that of the base, `seen` the one that the user sees.
    """
    match entry:
        case Whole():
            if item.inside:
                return At(item.at.atom)
            size = _dim(t, ref, axis)
            at = _normal(t, item.at, size)
            t.b.effect("check_index", at, size, span=t.span, axis=seen)
            return At(at)
        case Part():
            at = item.at.atom if item.inside else _normal(t, item.at, entry.size)
            if not item.inside:
                t.b.effect("check_index", at, entry.size, span=t.span, axis=seen)
            return At(_plus(t, entry.start, at, entry.step))
        case New():
            at = _normal(t, item.at, ilit(1))
            t.b.effect("check_index", at, ilit(1), span=t.span, axis=seen)
            return None
        case At():
            return entry


def _clip(
    t: Tracer, bound: Scalar | None, size: Atom, low: Atom, high: Atom, default: Atom
) -> Atom:
    """A slice bound as Python takes it: wrapped once, then clipped to low..high."""
    if bound is None:
        return default
    if isinstance(bound.atom, Lit) and bound.atom.value == 0 and low == ilit(0):
        return ilit(0)
    at = _normal(t, bound, size)
    if not bound.is_nonneg:
        at = t.prim("imax", at, low)
    return t.prim("imin", at, high)


def _part(t: Tracer, size: Atom, item: Slice) -> Part:
    """The elements of an axis of extent `size` that a slice selects."""
    step = item.step.atom if item.step is not None else ilit(1)
    zero = ilit(0)
    if not isinstance(step, Lit):
        return _part_any_step(t, size, item, step)
    if step.value == 0:
        t.check(false, "ValueError", "slice step cannot be zero")
        return Part(zero, zero, ilit(1))
    if step.value > 0:
        start = _clip(t, item.start, size, zero, size, zero)
        stop = _clip(t, item.stop, size, zero, size, size)
        room = stop if start == zero else t.prim("sub", stop, start)
    else:
        last = t.prim("sub", size, ilit(1))
        start = _clip(t, item.start, size, ilit(-1), last, last)
        stop = _clip(t, item.stop, size, ilit(-1), last, ilit(-1))
        room = t.prim("sub", start, stop)
    stride, plain = abs(int(step.value)), _room(t, size, item) if step.value > 0 else None
    room = room if plain is None else plain
    if stride != 1:
        room = t.prim("floordiv", t.prim("add", room, ilit(stride - 1)), ilit(stride))
    known = step.value > 0 and (start == zero or item.stop is None)
    count = room if known or plain is not None else t.prim("imax", room, zero)
    return Part(start, count, step)


def _room(t: Tracer, size: Atom, item: Slice) -> Atom | None:
    """How far it is from start to stop, where these are literals.

    Slices of one length have it in one form, so that `x[1:] - x[:-1]` needs no check and no sum
    over what broadcasting might have repeated.
    """
    start = 0 if item.start is None else _small(item.start.atom)
    stop = 0 if item.stop is None else _small(item.stop.atom)
    if start is None or stop is None:
        return None
    from_end = item.stop is None or stop < 0
    if start < 0 and not from_end:
        return None
    if (start < 0) == from_end and item.stop is not None and stop <= start:
        return ilit(0)
    most = size
    if start < 0:
        most, left = t.prim("imin", size, ilit(-start)), -stop
    elif from_end:
        left = start - stop
    else:
        most, left = t.prim("imin", size, ilit(stop)), start
    return most if left == 0 else t.prim("imax", t.prim("sub", most, ilit(left)), ilit(0))


def _small(atom: Atom) -> int | None:
    """The value of a literal that an extent can be."""
    known = int(atom.value) if isinstance(atom, Lit) else None
    return known if known is not None and abs(known) < _FAR else None


_FAR = 2**31


def _part_any_step(t: Tracer, size: Atom, item: Slice, step: Atom) -> Part:
    """As `_part`, for a step whose sign is known at run time only."""
    zero, one = ilit(0), ilit(1)
    t.check(t.prim("ne", step, zero), "ValueError", "slice step cannot be zero")
    up = t.prim("gt", step, zero)
    low = t.prim("select", up, zero, ilit(-1))
    high = t.prim("select", up, size, t.prim("sub", size, one))
    start = _clip(t, item.start, size, low, high, t.prim("select", up, zero, high))
    stop = _clip(t, item.stop, size, low, high, t.prim("select", up, size, ilit(-1)))
    room = t.prim("sub", stop, start)
    before = t.prim("sub", room, t.prim("select", up, one, ilit(-1)))
    count = t.prim("add", t.prim("floordiv", before, step), one)
    return Part(start, t.prim("imax", count, zero), step)


def _cut(t: Tracer, ref: ArrayRef, entry: Axis, axis: int, item: Slice) -> Axis:
    """A slice of one axis of a view."""
    if item.start is None and item.stop is None and item.step is None:
        return entry
    match entry:
        case Whole():
            return _part(t, _dim(t, ref, axis), item)
        case Part():
            part = _part(t, entry.size, item)
            start = _plus(t, entry.start, part.start, entry.step)
            step = part.step if entry.step == ilit(1) else t.prim("mul", entry.step, part.step)
            return Part(start, part.size, step)
        case New() | At():
            return entry


def narrow(t: Tracer, ref: ArrayRef, items: Sequence[Item]) -> ArrayRef:
    """The view `ref[items]`; axes that are not mentioned are taken whole."""
    t.base(ref.loc)
    if any(isinstance(axis, New) for axis in ref.view or ()) and _cuts(items):
        # A slice of an axis that the base does not have: of a copy, which stands for the view.
        made = t.new(read(t, ref))
        if isinstance(made, ArrayRef):
            t.state.follow(made.loc, ref.loc)
            return narrow(t, made, items)
    used = sum(not isinstance(item, NewAxis) for item in items)
    if used > ref.type.rank:
        message = f"{used} indices for {describe(ref)}"
        way_out = "index with at most one entry per axis"
        raise t.error("RG0109", message, way_out, python=IndexError)
    pending = [*items, *([Slice(None, None, None)] * (ref.type.rank - used))]
    view: list[Axis] = []
    axis = 0
    for entry in ref.view or (Whole(),) * ref.base.rank:
        if isinstance(entry, At):
            view.append(entry)
            axis += 1
            continue
        while isinstance(pending[0], NewAxis):
            view.append(New())
            pending.pop(0)
        match pending.pop(0):
            case Index() as item:
                left = sum(not isinstance(other, NewAxis) for other in pending)
                located = _locate(t, ref, entry, axis, item, ref.type.rank - 1 - left)
                if located is not None:
                    view.append(located)
            case Slice() as item:
                view.append(_cut(t, ref, entry, axis, item))
            case NewAxis():
                pass
        axis += not isinstance(entry, New)
    view += [New()] * len(pending)
    found = ArrayRef(ref.loc, ref.base, tuple(view))
    if found.type.rank > MAX_RANK:
        raise t.error(
            "RG0109", f"this view has rank {found.type.rank}", f"at most rank {MAX_RANK} is known"
        )
    return _simplify(found)


def _cuts(items: Sequence[Item]) -> bool:
    return any(isinstance(item, Slice) and item != Slice(None, None, None) for item in items)


def _simplify(ref: ArrayRef) -> ArrayRef:
    if ref.view is not None and all(isinstance(axis, Whole) for axis in ref.view):
        return ArrayRef(ref.loc, ref.base)
    return ref


def element(t: Tracer, ref: ArrayRef, indices: Sequence[Index]) -> tuple[Atom, ...] | None:
    """The base indices of one element where the base's own bounds checks suffice; else None."""
    if ref.view is not None or len(indices) != ref.base.rank:
        return None
    found: list[Atom] = []
    for axis, item in enumerate(indices):
        index = item.at
        found.append(index.atom if index.is_nonneg else _normal(t, index, _dim(t, ref, axis)))
    return tuple(found)


def _spec(view: View) -> tuple[str, list[Atom]]:
    letters, ops = "", list[Atom]()
    for axis in view:
        match axis:
            case Whole():
                letters += "a"
            case At():
                letters += "i"
                ops.append(axis.index)
            case Part():
                letters += "s"
                ops += [axis.start, axis.size, axis.step]
            case New():
                letters += "n"
    return letters, ops


def read(t: Tracer, ref: ArrayRef) -> Atom:
    """The content of a reference: the array itself, a slice of it, or an element."""
    base = t.base(ref.loc)
    if ref.view is None:
        return base
    spec, ops = _spec(ref.view)
    if set(spec) == {"i"}:
        return t.prim("index", base, *ops, checked=False, span=t.span)
    return t.prim("slice", base, *ops, spec=spec)


def value_atom(t: Tracer, value: Value, what: str = "this") -> Atom:
    """A scalar or the content of an array; UserError for other values."""
    match value:
        case Scalar():
            return value.atom
        case ArrayRef():
            return read(t, value)
        case Option() | OneOf():
            return value_atom(t, sure(t, value), what)
        case _ if isinstance(known := as_number(value), Scalar):
            return known.atom
        case _:
            raise t.error(
                "RG0110",
                f"{what} must be a number or an array and is {describe(value)}",
                "give it a number or an array: np.array(v) of a tuple of numbers",
            )


def write(t: Tracer, ref: ArrayRef, atom: Atom) -> None:
    """Assigns into every element behind a reference; `atom` broadcasts."""
    base = t.base(ref.loc)
    atom = as_element(t, atom, ref.base.dtype)
    if atom.type.rank > ref.type.rank:
        raise t.error(
            "RG0110",
            f"an array of rank {atom.type.rank} does not fit into {describe(ref)}",
            "reduce or index it first, or assign it to a new name",
        )
    if atom is base:
        atom = t.prim("copy", atom)
    spec, ops = _spec(ref.view or (Whole(),) * ref.base.rank)
    if set(spec) == {"i"}:
        out = t.prim("update", base, atom, *ops, checked=False, span=t.span)
    else:
        out = t.prim("update_slice", base, atom, *ops, spec=spec)
    t.store(ref.loc, out)
