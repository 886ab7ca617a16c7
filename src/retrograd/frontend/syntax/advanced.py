"""Index arrays and masks, alone and beside other indices: what they say, read and written by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrograd.frontend.library import written_arrays, written_places
from retrograd.frontend.library.operators import elementwise
from retrograd.frontend.values.arrays import (
    Index,
    Item,
    NewAxis,
    Slice,
    extent,
    narrow,
    read,
    write,
)
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.records import is_record
from retrograd.frontend.values.scalars import as_element, convert
from retrograd.frontend.values.small_ints import plain_ints
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, ilit, true
from retrograd.ir.types import BOOL, F64, MAX_RANK, DType

__all__ = [
    "as_elements",
    "Advanced", "Entry", "IndexArray", "Places", "change_everywhere", "located", "places",
    "read_places", "write_everywhere", "write_places",
]  # fmt: skip

_WHOLE = Slice(None, None, None)


@dataclass(frozen=True, slots=True)
class IndexArray:
    """An array of ints or a mask as an entry of an index.

    A single bool is the mask, of one element, of a `new` axis before the others: so NumPy says.
    """

    ref: ArrayRef
    new: bool = False

    @property
    def is_mask(self) -> bool:
        return self.ref.type.element == BOOL

    @property
    def axes(self) -> int:
        """How many axes of what is indexed it is about, a new one included."""
        return self.ref.type.rank if self.is_mask else 1


@dataclass(frozen=True, slots=True)
class _Along:
    """The indices along one axis: those of an array of ints, or of one of the axes of a mask."""

    array: IndexArray
    axis: int


@dataclass(frozen=True, slots=True)
class Advanced:
    """The elements of `ref` at index arrays.

    `entries` has an item for each axis of `ref`, None where it is whole. As many of the whole axes
    as `before` says come before those of the index in what is read. `alone` says that nothing else
    was written between the brackets.
    """

    ref: ArrayRef
    entries: tuple[_Along | None, ...]
    before: int
    alone: bool


@dataclass(frozen=True, slots=True)
class Places:
    """Arrays of ints of one length for axes of `ref`, None for whole ones; `shape` is what the
    axis of the places becomes, more than one where the index has more."""

    found: Advanced
    at: tuple[Value, ...]
    shape: tuple[Value, ...]

    @property
    def before(self) -> TupleValue:
        return TupleValue((NONE,) * self.found.before)

    @property
    def rank(self) -> int:
        """Of what is read."""
        return len(self.shape) + self.at.count(NONE)


Entry = Item | IndexArray | None
"""An entry of an index as it is written; None stands for `...`."""


def located(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> Advanced:
    """What an index with arrays among its items says."""
    plain: list[Item] = []
    entries: list[_Along | None] = []
    advanced: list[int] = []
    before = axis = 0
    for k, item in enumerate(_filled(t, ref, items)):
        match item:
            case IndexArray() | Index():
                before = before if advanced else entries.count(None)
                advanced.append(k)
            case Slice() | NewAxis():
                entries.append(None)
            case None:
                continue
        if isinstance(item, IndexArray):
            entries += [_Along(item, number) for number in range(item.axes)]
            if item.new:
                plain.append(NewAxis())
                continue
            if item.is_mask:
                _fits(t, ref, item.ref, axis)
            plain += [_WHOLE] * item.axes
            axis += item.axes
        else:
            plain.append(item)
            axis += not isinstance(item, NewAxis)
    together = advanced[-1] - advanced[0] + 1 == len(advanced)
    view = narrow(t, ref, plain)
    return Advanced(view, tuple(entries), before if together else 0, len(items) == 1)


def _fits(t: Tracer, ref: ArrayRef, mask: ArrayRef, axis: int) -> None:
    """A mask is as large as the axes, from `axis` on, that it is an index of."""
    for k in range(mask.type.rank):
        same = t.prim("eq", extent(t, mask, k), extent(t, ref, axis + k))
        where = f"along axis {axis + k}"
        t.check(same, "IndexError", f"boolean index did not match indexed array {where}")


def _filled(t: Tracer, ref: ArrayRef, items: Sequence[Entry]) -> list[Entry]:
    """The items with whole slices for what they do not mention; `...` stays before its own."""
    used = 0
    for item in items:
        match item:
            case IndexArray():
                used += 0 if item.new else item.axes
            case Index() | Slice():
                used += 1
            case NewAxis() | None:
                pass
    if used > ref.type.rank:
        message = f"{used} indices for {describe(ref)}"
        raise t.error("RG0109", message, "index with at most one entry per axis")
    whole: list[Entry] = [_WHOLE] * (ref.type.rank - used)
    if None not in items:
        return [*items, *whole]
    k = items.index(None)
    return [*items[: k + 1], *whole, *items[k + 1 :]]


def places(t: Tracer, found: Advanced) -> Places:
    """The indices of all places that are meant, each found once."""
    at: list[Value] = []
    of_mask: tuple[Value, ...] = ()
    for entry in found.entries:
        if entry is None:
            at.append(NONE)
            continue
        if entry.array.is_mask and entry.axis == 0:
            of_mask = _items(t, written_places.positions_of_all, entry.array.ref)
        at.append(of_mask[entry.axis] if entry.array.is_mask else entry.array.ref)
    arrays = [one for one in at if isinstance(one, ArrayRef)]
    rank = max(one.type.rank for one in arrays)
    if rank == 1 and (len(arrays) == 1 or found.alone):
        shape: tuple[Value, ...] = (Scalar(extent(t, arrays[0], 0), True),)
    else:
        shape = tuple(_shared(t, arrays, rank - axis) for axis in range(rank))
        for k, one in enumerate(at):
            if one != NONE:
                at[k] = t.call(Static(written_places.flat), [one, TupleValue(shape)], {})
    made = Places(found, tuple(at), shape)
    if made.rank > MAX_RANK:
        message = f"what this index selects has rank {made.rank}"
        raise t.error("RG0109", message, f"at most rank {MAX_RANK} is known")
    return made


def _shared(t: Tracer, arrays: Sequence[ArrayRef], axis: int) -> Value:
    """The extent of an axis, counted from the last one, of arrays that broadcast."""
    shared: Atom = ilit(1)
    for one in arrays:
        if axis > one.type.rank:
            continue
        size = extent(t, one, one.type.rank - axis)
        if shared == ilit(1):
            shared = size
            continue
        ones = t.prim("eq", shared, ilit(1)), t.prim("eq", size, ilit(1))
        fits = t.prim("or_", t.prim("or_", *ones), t.prim("eq", shared, size))
        message = "shape mismatch: indexing arrays could not be broadcast together"
        t.check(fits, "IndexError", message)
        shared = t.prim("select", ones[0], size, shared)
    return Scalar(shared, True)


def _items(t: Tracer, program: object, *args: Value) -> tuple[Value, ...]:
    made = t.call(Static(program), args, {})
    assert isinstance(made, TupleValue)
    return made.items


def read_places(t: Tracer, chosen: Places) -> Value:
    """What is at the places, copied."""
    array = chosen.found.ref
    match chosen.at:
        case (ArrayRef() as first, *rest) if len(chosen.shape) == 1 and rest.count(NONE) == len(
            rest
        ):
            return t.call(Static(written_arrays.gathered), [array, first], {})
        case _:
            shape = TupleValue(chosen.shape)
            args = [array, TupleValue(chosen.at), chosen.before, shape]
            return t.call(Static(written_places.read_at), args, {})


def as_elements(t: Tracer, value: Value) -> Value:
    """What is assigned to elements of an array: of a tuple or list, the array."""
    value = plain_ints(value)
    if isinstance(value, TupleValue) and not is_record(value) and value.items:
        return t.call(Static(np.array), (value,), {})
    return value


def write_places(t: Tracer, chosen: Places, value: Value) -> None:
    """`value` at all places, broadcast; the last of several for the same place stays."""
    array, at = chosen.found.ref, TupleValue(chosen.at)
    value = as_elements(t, value)
    if not isinstance(value, Scalar | ArrayRef):
        raise t.error("RG0110", f"{describe(value)} does not go into an array", "use np.array(...)")
    shape = TupleValue(chosen.shape)
    if isinstance(value, Scalar):
        t.call(Static(written_places.write_one_at), [array, at, shape, value], {})
        return
    if value.type.rank > chosen.rank:
        message = f"{describe(value)} for what has rank {chosen.rank}"
        raise t.error("RG0110", message, "give values of at most that rank")
    masked = Scalar(true if chosen.found.alone and _has_mask(chosen.found) else false)
    args = [array, at, chosen.before, shape, value, masked]
    t.call(Static(written_places.write_at), args, {})


def _has_mask(found: Advanced) -> bool:
    return any(entry is not None and entry.array.is_mask for entry in found.entries)


def write_everywhere(t: Tracer, found: Advanced, value: Scalar) -> bool:
    """`ref[mask] = number` as a choice for all elements, which needs no positions; whether it is
    of that kind."""
    mask = _mask_of_elements(t, found)
    if mask is None:
        return False
    new = as_element(t, value.atom, found.ref.base.dtype)
    write(t, found.ref, t.prim("select", mask, new, read(t, found.ref)))
    return True


def change_everywhere(t: Tracer, found: Advanced, op: str, value: Value) -> bool:
    """`ref[mask] op= number` as a choice for all elements, which needs no positions; whether it is
    of that kind.

    All elements are changed first. So that nothing comes of those that are not chosen, not even a
    derivative of 0 times infinity, the number is known, unless it is added.
    """
    if not isinstance(value, Scalar) or value.type == BOOL or found.ref.type.element != F64:
        return False
    known = float(value.atom.value) if isinstance(value.atom, Lit) else math.nan
    safe = op in ("add", "sub") or (
        op in ("mul", "div") and math.isfinite(known) and (op == "mul" or known != 0.0)
    )
    mask = _mask_of_elements(t, found) if safe else None
    if mask is None:
        return False
    old = read(t, found.ref)
    new = elementwise(t, op, old, convert(t, value.atom, DType.F64))
    write(t, found.ref, t.prim("select", mask, new, old))
    return True


def _mask_of_elements(t: Tracer, found: Advanced) -> Atom | None:
    """The mask, with axes for those after its own, where one mask is the whole index."""
    of = [k for k, entry in enumerate(found.entries) if entry is not None]
    entry = found.entries[of[0]]
    if entry is None or not entry.array.is_mask or entry.array.axes != len(of):
        return None
    after = [NewAxis()] * (len(found.entries) - of[-1] - 1)
    return read(t, narrow(t, entry.array.ref, [*([_WHOLE] * entry.array.axes), *after]))
