"""Methods of Python's own classes that stand for operators, called by name: `x.__len__()`."""

from __future__ import annotations

from retrograd.frontend.library.plain.spelt_out import OF_ARRAYS, OF_CONTAINERS
from retrograd.frontend.values.kinds import (
    Applied,
    ArrayRef,
    Instance,
    Static,
    Text,
    TupleValue,
    Value,
)

__all__ = ["spelt_out"]


def spelt_out(value: Value, name: str) -> Value | None:
    """The method of this name, bound to its object; None of objects with methods of their own."""
    match value:
        case ArrayRef():
            program = OF_ARRAYS.get(name)
        case Instance() | TupleValue() if value.cls in (list, dict, tuple):
            program = OF_CONTAINERS.get(name)
        case Static(obj=str()) | Text():
            program = OF_CONTAINERS.get(name)
        case _:
            program = None
    return None if program is None else Applied("partial", Static(program), (value,), ())
