"""Frozen dataclasses and NamedTuples with methods of their own: where they are no plain tuples.

Both are values of fields (`TupleValue`). A frozen dataclass has no items, length or order unless
its class says so; a NamedTuple is a tuple but for what its class defines anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity import (
    masked_arrays,
    narrow_ints,
    sets,
    signatures,
    sparse_matrices,
)
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.values.kinds import Bound, Instance, TupleValue, Value
from retrograd.frontend.values.object_rows import held_by_name
from retrograd.frontend.values.tracer import Tracer

__all__ = ["by_method", "compares_fields", "held_by", "is_record", "own_method"]

_PLAIN = (tuple, list, slice)
_RECORDS = (
    masked_arrays.MODULE,
    narrow_ints.MODULE,
    sets.MODULE,
    signatures.MODULE,
    sparse_matrices.MODULE,
    "retrograd.frontend.library.plain.sparse_solvers",
)
"""Modules of ours whose dataclasses are those of a program."""


def is_record(value: Value) -> bool:
    """Whether it is a frozen dataclass of a program's, or stands for an object of SciPy's."""
    if not isinstance(value, TupleValue):
        return False
    cls = cast("Any", value.cls)
    plain: bool = issubclass(cls, _PLAIN)
    module = value.cls.__module__
    ours = module.startswith("retrograd.") and module not in _RECORDS
    return not plain and not ours and dataclasses.is_dataclass(cast("object", value.cls))


def own_method(value: Value, name: str) -> bool:
    """Whether the class of a frozen dataclass or NamedTuple defines a method in Python."""
    if not isinstance(value, TupleValue) or value.cls in _PLAIN:
        return False
    holder = next((base for base in value.cls.__mro__ if name in vars(base)), object)
    found = vars(holder).get(name)
    return isinstance(found, FunctionType) and package_of(found) is None and not _written(found)


def by_method(t: Tracer, value: Value, name: str, *args: Value) -> Value | None:
    """What such a method gives; None where there is none."""
    return t.call(Bound(value, name), args, {}) if own_method(value, name) else None


def compares_fields(value: Value, name: str) -> tuple[str, ...] | None:
    """The fields that a comparison looks at which `dataclass` has written; None of all else."""
    if not isinstance(value, TupleValue | Instance):
        return None
    holder = next((base for base in value.cls.__mro__ if name in vars(base)), object)
    found = vars(holder).get(name)
    if not isinstance(found, FunctionType) or not _written(found):
        return None
    if not dataclasses.is_dataclass(cast("object", holder)):
        return None
    return tuple(f.name for f in dataclasses.fields(cast("Any", holder)) if f.compare)


def held_by(t: Tracer, value: Instance | TupleValue, names: Sequence[str]) -> TupleValue:
    """What is in some fields."""
    if isinstance(value, Instance):
        return TupleValue(tuple(held_by_name(t, value, name) for name in names))
    every = [f.name for f in dataclasses.fields(cast("Any", value.cls))]
    return TupleValue(tuple(value.items[every.index(name)] for name in names))


def _written(function: FunctionType) -> bool:
    """Whether `dataclass` or `NamedTuple` has written a function."""
    return function.__code__.co_filename.startswith("<string>")
