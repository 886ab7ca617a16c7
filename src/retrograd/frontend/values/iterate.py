"""What a `for` runs over: a known sequence of values, or a trip count and the value at an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType
from typing import cast

from retrograd.errors import UserError
from retrograd.frontend.identity import keyed_by_run, lists_by_key
from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.identity.held_dicts import is_held
from retrograd.frontend.identity.narrow_ints import NarrowArray
from retrograd.frontend.identity.one_by_one import given_by_next
from retrograd.frontend.identity.sets import FROZEN, Set
from retrograd.frontend.values.arrays import Index, extent, narrow, read
from retrograd.frontend.values.dicts import items_of, key_value, view_items
from retrograd.frontend.values.item_forms import content_form
from retrograd.frontend.values.iterators import is_iterator, unwrapped
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    ComplexValue,
    DictValue,
    DictView,
    Enumerate,
    Instance,
    Later,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    Zip,
    describe,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.lists import (
    buffered,
    content_of,
    current,
    is_list,
    item_at,
    of_buffers,
    parts_of,
    set_items,
    sized,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.members import members, of_enum
from retrograd.frontend.values.numbers import may_be_array
from retrograd.frontend.values.object_rows import held_by_name, is_growing
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.records import by_method, is_record
from retrograd.frontend.values.scalars import arith
from retrograd.frontend.values.sets import known_item, set_order
from retrograd.frontend.values.text_choices import is_text
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.uneven_arrays import must_be_alike
from retrograd.ir.terms import Atom, Lit, ilit, true
from retrograd.records import quickly_made

__all__ = ["Steps", "gives_next", "known_item", "range_trips", "steps_of"]


_NO_TRIPS = ilit(0)


@quickly_made
@dataclass(frozen=True, slots=True)
class Steps:
    """Either `items`, or `trips` and `at`; `root` is what the loop keeps referring to.

    `levels`: into how many loops inside each other it is divided; `by_one`: `at` takes literals
    only, so that the iterations are translated one by one.
    """

    items: tuple[Value, ...] | None
    trips: Atom = _NO_TRIPS
    at: Callable[[Scalar], Value] | None = None
    root: Value = NONE
    levels: int = 1
    by_one: bool = False

    def value(self, position: int) -> Value:
        """The value of an iteration, as it is now."""
        if self.items is not None:
            return self.items[position]
        assert self.at is not None
        return self.at(Scalar(ilit(position), True))

    @property
    def known(self) -> tuple[Value, ...] | None:
        """The values where they are known one by one, as they are now."""
        return self.all() if self.by_one else self.items

    def all(self) -> tuple[Value, ...] | None:
        """All values, as they are now, where it is known how many there are and they are few."""
        if self.items is not None:
            return self.items
        count = self.count
        if count is None or self.at is None:
            return None
        return tuple(self.at(Scalar(ilit(k), True)) for k in range(count))

    @property
    def count(self) -> int | None:
        """How many iterations there are, where that is known and they are few."""
        if self.items is not None:
            return len(self.items)
        trips = self.trips.value if isinstance(self.trips, Lit) else _FEW + 1
        return max(int(trips), 0) if trips <= _FEW else None


_VIEWS = (*keyed_by_run.VIEWS, *lists_by_key.VIEWS)
"""Classes of ours whose items are given at once by `listed`."""

_FEW = 64
"""So many iterations of a known number are translated one by one where they have to be."""

_MOST = 2**63 - 1


def range_trips(t: Tracer, r: RangeValue) -> Atom:
    """How many numbers a range has, at most 2**63 - 1; below zero stands for none."""
    start, stop, step = static_int(r.start), static_int(r.stop), static_int(r.step)
    if step == 1 and start == 0:
        return r.stop.atom
    if start is not None and stop is not None and step is not None:
        return ilit(min(_length(start, stop, step), _MOST))
    if step == 1 and r.start.is_nonneg and r.stop.is_nonneg:
        return t.prim("sub", r.stop.atom, r.start.atom)
    return t.prim("range_len", r.start.atom, r.stop.atom, r.step.atom)


def _length(start: int, stop: int, step: int) -> int:
    """What `len` of such a range is, however much."""
    return max(0, -((start - stop) // step))


def _range_steps(t: Tracer, r: RangeValue) -> Steps:
    trips, step = range_trips(t, r), static_int(r.step)
    end = static_int(r.stop)
    nonneg = r.start.is_nonneg
    if step is None:
        nonneg = False
    elif step < 0:
        nonneg = r.stop.is_nonneg or (end is not None and end >= -1)
    first = _last(t, r, trips) if r.backwards else r.start.atom
    start = static_int(r.start)
    known = None if None in (start, end, step) else range(start or 0, end or 0, step or 1)

    def at(index: Scalar) -> Scalar:
        number = static_int(index)
        if known is not None and number is not None and number < len(known):
            return Scalar(ilit(known[-1 - number] if r.backwards else known[number]), nonneg)
        scaled = index.atom if step == 1 else t.prim("mul", index.atom, r.step.atom)
        if first == ilit(0) and not r.backwards:
            return Scalar(scaled, nonneg)
        return Scalar(t.prim("sub" if r.backwards else "add", first, scaled), nonneg)

    return Steps(None, trips, at, levels=r.levels)


def _last(t: Tracer, r: RangeValue, trips: Atom) -> Atom:
    """The last number of a range that is not empty, whatever its length."""
    step = static_int(r.step)
    if step in (1, -1):
        return t.prim("sub", r.stop.atom, r.step.atom)
    if step is not None and (r.start if step > 0 else r.stop).is_nonneg:
        before = t.prim("mul", t.prim("sub", trips, ilit(1)), r.step.atom)
        return t.prim("add", r.start.atom, before)
    up = t.prim("gt", r.step.atom, ilit(0))
    near = t.prim("sub", r.stop.atom, t.prim("select", up, ilit(1), ilit(-1)))
    rests = (t.prim("mod", atom, r.step.atom) for atom in (near, r.start.atom))
    return t.prim("sub", near, t.prim("mod", t.prim("sub", *rests), r.step.atom))


def steps_of(t: Tracer, value: Value) -> Steps:
    """The iterations over a value; UserError if it cannot be iterated."""
    value = unwrapped(t, sure(t, value, "'NoneType' object is not iterable"))
    match value:
        case TupleValue():
            return _tuple_steps(t, value)
        case Static(obj=str() as text):
            return Steps(tuple(Static(letter) for letter in text))
        case RangeValue():
            return _range_steps(t, value)
        case ArrayRef():
            return _array_steps(t, value)
        case ComplexValue(real=ArrayRef() as real, imag=ArrayRef() as imag):
            return _complex_steps(t, value, real, imag)
        case Enumerate():
            return _enumerated(t, value)
        case Zip():
            return _zipped(t, value)
        case Instance():
            return _object_steps(t, value)
        case DictValue():
            return Steps(tuple(map(key_value, value.keys)))
        case DictView():
            return Steps(view_items(t, value), root=value.owner)
        case Static() if (cls := of_enum(value)) is not None:
            return Steps(members(t, cls))
        case _:
            raise _not_iterable(t, value)


def _not_iterable(t: Tracer, value: Value) -> UserError:
    way_out = "loop over a range, an array or a tuple"
    number = isinstance(value, Scalar) and not may_be_array(value)
    message = f"a loop over {describe(value)}"
    return t.error("RG0101", message, way_out, TypeError if number else None)


def _tuple_steps(t: Tracer, value: TupleValue) -> Steps:
    """The items; of a frozen dataclass, or a NamedTuple that says so, what its `__iter__` gives."""
    if value.cls is NarrowArray and isinstance(value.items[0], ArrayRef):
        return _narrow_steps(t, value, value.items[0])
    made = by_method(t, value, "__iter__")
    if made is not None:
        return steps_of(t, made)
    if value.cls in FROZEN:
        return Steps(_frozen_in_order(t, value))
    if is_record(value):
        raise _not_iterable(t, value)
    return Steps(value.items)


def _narrow_steps(t: Tracer, value: TupleValue, ints: ArrayRef) -> Steps:
    """Elements or rows of ints of less than 64 bits, which remember their class."""
    steps, kind = _array_steps(t, ints), cast("Static", value.items[1])
    inner = steps.at
    assert inner is not None

    def at(index: Scalar) -> Value:
        found = inner(index)
        if isinstance(found, Scalar):
            return replace(found, small=cast("type", kind.obj))
        return replace(value, items=(found, *value.items[1:]))

    return replace(steps, at=at)


def _object_steps(t: Tracer, value: Instance) -> Steps:
    """The items of a list, the keys of a dict, or what an object's `__iter__` gives."""
    if value.cls is list:
        return _list_steps(t, value)
    if value.cls is dict:
        return Steps(tuple(map(key_value, items_of(t, value).keys)), root=value)
    if value.cls in _VIEWS:
        return steps_of(t, t.call(Bound(value, "listed"), (), {}))
    if is_growing(value):
        size = held_by_name(t, value, "size")
        assert isinstance(size, Scalar)
        return Steps(None, size.atom, lambda k: t.call(Bound(value, "item"), (k,), {}), value)
    if value.cls is Set:
        return Steps(_in_order(t, value), root=t.content(value.cell("inside")))
    own = getattr(value.cls, "__iter__", None)
    if not isinstance(own, FunctionType) and not is_held(value.cls):
        raise _not_iterable(t, value)
    items = t.call(Bound(value, "__iter__"), (), {})
    if gives_next(items):
        return steps_of(t, t.call(Static(given_by_next), [items], {}))
    if isinstance(items, Instance) and not is_iterator(items):
        raise t.error(
            "RG0101", f"`__iter__` of {value.cls.__name__!r} gives no iterator that is known",
            "return iter(..) of a list, a dict, an array or a tuple",
        )  # fmt: skip
    return steps_of(t, items)


def gives_next(value: Value) -> bool:
    """Whether it is an object of a class that has `__next__`."""
    cls = value.cls if isinstance(value, Instance) else object
    return isinstance(getattr(cls, "__next__", None), FunctionType)


def _in_order(t: Tracer, owner: Instance) -> tuple[Value, ...]:
    """The items of a set as Python gives them: texts in any order, as in each process."""
    straight = t.content(owner.cell("straight"))
    items = steps_of(t, t.content(owner.cell("inside"))).all()
    if items is not None and len(items) < 2:
        return tuple(current(t, item) for item in items)
    known = None
    if items is not None and isinstance(straight, Scalar) and straight.atom == true:
        known = [known_item(current(t, item)) for item in items]
    if known is None or None in known:
        raise _without_order(t)
    order = set_order(known)
    if order is None:
        raise t.error(
            "RG0101", "a loop over a set whose order depends on how it was made", "write sorted(..)"
        )
    return tuple(map(key_value, order))


def _frozen_in_order(t: Tracer, value: TupleValue) -> tuple[Value, ...]:
    """The same of a set that does not change."""
    inside, straight = value.items
    if isinstance(straight, Scalar) and straight.atom == true:
        return inside.items if isinstance(inside, TupleValue) else ()
    items = steps_of(t, inside).all() or ()
    texts = [item for item in items if isinstance(known_item(current(t, item)), str)]
    if texts and len(texts) == len(items):
        return tuple(current(t, item) for item in items)
    raise _without_order(t)


def _without_order(t: Tracer) -> UserError:
    return t.error(
        "RG0101", "a loop over a set whose items are known at run time only, or that has been "
        "changed by more than `add`", "write sorted(..): the order is not known",
    )  # fmt: skip


def _list_steps(t: Tracer, owner: Instance) -> Steps:
    content = content_of(t, owner)
    if content.cls is ListItems:
        return Steps(tuple(Later(owner, k) for k in range(len(content.items))))

    def at(index: Scalar) -> Value:
        return item_at(t, content_of(t, owner), index)

    return Steps(None, sized(t, owner).atom, at, owner)


def _array_steps(t: Tracer, ref: ArrayRef) -> Steps:
    def at(index: Scalar) -> Value:
        row = narrow(t, ref, [Index(index, inside=True)])
        return Scalar(read(t, row), numpy=True) if row.type.rank == 0 else row

    return Steps(None, extent(t, ref, 0), at, ref)


def _complex_steps(t: Tracer, value: ComplexValue, real: ArrayRef, imag: ArrayRef) -> Steps:
    one, other = _array_steps(t, real).at, _array_steps(t, imag).at
    assert one is not None
    assert other is not None

    def at(index: Scalar) -> Value:
        return with_parts(value, (one(index), other(index)))

    return Steps(None, extent(t, real, 0), at, value)


def _enumerated(t: Tracer, value: Enumerate) -> Steps:
    inner = steps_of(t, value.inner)
    if inner.items is not None:
        pairs = [
            TupleValue((arith(t, "add", value.start, Scalar(ilit(k))), item))
            for k, item in enumerate(inner.items)
        ]
        return Steps(tuple(pairs), root=inner.root)
    at = inner.at
    assert at is not None

    def pair(index: Scalar) -> Value:
        zero = static_int(value.start) == 0
        count = index if zero else arith(t, "add", value.start, index)
        return TupleValue((count, at(index)))

    return Steps(None, inner.trips, pair, inner.root, by_one=inner.by_one)


def _zipped(t: Tracer, value: Zip) -> Steps:
    every = [steps_of(t, item) for item in value.items]
    known = [s.items for s in every if s.items is not None]
    if len(known) == len(every):
        root = TupleValue(tuple(s.root for s in every))
        return Steps(tuple(TupleValue(row) for row in zip(*known, strict=False)), root=root)
    if known:
        return _zipped_by_one(t, every)
    return _rows_of(t, every)


def _rows_of(t: Tracer, every: list[Steps]) -> Steps:
    trips = every[0].trips
    for other in every[1:]:
        if other.trips != trips:
            trips = t.prim("imin", trips, other.trips)
    ats = [s.at for s in every if s.at is not None]

    def row(index: Scalar) -> Value:
        return TupleValue(tuple(at(index) for at in ats))

    return Steps(None, trips, row, TupleValue(tuple(s.root for s in every)))


def _placed(t: Tracer, steps: Steps) -> Steps:
    """Numbers that are known one by one, as those of an array are: by their position."""
    if steps.items is None:
        return steps
    first = steps.items[0]
    if isinstance(first, Later) and is_list(first.owner):
        content = content_of(t, first.owner)
        form = content_form(t, content, t.content)
        if form is not None:
            must_be_alike(t, [content], form)
            set_items(t, first.owner, buffered(t, content, form))
            return steps_of(t, first.owner)
    every = TupleValue(tuple(current(t, item) for item in steps.items), ListItems)
    if all(map(is_text, every.items)) or all(isinstance(v, TupleValue) for v in every.items):
        form = content_form(t, every, t.content)
        if form is not None:
            buffers, length = parts_of(buffered(t, every, form))
            return steps_of(t, of_buffers(t, buffers, length))
    if not isinstance(first, Scalar) or not all(
        isinstance(v, Scalar) and (v.type, v.numpy) == (first.type, first.numpy)
        for v in steps.items
    ):
        raise t.error(
            "RG0101", "`zip` of a tuple with an array or range", "put the tuple into np.array(...)"
        )
    atoms = [v.atom for v in steps.items if isinstance(v, Scalar)]
    made = t.prim("array_of", *atoms, shape=(len(atoms),))
    array = t.new(made)
    assert isinstance(array, ArrayRef)

    def at(index: Scalar) -> Value:
        found = read(t, narrow(t, array, [Index(index, inside=True)]))
        return Scalar(found, numpy=first.numpy)

    return Steps(None, ilit(len(atoms)), at, steps.root)


def _zipped_by_one(t: Tracer, every: list[Steps]) -> Steps:
    """Values that are known one by one, with those of arrays and ranges of a known length."""
    counts = [steps.count for steps in every]
    least = min(count for count in counts if count is not None)
    if None in counts and least > 0:
        return _rows_of(t, [_placed(t, steps) for steps in every])

    def row(index: Scalar) -> Value:
        position = static_int(index)
        assert position is not None
        return TupleValue(tuple(steps.value(position) for steps in every))

    root = TupleValue(tuple(steps.root for steps in every))
    return Steps(None, ilit(least), row, root, by_one=True)
