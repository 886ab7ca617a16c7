"""Members of Enum classes: baked objects, which are ints or floats besides where their class is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, EnumType, Flag
from types import UnionType
from typing import Any, cast, get_args

from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.values.clocks import combined_times
from retrograd.frontend.values.kinds import NONE, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import flit, ilit

__all__ = ["as_number", "combined", "members", "of_enum"]


def as_number(value: Value) -> Value:
    """A member of an `IntEnum` (or of an Enum of floats) as the number that it is."""
    if isinstance(value, Static) and isinstance(value.obj, Enum):
        if isinstance(value.obj, int):
            return Scalar(ilit(int(value.obj)))
        if isinstance(value.obj, float):
            return Scalar(flit(float(value.obj)))
    return value


_BITS: Mapping[str, Callable[[Any, Any], object]] = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
}  # fmt: skip


def combined(op: str, a: Value, b: Value) -> Value | None:
    """`a | b` of two members of one class of flags, or of types, and sums of times that clocks
    told; None of all else."""
    if op == "or" and (kinds := _alternatives(a)) and (more := _alternatives(b)):
        return None if a == b == NONE else TupleValue((*kinds, *more))  # for isinstance
    if (time := combined_times(op, a, b)) is not None:
        return time
    one, other = (v.obj if isinstance(v, Static) else None for v in (a, b))
    if op not in _BITS or not isinstance(one, Flag) or type(one) is not type(other):
        return None
    return Static(_BITS[op](one, other))


def _alternatives(value: Value) -> tuple[Value, ...]:
    """The types that a type, a union of them or None stands for; () of all else."""
    match value:
        case Static(obj=None):
            return (Static(type(None)),)
        case Static(obj=type()):
            return (value,)
        case Static(obj=UnionType() as union):
            return tuple(map(Static, get_args(union)))
        case TupleValue(cls=cls) if cls is tuple and value.items:
            return value.items if all(map(_is_type, value.items)) else ()
        case _:
            return ()


def _is_type(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.obj, type)


def of_enum(value: Value) -> type[Enum] | None:
    """The class that a value is, if it is one of members."""
    obj = value.obj if isinstance(value, Static) else None
    return cast("type[Enum]", obj) if isinstance(obj, EnumType) else None


def members(t: Tracer, cls: type[Enum]) -> tuple[Value, ...]:
    """The members in their order, without the names that are another name of one."""
    found: list[Value] = []
    for member in cls:
        name = cast("Any", member).name
        t.recorder.ask("attribute", cls, name, STATIC)
        t.guard(member, "attribute", cls, name)
        found.append(Static(member))
    return tuple(found)
