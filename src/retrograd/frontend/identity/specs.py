"""What a function is specialised on: the tree of its argument types, read off actual values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.transformed import Ruled, Transformed, Vectorised
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type

__all__ = [
    "ArgSpec", "LeafSpec", "StaticSpec", "TupleSpec", "field_default", "fields_of", "is_static",
    "leaf_types", "leaves", "make", "spec_of", "unflatten",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeafSpec:
    """A scalar (rank 0) or an array; one parameter of the program."""

    type: Type


@dataclass(frozen=True, slots=True)
class TupleSpec:
    """A tuple, list, NamedTuple or frozen dataclass (`cls`)."""

    items: tuple[ArgSpec, ...]
    cls: type[Any] = tuple


@dataclass(frozen=True, slots=True, eq=False)
class StaticSpec:
    """A baked value (a function, None, ...), compared by identity; no parameter."""

    obj: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticSpec) and self.obj is other.obj

    def __hash__(self) -> int:
        return id(self.obj)


ArgSpec = LeafSpec | TupleSpec | StaticSpec

_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1


def fields_of(cls: type[Any]) -> tuple[str, ...] | None:
    """The field names of a NamedTuple class or a frozen dataclass; None for other classes."""
    names: tuple[str, ...] | None = getattr(cls, "_fields", None)
    if names is not None and tuple in cls.__mro__:
        return names
    params: object = getattr(cls, "__dataclass_params__", None)
    if params is not None and getattr(params, "frozen", False):
        return tuple(f.name for f in dataclasses.fields(cast("Any", cls)))
    return None


def field_default(cls: type[Any], name: str) -> object:
    """The default of a field of a NamedTuple or a dataclass; no number where there is none."""
    defaults: Mapping[str, object] = getattr(cls, "_field_defaults", {})
    return defaults.get(name, getattr(cls, name, None))


def is_static(value: object) -> bool:
    """Whether a value is a function or the like, which the program bakes in."""
    kinds = (
        FunctionType,
        BuiltinFunctionType,
        ModuleType,
        Transformed,
        Vectorised,
        Ruled,
        np.ufunc,
        type,
    )
    return value is None or isinstance(value, kinds)


def spec_of(value: object, what: str = "the argument", span: Span | None = None) -> ArgSpec:
    """The spec of an actual value; UserError with a way out for what is not accepted."""
    match value:
        case bool() | np.bool_():
            return LeafSpec(BOOL)
        case int() | np.integer():
            if not _I64_MIN <= int(cast("int", value)) <= _I64_MAX:
                raise _refused(what, "an int of more than 64 bits", "pass a float", span)
            return LeafSpec(I64)
        case np.float64():
            return LeafSpec(F64)
        case np.floating():
            kind = type(cast("object", value)).__name__
            raise _refused(what, f"a {kind}", "pass float(x)", span)
        case float():
            return LeafSpec(F64)
        case np.ndarray():
            return LeafSpec(_array_type(cast("np.ndarray[Any, Any]", value), what, span))
        case tuple() | list():
            items = cast("Sequence[object]", value)
            cls = type(cast("object", value))
            if cls not in (tuple, list) and fields_of(cls) is None:
                raise _refused(what, f"a {cls.__name__}", "pass a plain tuple", span)
            specs = [spec_of(v, f"{what}[{k}]", span) for k, v in enumerate(items)]
            return TupleSpec(tuple(specs), cls)
        case _ if (names := _dataclass_fields(value)) is not None:
            specs = [spec_of(getattr(value, n), f"{what}.{n}", span) for n in names]
            return TupleSpec(tuple(specs), type(value))
        case _ if is_static(value):
            return StaticSpec(value)
        case _:
            raise _refused(what, *_advice(value), span)


def _dataclass_fields(value: object) -> tuple[str, ...] | None:
    if isinstance(value, type | Transformed | Vectorised | Ruled | tuple):
        return None
    return fields_of(type(value))


def _advice(value: object) -> tuple[str, str]:
    """What a refused value is, and what to pass instead."""
    name = type(value).__name__
    match value:
        case complex() | np.complexfloating():
            return "a complex number", "pass its real and imaginary parts as two floats"
        case str() | bytes():
            return "a string", "close over it, or pass a number that says the same"
        case dict():
            return "a dict", "pass a tuple or a NamedTuple"
        case _ if dataclasses.is_dataclass(value):
            return f"a {name}, a dataclass that can change", "declare it with `frozen=True`"
        case _:
            return f"a {name}", "pass numbers, NumPy arrays, tuples or NamedTuples of them"


def _array_type(array: np.ndarray[Any, Any], what: str, span: Span | None) -> Type:
    # `np.ma` is loaded by naming it, which takes long: only where the array may be one.
    plain = type(cast("object", array)) is np.ndarray
    if not plain and isinstance(array, np.ma.MaskedArray | np.matrix):
        kind = f"a {type(array).__name__}"
        raise _refused(what, kind, "pass a plain array: x.filled(0.0), or np.asarray(x)", span)
    found = {"f8": DType.F64, "i8": DType.I64, "b1": DType.BOOL}.get(array.dtype.str[1:])
    if found is None:
        name = str(array.dtype)
        if array.dtype.kind in "fiu":
            dtype = "np.float64" if array.dtype.kind == "f" else "np.int64"
            advice = f"convert it with x.astype({dtype})"
        elif array.dtype.kind == "c":
            advice = "pass the real and imaginary parts as two arrays"
        elif array.dtype.kind == "O":
            advice = "make a numeric array of it: np.array(x, dtype=float)"
        else:
            advice = "pass an array of float64, int64 or bool"
        raise _refused(what, f"an array of dtype {name}", advice, span)
    if array.ndim > MAX_RANK:
        kind = f"an array of rank {array.ndim}"
        raise _refused(what, kind, f"reshape it to rank {MAX_RANK} or less", span)
    return Type(found, array.ndim)


def _refused(what: str, kind: str, way_out: str, span: Span | None) -> UserError:
    return UserError("RG0103", f"{what} is {kind}, which is not accepted", span, way_out)


def leaf_types(spec: ArgSpec) -> Iterator[Type]:
    """The types of the program's parameters that a spec stands for, in order."""
    match spec:
        case LeafSpec():
            yield spec.type
        case TupleSpec():
            for item in spec.items:
                yield from leaf_types(item)
        case StaticSpec():
            return


def leaves(spec: ArgSpec, value: Any) -> Iterator[Any]:
    """The leaves of `value`, which has the given spec, in the order of `leaf_types`."""
    match spec:
        case LeafSpec():
            yield value
        case TupleSpec():
            names = None if issubclass(spec.cls, tuple | list) else fields_of(spec.cls)
            for k, item in enumerate(spec.items):
                yield from leaves(item, value[k] if names is None else getattr(value, names[k]))
        case StaticSpec():
            return


def make(cls: type[Any], items: Sequence[Any]) -> Any:
    """An instance of a tuple class, list or frozen dataclass from its items."""
    build: Callable[..., Any] = cls
    plain = cls is tuple or cls is list
    return build(items) if plain else build(*items)


def unflatten(spec: ArgSpec, values: Iterator[Any]) -> Any:
    """The value of that spec with its leaves taken from `values`."""
    match spec:
        case LeafSpec():
            return next(values)
        case TupleSpec():
            items = [
                next(values) if type(item) is LeafSpec else unflatten(item, values)
                for item in spec.items
            ]
            return tuple(items) if spec.cls is tuple else make(spec.cls, items)
        case StaticSpec():
            return spec.obj
