"""Values of several kinds: a number on one path, an array on another.

Where two paths meet that have values of different kinds, the name holds a `OneOf`: a value of each
kind, and a flag for each. Whatever has to know the kind asks `decided`, which stops the translation
of the statement: it is translated once for each kind (`retrograd.frontend.syntax.kinds_apart`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListRow
from retrograd.frontend.values.heads import head
from retrograd.frontend.values.kinds import (
    Applied,
    ArrayRef,
    Bound,
    Closure,
    Instance,
    Maybe,
    OneOf,
    Option,
    RangeValue,
    Scalar,
    Static,
    Text,
    Transform,
    TupleValue,
    Value,
    describe,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.seen import ITERATORS
from retrograd.frontend.values.text_choices import is_text
from retrograd.frontend.values.tracer import NeedKind, Tracer
from retrograd.ir.terms import Atom, false, true

__all__ = [
    "alternatives", "counterpart", "decided", "flags_for", "is_held", "kinds_in", "one_of_places",
    "one_or_other", "settle_kind", "settled", "without",
]  # fmt: skip

_MOST = 6
_LISTS = (list, ListItems, ListBuffer, ListRow)


def _kind(value: Value) -> object:
    """What two values agree in that are of one kind; None where there is no kind to choose."""
    match value:
        case Scalar():
            return "number"
        case ArrayRef():
            return value.type
        case TupleValue() if value.cls not in _LISTS:
            return value.cls, len(value.items)
        case TupleValue() if value.cls is list:
            return TupleValue, list  # as it comes from outside: others are objects
        case RangeValue():
            return RangeValue, value.backwards, value.levels
        case Instance() if value.cls not in ITERATORS:
            return value.cls, value.names
        case Static() | Text() if is_text(value):
            return "text"
        case Static() if value.obj is not None:
            return value
        case Closure() | Transform() | Applied() | Bound():
            return head(value)
        case _:
            return None


def alternatives(value: Value) -> tuple[Value, ...]:
    """The values, each of another kind, of which it is one."""
    return value.values if isinstance(value, OneOf) else (value,)


def counterpart(value: Value, like: Value, places: bool = False) -> Value | None:
    """The value, among those of which `value` is one, that is of the kind of `like`.

    With `places`, a list, dict or object is that only if it is `like` itself.
    """
    every = alternatives(value)
    if places and isinstance(like, Instance):
        return like if like in every else None
    wanted = _kind(like)
    return next((one for one in every if _kind(one) == wanted), None)


def one_or_other(
    h: Value,
    value: Value,
    shape: Callable[[Value], Value],
    widen: Callable[[Value, Value], Value],
    stays: Callable[[Instance], bool],
    flag: Atom,
) -> Value | None:
    """What covers `h` and `value`, with flags like `flag`; None if there is no such thing.

    `shape` and `widen` are those of the join; `stays` says of lists, dicts and objects whether each
    is to stay itself.
    """
    every = (*alternatives(h), *alternatives(value))
    objects = [one for one in every if isinstance(one, Instance)]
    places = bool(objects) and all(map(stays, objects))
    if not places and any(isinstance(one, OneOf) and one.places for one in (h, value)):
        return None
    if any(_kind(one) is None for one in every if not (places and isinstance(one, Instance))):
        return None
    found = list(alternatives(h))
    for one in alternatives(value):
        known = counterpart(OneOf((), tuple(found)), one, places)
        if known is None:
            found.append(shape(one))
        else:
            found[found.index(known)] = widen(known, one)
    if len(found) > _MOST:
        return None
    return OneOf((flag,) * len(found), tuple(found), places)


def one_of_places(h: Value, value: Value, flag: Atom) -> Value | None:
    """What covers lists, dicts or objects of which each is another one; None of all else."""
    every = tuple(dict.fromkeys((*alternatives(h), *alternatives(value))))
    if len(every) > _MOST or not all(isinstance(one, Instance) for one in every):
        return None
    return every[0] if len(every) == 1 else OneOf((flag,) * len(every), every, places=True)


def flags_for(value: Value, h: OneOf) -> Iterator[Atom]:
    """The flags of `h` on a path that has `value`."""
    for like in h.values:
        one = counterpart(value, like, h.places)
        if one is None:
            yield false
        else:
            yield value.flags[value.values.index(one)] if isinstance(value, OneOf) else true


def decided(t: Tracer, value: Value, node: ast.expr | None = None) -> Value:
    """A value whose kind is known: the statement is translated once for each kind else.

    `node` is the expression that it is the value of.
    """
    if not isinstance(value, OneOf):
        return value
    one, other = describe(value.values[0]), describe(value.values[1])
    way_out = "assign it to a name before it is used"
    if one == other:  # such as a list whose items are known, and one of run-time length
        other = f"{other} that is kept in another way"
        way_out = "make it in one way, such as by appending to an empty list"
    error = t.error("RG0104", f"the value is {one} on one path and {other} on another", way_out)
    raise NeedKind(value, error, node)


def any_kind(t: Tracer, value: OneOf, ask: Callable[[Value], Atom]) -> Atom:
    """Whether a test holds of the kind that a value is of."""
    found: Atom = false
    for flag, one in zip(value.flags, value.values, strict=True):
        holds = ask(one)
        if holds != false:
            both = flag if holds == true else t.prim("and_", flag, holds)
            found = both if found == false else t.prim("or_", found, both)
    return found


def without(value: OneOf, position: int) -> Value:
    """What is left where it is not of one of its kinds."""
    flags = value.flags[:position] + value.flags[position + 1 :]
    values = value.values[:position] + value.values[position + 1 :]
    return values[0] if len(values) == 1 else replace(value, flags=flags, values=values)


def settled(value: Value, flags: tuple[Atom, ...], choose: Callable[[OneOf], Value]) -> Value:
    """`value` with what `choose` gives of each part that has these flags."""
    match value:
        case OneOf() if value.flags == flags:
            return choose(value)
        case Maybe() | Option():
            inner = settled(value.value, flags, choose)
            return value if inner is value.value else replace(value, value=inner)
        case _:
            old = parts(value)
            new = tuple(settled(part, flags, choose) for part in old)
            same = all(a is b for a, b in zip(old, new, strict=True))
            return value if same else with_parts(value, new)


def settle_kind(
    t: Tracer, flags: tuple[Atom, ...], choose: Callable[[OneOf], Value]
) -> dict[int, tuple[Value, Value]]:
    """Makes it known to all variables, on this path, of which kind what has these flags is.

    Gives these variables, with what they held before and hold now.
    """
    changed: dict[int, tuple[Value, Value]] = {}
    for cell, held in list(t.state.cells.items()):
        found = settled(held, flags, choose)
        if found is not held:
            t.state.cells[cell] = found
            changed[cell] = held, found
    return changed


def kinds_in(value: Value) -> Iterator[OneOf]:
    """What is of several kinds in a value."""
    match value:
        case OneOf():
            yield value
        case Maybe() | Option():
            yield from kinds_in(value.value)
        case _:
            for part in parts(value):
                yield from kinds_in(part)


def is_held(t: Tracer, flags: tuple[Atom, ...]) -> bool:
    """Whether a variable holds something that has these flags."""
    return any(one.flags == flags for held in t.state.cells.values() for one in kinds_in(held))
