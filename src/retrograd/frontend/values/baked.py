"""Numbers that have to be known at compile time: `argnums`, axes, flags.

A number from outside of the program is a hidden argument, read at every call. Where one decides
what the program is, it cannot be: the translation begins again with that number as a literal, and
a guard makes the program valid only while the same number stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.identity.surroundings import whole_numbers
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Instance,
    Scalar,
    TupleValue,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.tracer import Hidden, NeedNumber, Tracer
from retrograd.ir.terms import Var, false, ilit, true
from retrograd.ir.types import BOOL, F64

__all__ = ["bake", "known_int", "require_known", "with_numbers"]


def known_int(t: Tracer, value: Value) -> int | None:
    """The value of an int known at compile time; that of a module or closure becomes known."""
    require_known(t, value)
    return static_int(value)


def require_known(t: Tracer, value: Value) -> None:
    """Begins the translation again, with a literal, where `value` comes from outside."""
    if not isinstance(value, Scalar) or not isinstance(value.atom, Var) or value.type == F64:
        return
    for key, held in t.frame.hidden.items():
        if value.atom in _atoms(t, held):
            raise NeedNumber(key)


def _atoms(t: Tracer, value: Value) -> Iterator[object]:
    if isinstance(value, Scalar):
        yield value.atom
    inside = (t.state.cells[cell] for cell in value.cells) if _has_items(value) else parts(value)
    for part in inside:
        yield from _atoms(t, part)


def _has_items(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and value.cls in (dict, list)


def bake(t: Tracer, hidden: Hidden) -> None:
    """Has literals for the ints in a dict or list from outside, at the beginning of a function, if
    they have to be known."""
    value = t.frame.hidden[hidden.key]
    if hidden.key not in t.ctx.way.baked or not _has_items(value):
        return
    numbers = whole_numbers(hidden.read(), hidden.opens)
    if numbers is not None:
        _with_literals(t, value, iter(numbers))


def with_numbers(t: Tracer, hidden: Hidden) -> Value:
    """The value of a hidden argument, with literals for its ints if they have to be known."""
    value = t.frame.hidden[hidden.key]
    if hidden.key not in t.ctx.way.baked:
        return value
    numbers = whole_numbers(hidden.read(), hidden.opens)
    if numbers is None:
        return value
    t.ctx.guard_numbers(hidden, whole_numbers(hidden.read()) or ())
    return value if _has_items(value) else _with_literals(t, value, iter(numbers))


def _with_literals(t: Tracer, value: Value, numbers: Iterator[int | None]) -> Value:
    match value:
        case Scalar():
            number = next(numbers)
            if number is None:
                return value
            return Scalar((true if number else false) if value.type == BOOL else ilit(number))
        case ArrayRef():
            next(numbers)
            return value
        case Instance() if value.cls is list:
            content = t.state.cells[value.cells[0]]
            new = _with_literals(t, content, numbers)
            if isinstance(content, TupleValue) and content.cls is ListItems:
                t.state.cells[value.cells[0]] = new
            return value
        case Instance() if value.cls is dict:
            for cell in value.cells:
                t.state.cells[cell] = _with_literals(t, t.state.cells[cell], numbers)
            return value
        case _:
            return with_parts(value, tuple(_with_literals(t, p, numbers) for p in parts(value)))
