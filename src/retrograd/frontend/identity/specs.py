"""What a function is specialised on: the tree of its argument types, read off actual values.

A new kind of compound is a class with `items`, a case of `spec_of`, and one each of `items_in`,
`put_together`, `retrograd.frontend.values.scopes.abstract_of_spec` and
`retrograd.frontend.values.trees.of_spec`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.keys import is_key, same_constant, same_keys
from retrograd.frontend.identity.transformed import Baked, Ruled, Transformed, Vectorised
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type

__all__ = [
    "CACHED", "SAME_METHODS", "ArgSpec", "DictSpec", "LeafSpec", "StaticSpec", "TupleSpec",
    "cotangent_spec", "field_default", "fields_of", "is_static", "items_in", "leaf_types", "leaves",
    "make", "mapped", "put_together", "spec_of", "unflatten",
]  # fmt: skip

SAME_METHODS = "rg.random.default_rng(seed) has the same methods (other numbers)"
"""The way out of drawing from a state that a program does not see."""


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
class DictSpec:
    """A dict with these keys, in the order of insertion, which iteration shows."""

    keys: tuple[Any, ...]
    items: tuple[ArgSpec, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DictSpec)
            and self.items == other.items
            and same_keys(self.keys, other.keys)
        )

    def __hash__(self) -> int:
        return hash((self.keys, self.items))


@dataclass(frozen=True, slots=True, eq=False)
class StaticSpec:
    """A baked value; no parameter. Functions and the like are compared by identity, all others
    (text, numbers and tuples that are static arguments) by equality and type."""

    obj: object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StaticSpec):
            return False
        same = self.obj is other.obj
        return same or (not is_static(self.obj) and same_constant(self.obj, other.obj))

    def __hash__(self) -> int:
        return id(self.obj) if is_static(self.obj) else hash(self.obj)


ArgSpec = LeafSpec | TupleSpec | DictSpec | StaticSpec

CACHED = type(cache(len))
"""The class of functions that remember their results."""

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
        Enum,
        partial,
        CACHED,
        Baked,
    )
    return value is None or isinstance(value, kinds)


def spec_of(value: object, what: str = "the argument", span: Span | None = None) -> ArgSpec:
    """The spec of an actual value; UserError with a way out for what is not accepted."""
    if isinstance(value, Enum):
        return StaticSpec(value)
    match value:
        case bool() | np.bool_():
            return LeafSpec(BOOL)
        case int() | np.integer():
            if not _I64_MIN <= int(cast("int", value)) <= _I64_MAX:
                raise _refused(what, "an int of more than 64 bits", "pass a float", span)
            return LeafSpec(I64)
        case float():
            return LeafSpec(F64)
        case np.floating():
            kind = type(cast("object", value)).__name__
            raise _refused(what, f"a {kind}", "pass float(x)", span)
        case np.ndarray():
            return LeafSpec(_array_type(cast("np.ndarray[Any, Any]", value), what, span))
        case tuple() | list():
            return _tuple_spec(cast("Sequence[object]", value), what, span)
        case dict():
            return _dict_spec(cast("dict[Any, object]", value), what, span)
        case _ if (names := _dataclass_fields(value)) is not None:
            specs = [spec_of(getattr(value, n), f"{what}.{n}", span) for n in names]
            return TupleSpec(tuple(specs), type(value))
        case _ if is_static(value) or type(value) is str:
            return StaticSpec(value)
        case _:
            raise _refused(what, *_advice(value), span)


def _tuple_spec(value: Sequence[object], what: str, span: Span | None) -> TupleSpec:
    cls = type(value)
    if cls not in (tuple, list) and fields_of(cls) is None:
        raise _refused(what, f"a {cls.__name__}", "pass a plain tuple", span)
    specs = [spec_of(v, f"{what}[{k}]", span) for k, v in enumerate(value)]
    return TupleSpec(tuple(specs), cls)


def _dict_spec(value: dict[Any, object], what: str, span: Span | None) -> DictSpec:
    if type(value) is not dict:
        kind = f"a {type(value).__name__}"
        raise _refused(what, kind, "pass a plain dict: dict(d)", span)
    for key in value:
        if not is_key(key):
            kind = f"a dict with a key of type {type(key).__name__}"
            raise _refused(what, kind, "use text or ints for keys", span)
    items = [spec_of(item, f"{what}[{key!r}]", span) for key, item in value.items()]
    return DictSpec(tuple(value), tuple(items))


def _dataclass_fields(value: object) -> tuple[str, ...] | None:
    if isinstance(value, type | Transformed | Vectorised | Ruled | Baked | tuple):
        return None
    return fields_of(type(value))


def _advice(value: object) -> tuple[str, str]:
    """What a refused value is, and what to pass instead."""
    name = type(value).__name__
    match value:
        case complex() | np.complexfloating():
            return "a complex number", "pass its real and imaginary parts as two floats"
        case bytes():
            return "bytes", "pass a text, or numbers"
        case _ if dataclasses.is_dataclass(value):
            return f"a {name}, a dataclass that can change", "declare it with `frozen=True`"
        case _ if type(value).__module__.startswith(("numpy.random", "random")):
            return f"a {name}, which draws from a state", SAME_METHODS
        case _:
            return f"a {name}", "pass numbers, NumPy arrays, and tuples, lists or dicts of them"


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


# Trees. Whatever walks over specs and values at once does it by these functions, so that they are
# the only ones to know how a compound value is taken apart and put together.


def items_in(spec: ArgSpec, value: Any) -> Sequence[Any]:
    """The values directly inside `value`, which has the given spec, in the order of its items."""
    match spec:
        case TupleSpec():
            names = None if issubclass(spec.cls, tuple | list) else fields_of(spec.cls)
            return value if names is None else [getattr(value, name) for name in names]
        case DictSpec():
            return [value[key] for key in spec.keys]
        case _:
            return ()


def make(cls: type[Any], items: Sequence[Any]) -> Any:
    """An instance of a tuple class, list or frozen dataclass from its items."""
    build: Callable[..., Any] = cls
    plain = cls is tuple or cls is list
    return build(items) if plain else build(*items)


def put_together(spec: TupleSpec | DictSpec, items: Sequence[Any]) -> Any:
    """A value of that spec from those directly inside it."""
    if isinstance(spec, DictSpec):
        return dict(zip(spec.keys, items, strict=True))
    return tuple(items) if spec.cls is tuple else make(spec.cls, items)


def mapped(spec: ArgSpec, leaf: Callable[[LeafSpec | StaticSpec], ArgSpec]) -> ArgSpec:
    """The spec with what is no compound replaced, from left to right."""
    if isinstance(spec, TupleSpec | DictSpec):
        return dataclasses.replace(spec, items=tuple(mapped(item, leaf) for item in spec.items))
    return leaf(spec)


def cotangent_spec(spec: ArgSpec) -> ArgSpec:
    """The tree of gradients: None where there is no float."""

    def leaf(one: LeafSpec | StaticSpec) -> ArgSpec:
        return one if isinstance(one, LeafSpec) and one.type.is_float else StaticSpec(None)

    return mapped(spec, leaf)


def leaf_types(spec: ArgSpec) -> Iterator[Type]:
    """The types of the program's parameters that a spec stands for, in order."""
    match spec:
        case LeafSpec():
            yield spec.type
        case TupleSpec() | DictSpec():
            for item in spec.items:
                yield from leaf_types(item)
        case StaticSpec():
            return


def leaves(spec: ArgSpec, value: Any) -> Iterator[Any]:
    """The leaves of `value`, which has the given spec, in the order of `leaf_types`."""
    match spec:
        case LeafSpec():
            yield value
        case TupleSpec() | DictSpec():
            for item, inner in zip(spec.items, items_in(spec, value), strict=True):
                yield from leaves(item, inner)
        case StaticSpec():
            return


def unflatten(spec: ArgSpec, values: Iterator[Any]) -> Any:
    """The value of that spec with its leaves taken from `values`."""
    match spec:
        case LeafSpec():
            return next(values)
        case TupleSpec() | DictSpec():
            items = [
                next(values) if type(item) is LeafSpec else unflatten(item, values)
                for item in spec.items
            ]
            return put_together(spec, items)
        case StaticSpec():
            return spec.obj
