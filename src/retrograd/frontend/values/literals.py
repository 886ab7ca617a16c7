"""Numbers that are known while a program is translated."""

from __future__ import annotations

from retrograd.frontend.values.kinds import UNBOUND, Instance, Scalar, Static, Value, parts
from retrograd.frontend.values.objects import reachable
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit
from retrograd.ir.types import I64

__all__ = ["has_literals", "static_int"]


def static_int(value: Value) -> int | None:
    """The value of an int known at compile time."""
    if isinstance(value, Scalar) and isinstance(value.atom, Lit) and value.type == I64:
        return int(value.atom.value)
    if isinstance(value, Static) and isinstance(value.obj, int) and type(value.obj) is not int:
        return int(value.obj)  # a member of an IntEnum; of Python's ints only large ones are static
    return None


def has_literals(t: Tracer, value: Value) -> bool:
    """Whether an int known at compile time is among the parts of a value, or in its objects."""
    if static_int(value) is not None or any(has_literals(t, part) for part in parts(value)):
        return True
    if not isinstance(value, Instance):
        return False
    return any(
        _is_known(t.state.cells.get(cell, UNBOUND)) for cell in reachable(t.state.cells, [value])
    )


def _is_known(value: Value) -> bool:
    """Whether a literal is among the parts of a value, objects in it left out."""
    return static_int(value) is not None or any(map(_is_known, parts(value)))
