"""Reading the arguments of a library call: names, literals, axes, shapes and dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.values.arrays import Index, extent, narrow, read
from retrograd.frontend.values.baked import known_int, require_known
from retrograd.frontend.values.extents import said
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.scalars import as_index
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, ilit
from retrograd.ir.types import MAX_RANK, DType

__all__ = [
    "axes_of",
    "bind",
    "bind_given",
    "dtype_from",
    "flag",
    "is_none",
    "no_more",
    "shape_of",
    "too_many_axes",
]

_DTYPES: Mapping[object, DType] = {
    float: DType.F64, np.float64: DType.F64, int: DType.I64, np.int64: DType.I64, bool: DType.BOOL,
    np.bool_: DType.BOOL,
}  # fmt: skip
_NAMES = {"float64": DType.F64, "int64": DType.I64, "bool": DType.BOOL}


def bind(
    t: Tracer,
    what: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    names: str,
    required: int = 1,
) -> list[Value | None]:
    """The arguments in the order of `names` (a string of words); None where not given."""
    order = names.split()
    if len(args) > len(order):
        raise t.error(
            "RG0108", f"{what} with {len(args)} arguments", f"it takes {', '.join(order)}"
        )
    found: list[Value | None] = [*args, *([None] * (len(order) - len(args)))]
    for name, value in kwargs.items():
        if name not in order:
            raise t.error(
                "RG0108", f"{what} with the argument {name!r} is not accepted",
                f"accepted are {', '.join(order)}",
            )  # fmt: skip
        if found[order.index(name)] is not None:
            raise t.error(
                "RG0108",
                f"{what} is given {name!r} twice",
                f"give {name!r} by position or by name, not both",
            )
        found[order.index(name)] = value
    for k in range(required):
        if found[k] is None:
            raise t.error(
                "RG0108", f"{what} lacks the argument {order[k]!r}", f"it takes {', '.join(order)}"
            )
    return found


def bind_given(
    t: Tracer, what: str, args: Sequence[Value], kwargs: Mapping[str, Value], names: str,
    required: int = 1,
) -> dict[str, Value]:  # fmt: skip
    """The arguments by their names, without those that are not given or None."""
    found = bind(t, what, args, kwargs, names, required)
    pairs = zip(names.split(), found, strict=True)
    return {name: value for name, value in pairs if value is not None and value != NONE}


def no_more(t: Tracer, what: str, kwargs: Mapping[str, Value]) -> None:
    """Refuses keyword arguments."""
    for name in kwargs:
        raise t.error(
            "RG0108", f"{what} with the argument {name!r} is not accepted", "leave it out"
        )


def is_none(value: Value | None) -> bool:
    """Whether an argument is absent or None."""
    return value is None or (isinstance(value, Static) and value.obj is None)


def flag(t: Tracer, value: Value | None, what: str) -> bool:
    """A truth value that must be known at compile time."""
    if is_none(value):
        return False
    if isinstance(value, Scalar):
        require_known(t, value)
    if isinstance(value, Scalar) and isinstance(value.atom, Lit):
        return bool(value.atom.value)
    raise t.error("RG0113", f"{what} must be a literal", "write True or False")


def axes_of(t: Tracer, value: Value | None, rank: int) -> tuple[int, ...]:
    """The axes of a reduction; all where none are given."""
    if is_none(value):
        return tuple(range(rank))
    entries = value.items if isinstance(value, TupleValue) else (value,)
    found: list[int] = []
    for entry in entries:
        axis = None if entry is None else known_int(t, entry)
        if axis is None:
            way_out = "write the number, or name its argument in static_argnames"
            raise t.error("RG0113", "an axis must be a literal", way_out)
        if not -rank <= axis < rank:
            raise t.error(
                "RG0108",
                f"axis {axis} is out of bounds for an array of rank {rank}",
                f"write an axis from {-rank} to {rank - 1}",
            )
        if axis % rank in found:
            raise t.error("RG0108", f"axis {axis} is there twice", "name each axis once")
        found.append(axis % rank)
    return tuple(sorted(found))


def too_many_axes(t: Tracer, rank: int) -> UserError:
    """The refusal of an array with more axes than there may be."""
    way_out = f"at most rank {MAX_RANK} is accepted"
    return t.error("RG0103", f"an array of rank {rank}", way_out)


def shape_of(t: Tracer, value: Value) -> tuple[Atom, ...]:
    """The extents that a shape argument gives."""
    match value:
        case TupleValue():
            entries = value.items
        case Scalar():
            entries = (value,)
        case ArrayRef() if value.type.rank == 1 and value.type.dtype is DType.I64:
            entries = _items(t, value)
        case _:
            raise t.error("RG0108", f"{describe(value)} as a shape", "write a tuple of ints")
    if len(entries) > MAX_RANK:
        raise too_many_axes(t, len(entries))
    return tuple(as_index(t, entry).atom for entry in entries)


def _items(t: Tracer, shape: ArrayRef) -> tuple[Value, ...]:
    """The elements of an array that is a shape."""
    count = said(t.ctx.prims, t.ctx.functions, t.b.stms, extent(t, shape, 0))
    if not isinstance(count, Lit):
        raise t.error(
            "RG0109", "a shape of which it is not known how many axes there are",
            "write a tuple of ints",
        )  # fmt: skip
    places = [Index(Scalar(ilit(k)), inside=True) for k in range(int(count.value))]
    return tuple(Scalar(read(t, narrow(t, shape, [place]))) for place in places)


def dtype_from(t: Tracer, value: Value | None, default: DType) -> DType:
    """The element type that a dtype argument names."""
    if value is None or is_none(value):
        return default
    found: DType | None = None
    if isinstance(value, Static):
        obj = value.obj
        if isinstance(obj, DType):
            found = obj
        elif isinstance(obj, str | np.dtype):
            found = _NAMES.get(_name_of(cast("object", obj)))
        else:
            found = _DTYPES.get(obj)
    if found is None:
        raise _no_dtype(t, value)
    return found


def _name_of(obj: object) -> str:
    """NumPy's name of what a dtype is written as, or none."""
    try:
        return np.dtype(cast("Any", obj)).name
    except TypeError:
        return ""


def _no_dtype(t: Tracer, value: Value) -> UserError:
    """The error of a dtype that is none here, or not for what is called."""
    name = _name_of(value.obj) if isinstance(value, Static) else ""
    if name.startswith(("float", "complex")):
        wider = "np.complex128" if name.startswith("complex") else "np.float64"
        way_out = f"there are floats of 64 bits only, which have more digits: use {wider}"
        return t.error("RG0103", f"the dtype {name} is not accepted", way_out)
    if name.startswith(("int", "uint")):
        message, way_out = f"the dtype {name} is not accepted here", "use np.int64"
        return t.error("RG0103", message, way_out)
    return t.error("RG0103", "this dtype is not accepted", "use float, int or bool (64 bits)")
