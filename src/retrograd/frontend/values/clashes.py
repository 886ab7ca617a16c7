"""Values of two kinds that cannot be joined, and what to write instead."""

from __future__ import annotations

from retrograd.errors import UserError
from retrograd.frontend.values.iterators import USED
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Failure,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.tracer import Tracer

__all__ = ["clash"]


def clash(t: Tracer, named: str, where: str, h: Value, value: Value) -> UserError:
    """The error of a name, or of the value `named` "", that has values of two kinds."""
    if USED in (h, value):
        return t.error(
            "RG0101", f"an iterator is used up on one path only {where}",
            "make a list of it before: list(..)",
        )  # fmt: skip
    name = f"{named!r}" if named else "the value"
    one, two = describe(h), describe(value)
    if isinstance(h, Static) and isinstance(value, Static) and None not in (h.obj, value.obj):
        way_out = "choose between calls, not between functions"
        return t.error("RG0107", f"{name} is chosen at run time {where}", way_out)
    if isinstance(h, Failure) and isinstance(value, Failure):
        return t.error(
            "RG0127", f"one handler looks at {one}, and at {two}",
            "write a handler for each class",
        )  # fmt: skip
    message = f"{name} is {one} on one path and {two} on another {where}"
    if isinstance(h, ArrayRef) and isinstance(value, ArrayRef):
        way_out = "use one rank and one dtype: give the new array a name of its own"
    elif isinstance(h, Instance) and isinstance(value, Instance):
        way_out = "use one class, with an attribute that says which kind it is"
    else:
        way_out = _way_out(named, where, h, value)
    return t.error("RG0104", message, way_out)


def _way_out(named: str, where: str, h: Value, value: Value) -> str:
    """What to write where two kinds of values meet."""
    match h, value:
        case (Scalar(), ArrayRef()) | (ArrayRef(), Scalar()):
            rank = h.type.rank + value.type.rank
            if where == "of this loop" and named:
                return f"start with {named} = np.zeros(x.shape), an array of rank {rank}"
            return f"give both paths an array of rank {rank}: np.full(x.shape, number)"
        case (TupleValue(), TupleValue()):
            return "use a list, which may grow: l.append(x), or an array of a known size"
        case _:
            return f"use two names, one for {describe(h)} and one for {describe(value)}"
