"""Numbers that are known while a program is translated."""

from __future__ import annotations

from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.ir.terms import Lit
from retrograd.ir.types import I64

__all__ = ["static_int"]


def static_int(value: Value) -> int | None:
    """The value of an int known at compile time."""
    if isinstance(value, Scalar) and isinstance(value.atom, Lit) and value.type == I64:
        return int(value.atom.value)
    if isinstance(value, Static) and isinstance(value.obj, int):
        return int(value.obj)  # a member of an IntEnum
    return None
