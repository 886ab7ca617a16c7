"""What a `for` runs over: a known sequence of values, or a trip count and the value at an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrograd.frontend.arrays import Index, extent, narrow, read
from retrograd.frontend.core import Tracer
from retrograd.frontend.scalars import arith
from retrograd.frontend.values import (
    NONE,
    ArrayRef,
    Enumerate,
    RangeValue,
    Scalar,
    TupleValue,
    Value,
    Zip,
    describe,
    static_int,
)  # fmt: skip
from retrograd.ir.terms import Atom, ilit

__all__ = ["Steps", "range_trips", "steps_of"]


_NO_TRIPS = ilit(0)


@dataclass(frozen=True, slots=True)
class Steps:
    """Either `items`, or `trips` and `at`; `root` is what the loop keeps referring to."""

    items: tuple[Value, ...] | None
    trips: Atom = _NO_TRIPS
    at: Callable[[Scalar], Value] | None = None
    root: Value = NONE


def range_trips(t: Tracer, r: RangeValue) -> Atom:
    """How many numbers a range has; below zero stands for none."""
    step = static_int(r.step)
    if step == 1:
        if static_int(r.start) == 0:
            return r.stop.atom
        return _difference(t, r.stop, r.start)
    if step is not None and step != 0:
        ahead, behind = (r.stop, r.start) if step > 0 else (r.start, r.stop)
        room = _difference(t, ahead, behind)
        if abs(step) == 1:
            return room
        return t.prim("floordiv", t.prim("add", room, ilit(abs(step) - 1)), ilit(abs(step)))
    t.check(t.prim("ne", r.step.atom, ilit(0)), "ValueError", "range() arg 3 must not be zero")
    up = t.prim("gt", r.step.atom, ilit(0))
    room = t.prim("sub", r.stop.atom, r.start.atom)
    before = t.prim("sub", room, t.prim("select", up, ilit(1), ilit(-1)))
    return t.prim("add", t.prim("floordiv", before, r.step.atom), ilit(1))


def _difference(t: Tracer, a: Scalar, b: Scalar) -> Atom:
    one, two = static_int(a), static_int(b)
    if one is not None and two is not None:
        return ilit(one - two)
    return a.atom if two == 0 else t.prim("sub", a.atom, b.atom)


def _range_at(t: Tracer, r: RangeValue, index: Scalar) -> Scalar:
    step = static_int(r.step)
    scaled = index.atom if step == 1 else t.prim("mul", index.atom, r.step.atom)
    value = scaled if static_int(r.start) == 0 else t.prim("add", r.start.atom, scaled)
    if step is None:
        return Scalar(value)
    last = static_int(r.stop)
    downwards = r.stop.is_nonneg or (last is not None and last >= -1)
    return Scalar(value, r.start.is_nonneg if step > 0 else downwards)


def steps_of(t: Tracer, value: Value) -> Steps:
    """The iterations over a value; UserError if it cannot be iterated."""
    match value:
        case TupleValue():
            return Steps(value.items)
        case RangeValue():
            r = value
            return Steps(None, range_trips(t, r), lambda index: _range_at(t, r, index))
        case ArrayRef():
            return _array_steps(t, value)
        case Enumerate():
            return _enumerated(t, value)
        case Zip():
            return _zipped(t, value)
        case _:
            way_out = "loop over a range, an array or a tuple"
            raise t.error("RG0101", f"a loop over {describe(value)}", way_out)


def _array_steps(t: Tracer, ref: ArrayRef) -> Steps:
    def at(index: Scalar) -> Value:
        row = narrow(t, ref, [Index(index, inside=True)])
        return Scalar(read(t, row)) if row.type.rank == 0 else row

    return Steps(None, extent(t, ref, 0), at, ref)


def _enumerated(t: Tracer, value: Enumerate) -> Steps:
    inner = steps_of(t, value.inner)
    if inner.items is not None:
        pairs = [
            TupleValue((arith(t, "add", value.start, Scalar(ilit(k))), item))
            for k, item in enumerate(inner.items)
        ]
        return Steps(tuple(pairs))
    at = inner.at
    assert at is not None

    def pair(index: Scalar) -> Value:
        zero = static_int(value.start) == 0
        count = index if zero else arith(t, "add", value.start, index)
        return TupleValue((count, at(index)))

    return Steps(None, inner.trips, pair, inner.root)


def _zipped(t: Tracer, value: Zip) -> Steps:
    every = [steps_of(t, item) for item in value.items]
    known = [s.items for s in every if s.items is not None]
    if len(known) == len(every):
        return Steps(tuple(TupleValue(row) for row in zip(*known, strict=False)))
    if known:
        raise t.error(
            "RG0101", "`zip` of a tuple with an array or range", "put the tuple into np.array(...)"
        )
    trips = every[0].trips
    for other in every[1:]:
        if other.trips != trips:
            trips = t.prim("imin", trips, other.trips)
    ats = [s.at for s in every if s.at is not None]

    def row(index: Scalar) -> Value:
        return TupleValue(tuple(at(index) for at in ats))

    return Steps(None, trips, row, TupleValue(tuple(s.root for s in every)))
