"""Numbers that are known while a program is translated."""

from __future__ import annotations

from collections.abc import Callable

from retrograd.frontend.values.kinds import UNBOUND, Instance, Scalar, Static, Value, parts
from retrograd.frontend.values.objects import reachable
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit
from retrograd.ir.types import F64, I64

__all__ = ["has_literals", "is_told_apart", "known_float", "static_int"]


def static_int(value: Value) -> int | None:
    """The value of an int known at compile time."""
    if isinstance(value, Scalar) and isinstance(value.atom, Lit) and value.type == I64:
        return int(value.atom.value)
    if isinstance(value, Static) and isinstance(value.obj, int) and type(value.obj) is not int:
        return int(value.obj)  # a member of an IntEnum; of Python's ints only large ones are static
    return None


def known_float(value: Value) -> Lit | None:
    """A float known at compile time that may be part of a function; None of others."""
    if isinstance(value, Scalar) and isinstance(value.atom, Lit) and is_told_apart(value.atom):
        return value.atom
    return None


def is_told_apart(known: Lit) -> bool:
    """Whether it is a float that no other one equals, as -0.0 does, and that equals itself."""
    number = known.value
    return known.type == F64 and number == number and repr(number) != "-0.0"


def has_literals(
    t: Tracer, value: Value, known: Callable[[Value], object | None] = static_int
) -> bool:
    """Whether a number known at compile time is among the parts of a value, or in its objects."""
    if known(value) is not None or any(has_literals(t, part, known) for part in parts(value)):
        return True
    if not isinstance(value, Instance):
        return False
    return any(
        _is_known(t.state.cells.get(cell, UNBOUND), known)
        for cell in reachable(t.state.cells, [value])
    )


def _is_known(value: Value, known: Callable[[Value], object | None]) -> bool:
    """Whether a literal is among the parts of a value, objects in it left out."""
    return known(value) is not None or any(_is_known(part, known) for part in parts(value))
