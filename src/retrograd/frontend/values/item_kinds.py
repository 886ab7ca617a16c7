"""Items of lists of run-time length that may be None, or are of one of several kinds.

Such a list has a buffer that says of which kind each item is, and buffers for the items of each
kind, in which the places of all others are free. Kinds are numbered for the whole program
(`Context.item_kinds`), so that of two lists one knows what the other means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat

from retrograd.frontend.identity.buffers import ListBuffer, ListKinds, ListRow, list_kinds
from retrograd.frontend.values.forms import arrays, buffers_form, leaves, like
from retrograd.frontend.values.kinds import (
    NONE,
    UNDEF,
    ArrayRef,
    ComplexValue,
    OneOf,
    Option,
    Scalar,
    Static,
    TupleValue,
    Value,
    hole,
)
from retrograd.frontend.values.list_texts import is_of_texts
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit
from retrograd.ir.types import F64, I64

__all__ = [
    "Absent", "aligned", "as_kind", "buffers_there", "ids_in", "ids_of", "is_deep", "is_kinds",
    "kind_at", "kinds_form", "number_of_kind", "only_kind", "united",
]  # fmt: skip

Join = Callable[[Value, Value], Value]


def is_kinds(value: Value) -> bool:
    """Whether it is the form of such an item, or the buffers of such."""
    return isinstance(value, TupleValue) and issubclass(value.cls, ListKinds)


def _of(value: Value) -> tuple[TupleValue, type[ListKinds]]:
    assert isinstance(value, TupleValue)
    assert issubclass(value.cls, ListKinds)
    return value, value.cls


def kinds_form(forms: dict[int, Value], none: bool, depth: int = 0) -> TupleValue:
    """What an item is like that is of one of these kinds, by number."""
    ids = tuple(sorted(forms))
    which: Value = ArrayRef(0, I64.with_rank(depth)) if depth else Scalar(hole(I64))
    return TupleValue((which, *(forms[k] for k in ids)), list_kinds(ids, none))


def is_deep(form: Value, depth: int = 0) -> bool:
    """Whether there are arrays in items; `depth`: these are items of lists in lists."""
    return any(_rank(leaf) > depth for leaf in leaves(form))


def _rank(leaf: Value) -> int:
    assert isinstance(leaf, Scalar | ArrayRef)
    return leaf.type.rank


def _kind(form: Value, depth: int) -> object:
    """What forms have in common that are joined to one."""
    match form:
        case Scalar() | ArrayRef():
            rank = form.type.rank - depth
            return ("array", rank) if rank else "number"
        case ComplexValue():
            return _kind(form.real, depth)
        case TupleValue() if is_of_texts(form):
            return "text"
        case TupleValue():
            inside = depth + (form.cls is ListRow)
            return form.cls, tuple(_kind(part, inside) for part in form.items)
        case _:
            return None


def number_of_kind(t: Tracer, form: Value, depth: int = 0) -> int:
    """The number of the kind of a form."""
    return t.ctx.item_kinds.setdefault(_kind(form, depth), len(t.ctx.item_kinds))


def _forms(t: Tracer, form: Value, depth: int) -> tuple[dict[int, Value], bool]:
    """The forms of each kind, by number, and whether items may be None."""
    if isinstance(form, TupleValue) and issubclass(form.cls, ListKinds):
        return dict(zip(form.cls.ids, form.items[1:], strict=True)), form.cls.none
    return {number_of_kind(t, form, depth): form}, False


def united(t: Tracer, one: Value, other: Value, depth: int, join: Join) -> TupleValue | None:
    """What covers items of both; None where they are of several kinds, which is for later."""
    found, none = _forms(t, one, depth)
    more, also = _forms(t, other, depth)
    for k, form in more.items():
        found[k] = join(found[k], form) if k in found else form
    none = none or also
    several = len(found) > 1 or (none and any(is_deep(form, depth) for form in found.values()))
    if several and not t.ctx.way.joins:
        t.ctx.mixed = True
        return None
    return kinds_form(found, none, depth)


def _nothing(leaf: Value) -> Value:
    """What is put where an item is of another kind."""
    if not isinstance(leaf, Scalar):
        return UNDEF
    zero: Atom = ilit(0) if leaf.type == I64 else flit(0.0) if leaf.type == F64 else false
    return Scalar(zero)


def as_kind(
    t: Tracer, item: Value, form: Value, form_of: Callable[[Value], Value],
    as_item: Callable[[Value, Value], Value],
) -> TupleValue:  # fmt: skip
    """An item in the form of such a list; UNDEF stands for arrays that are not there."""
    whole, cls = _of(form)
    columns = [like(part, map(_nothing, leaves(part))) for part in whole.items[1:]]

    def which(value: Value) -> Atom:
        match value:
            case Static(obj=None):
                return ilit(-1)
            case Option():
                return t.prim("select", value.flag, which(value.value), ilit(-1))
            case OneOf():
                found = ilit(-1)
                for flag, kind in zip(value.flags, value.values, strict=True):
                    found = t.prim("select", flag, which(kind), found)
                return found
            case _:
                number = number_of_kind(t, form_of(value))
                at = cls.ids.index(number)
                columns[at] = as_item(value, whole.items[1 + at])
                return ilit(number)

    number = Scalar(which(item))
    return TupleValue((number, *columns), cls)


def kind_at(t: Tracer, buffers: Value, item: Callable[[Value], Value]) -> Value:
    """The item for which `item` gives what is at its place in a buffer."""
    whole, cls = _of(buffers)
    if not cls.ids:
        return NONE
    which = item(whole.items[0])
    assert isinstance(which, Scalar)
    values = tuple(map(item, whole.items[1:]))
    found = values[0]
    if len(values) > 1:
        found = OneOf(tuple(t.prim("eq", which.atom, ilit(k)) for k in cls.ids), values)
    return Option(found, t.prim("ge", which.atom, ilit(0))) if cls.none else found


def only_kind(buffers: Value) -> tuple[ArrayRef, Value] | None:
    """Of buffers of one kind and None, which items there are, and the buffers; None of others."""
    whole, cls = _of(buffers)
    which = whole.items[0]
    if len(cls.ids) != 1 or not isinstance(which, ArrayRef):
        return None
    return which, whole.items[1]


def ids_of(buffers: Value) -> tuple[int, ...]:
    """The numbers of the kinds of items of such a list."""
    return _of(buffers)[1].ids


def ids_in(buffers: Value) -> tuple[tuple[tuple[int, ...], bool], ...]:
    """The kinds of items of such buffers, at all depths."""
    if not isinstance(buffers, TupleValue):
        return ()
    own = ((buffers.cls.ids, buffers.cls.none),) if issubclass(buffers.cls, ListKinds) else ()
    return (*own, *(one for part in buffers.items for one in ids_in(part)))


def _buffers(t: Tracer, buffers: Value, depth: int) -> dict[int, Value]:
    """The buffers for the items of each kind."""
    if isinstance(buffers, TupleValue) and issubclass(buffers.cls, ListKinds):
        return dict(zip(buffers.cls.ids, buffers.items[1:], strict=True))
    return {number_of_kind(t, buffers_form(buffers), depth): buffers}


@dataclass(frozen=True, slots=True)
class Absent:
    """A buffer that there is not: all its entries are `fill`, or mean nothing.

    It is as long as the first `axes` axes of a buffer that there is.
    """

    fill: Lit | None
    beside: ArrayRef
    axes: int


def buffers_there(t: Tracer, content: TupleValue, form: Value) -> Iterator[ArrayRef | None]:
    """The buffers that a list has already, in the order of those for items like `form`."""
    if content.cls is not ListBuffer:
        return repeat(None)
    every = aligned(t, content.items[0], form)
    return (ref if isinstance(ref, ArrayRef) else None for ref in every)


def aligned(
    t: Tracer, buffers: Value, form: Value, depth: int = 0
) -> Iterator[ArrayRef | Absent]:  # fmt: skip
    """The buffer for each number and array of `form`."""
    match form, buffers:
        case (TupleValue(cls=cls), _) if issubclass(cls, ListKinds):
            own = _buffers(t, buffers, depth)
            first = next(arrays(buffers))
            if is_kinds(buffers):
                yield first
            else:
                yield Absent(ilit(next(iter(own))), first, depth + 1)
            for k, part in zip(cls.ids, form.items[1:], strict=True):
                if k in own:
                    yield from aligned(t, own[k], part, depth)
                else:
                    count = sum(1 for _ in leaves(part))
                    yield from repeat(Absent(None, first, depth + 1), count)
        case (TupleValue(), TupleValue()):
            for one, part in zip(buffers.items, form.items, strict=True):
                yield from aligned(t, one, part, depth + (form.cls is ListRow))
        case (ComplexValue(), ArrayRef()):
            yield buffers
            yield Absent(flit(0.0), buffers, buffers.type.rank)
        case _:
            yield from arrays(buffers)
