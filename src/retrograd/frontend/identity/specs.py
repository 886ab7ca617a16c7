"""What a function is specialised on: the tree of its argument types, read off actual values.

A new kind of compound is a class with `items`, a case of `spec_of`, and one each of `items_in` and
`put_together` in `flattening`, of `retrograd.frontend.values.outside.Outside` and of
`retrograd.frontend.values.trees.of_spec`.
"""

from __future__ import annotations

import re
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, partial
from types import BuiltinFunctionType, EllipsisType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from retrograd.errors import Span, UserError
from retrograd.frontend.identity import given_lists, masked_outside, sparse_matrices
from retrograd.frontend.identity.frozen_laws import frozen_of
from retrograd.frontend.identity.keys import is_key, same_constant, same_keys
from retrograd.frontend.identity.masked_arrays import MaskedArray
from retrograd.frontend.identity.narrow_ints import NarrowArray, is_narrow, parts_of
from retrograd.frontend.identity.objects import (
    attributes,
    is_object,
    is_outlet,
    package_of_class,
    why_not,
)
from retrograd.frontend.identity.outside_curves import is_curve
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.sets import FrozenSet, GivenSet, given_items, is_given_set
from retrograd.frontend.identity.transformed import Baked, Rerun, Ruled, Transformed, Vectorised
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type
from retrograd.options.saving import Policy

__all__ = [
    "CACHED", "DICTS", "DISPATCHED", "SAME_METHODS", "ArgSpec", "ComplexSpec", "Compound",
    "DictSpec", "GivenSpec", "LeafSpec", "Met", "OpaqueSpec", "SameSpec", "StaticSpec",
    "TreeSpec", "TupleSpec",
    "is_static", "python_of", "spec_of", "specs_of",
]  # fmt: skip

DISPATCHED = cast("type[Any]", type(np.mean))
"""The class of NumPy's functions of arrays."""

SAME_METHODS = (
    "make it in the function, of a seed: np.random.default_rng(seed), rg.random.default_rng(seed)"
)
"""The way out of drawing from a state that a program does not see."""


@dataclass(frozen=True, slots=True)
class LeafSpec:
    """A scalar (rank 0) or an array; one parameter of the program.

    `extents` are those of an array for which alone the program is, where they decide what it is;
    of a large one only that axes have length one, None for others. `alike` says which extents of a
    call's arrays are equal, for which alone the program is, too: those with the same number. -n is
    an extent of n, which no other number stands for. `late`: the program may be refused when it
    gets to a place that it cannot pass, as the last way to translate it. `numpy`: whether a number
    is NumPy's or Python's, for which alone the program is, where that decides what it is.
    """

    type: Type
    extents: tuple[int | None, ...] | None = None
    alike: tuple[int, ...] | None = None
    late: bool = False
    numpy: bool | None = None


@dataclass(frozen=True, slots=True)
class TupleSpec:
    """A tuple, list, NamedTuple or frozen dataclass (`cls`)."""

    items: tuple[ArgSpec, ...]
    cls: type[Any] = tuple


@dataclass(frozen=True, slots=True, eq=False)
class DictSpec:
    """A dict with these keys, in the order of insertion, which iteration shows.

    `cls` is one of `DICTS`; a `defaultdict` calls
    `default` for other keys.
    """

    keys: tuple[Any, ...]
    items: tuple[ArgSpec, ...]
    cls: type[Any] = dict
    default: Any = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DictSpec)
            and self.items == other.items
            and same_keys(self.keys, other.keys)
            and self.cls is other.cls
            and self.default is other.default
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
        if is_static(self.obj):
            return id(self.obj)
        return hash(repr(self.obj) if type(self.obj) is slice else self.obj)


@dataclass(frozen=True, slots=True)
class TreeSpec:
    """An object of a plain class, with the attributes that it has, in the order of their names."""

    cls: type[Any]
    names: tuple[str, ...]
    items: tuple[ArgSpec, ...]


@dataclass(frozen=True, slots=True)
class ComplexSpec:
    """A complex number or an array of them: the parameters are its two parts."""

    items: tuple[ArgSpec, ...]

    @staticmethod
    def of_rank(rank: int) -> ComplexSpec:
        """That of a number (rank 0) or an array."""
        return ComplexSpec((LeafSpec(Type(DType.F64, rank)), LeafSpec(Type(DType.F64, rank))))


@dataclass(frozen=True, slots=True)
class SameSpec:
    """The object that was met as the one of that number, again; no parameter."""

    number: int


@dataclass(frozen=True, slots=True)
class GivenSpec:
    """In what a function returns, or leaves in attributes: the array that is its parameter of that
    number."""

    position: int


@dataclass(frozen=True, slots=True)
class OpaqueSpec:
    """An attribute of an object that is no value of a program, and refused where it is read."""

    kind: str
    way_out: str


ArgSpec = (
    LeafSpec | TupleSpec | DictSpec | TreeSpec | SameSpec | GivenSpec | OpaqueSpec | StaticSpec
    | ComplexSpec
)  # fmt: skip
Compound = TupleSpec | DictSpec | TreeSpec | ComplexSpec


@dataclass(slots=True)
class Met:
    """The objects that have been met in the values of one call, by `id`.

    `literal`: ints and bools in trees and objects are part of the program; `sized`: so are the
    extents of small arrays, and which axes of others have length one. `lengths`: a number for each
    extent, where it is to be known which are equal; so many are `known` from the beginning.
    `kinds`: whether numbers are NumPy's is part of the program. `late`: see `LeafSpec`. `opens`:
    how lists are given.
    """

    numbers: dict[int, int] = field(default_factory=dict[int, int])
    literal: bool = False
    sized: bool = False
    lengths: dict[int, int] | None = None
    known: int = 0
    late: bool = False
    kinds: bool = False
    opens: given_lists.Opens = given_lists.Opens.NO

    def number(self, type_: Type, value: object) -> LeafSpec:
        """The spec of a number."""
        return LeafSpec(
            type_, late=self.late, numpy=isinstance(value, np.generic) if self.kinds else None
        )

    @staticmethod
    def whole(
        literal: bool = False,
        sized: bool = False,
        late: bool = False,
        kinds: bool = False,
        opens: given_lists.Opens = given_lists.Opens.NO,
        constants: frozenset[int] = frozenset(),
    ) -> Met:
        """For all arguments of a call: which extents are equal, and which are of `constants`."""
        lengths = _known_up_to(SMALL) | {n: -n for n in constants if n > 0}
        return Met({}, literal, sized, lengths, len(lengths), late, kinds, opens)

    @staticmethod
    def read(
        name: str, literal: bool = False, opens: given_lists.Opens = given_lists.Opens.NO
    ) -> Met:
        """For one value that is read at every call by this name. A name in capitals is a constant,
        of which more extents are known."""
        most = SMALL_CONSTANT if name.isupper() else SMALL
        return Met({}, literal, lengths=_known_up_to(most), known=most, opens=opens)

    def alike(self, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """The numbers of the extents of an array."""
        lengths = self.lengths
        if lengths is None or not shape:
            return None
        return tuple([lengths.setdefault(n, len(lengths) - self.known) for n in shape])


def _known_up_to(most: int) -> dict[int, int]:
    """Extents that are what they are, by negative numbers."""
    return {n: -n for n in range(1, most + 1)}


SMALL = 4
"""Extents up to which a program is for that extent alone: those of points and rotations, which are
not what is varied. It is shorter and faster then."""

SMALL_CONSTANT = 64
"""The same of arrays whose names say that they are constants."""

DICTS = (dict, defaultdict, Counter, OrderedDict)
"""The classes of dicts that a program may be given and change."""

CACHED = type(cache(len))
"""The class of functions that remember their results."""

_MOST_SIZED = 64
"""Elements of an array of which all extents may be part of a program."""

_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1


def python_of(value: object) -> FunctionType | None:
    """The Python function that numba has compiled another one from; None for what is not numba's.

    numba need not be there: it is recognised by the name of its package.
    """
    if type(value).__module__.partition(".")[0] != "numba":
        return None
    found: object = getattr(value, "py_func", None)
    return found if isinstance(found, FunctionType) else None


def is_static(value: object) -> bool:
    """Whether a value is a function or the like, which the program bakes in."""
    kinds = (
        FunctionType, BuiltinFunctionType, ModuleType, Transformed, Vectorised, Rerun, Ruled,
        Policy, np.ufunc, DISPATCHED, np.vectorize, EllipsisType, type, Enum, partial, CACHED,
        Baked, re.Pattern, types.GenericAlias, types.UnionType,
    )  # fmt: skip
    of_scipy_fft_or_kinds = type(value).__module__ in ("uarray", "typing")
    alone = value is None or type(value) is object or of_scipy_fft_or_kinds
    return alone or isinstance(value, kinds) or frozen_of(value) is not None or is_curve(value)


def spec_of(
    value: object, what: str = "the argument", span: Span | None = None, met: Met | None = None
) -> ArgSpec:
    """The spec of an actual value; UserError with a way out for what is not accepted.

    `met`: the objects in other values of the same call, which may be here again.
    """
    if isinstance(value, Enum):
        return StaticSpec(value)
    met = met or Met()
    match value:
        case bool() | np.bool_():
            return met.number(BOOL, value)
        case int() | np.integer():
            if not _I64_MIN <= int(cast("int", value)) <= _I64_MAX:
                raise _refused(what, "an int of more than 64 bits", "pass a float", span)
            return met.number(I64, value)
        case float():
            return met.number(F64, value)
        case np.floating():
            raise _refused(what, f"a {type(value).__name__}", "pass float(x)", span)
        case complex():
            return ComplexSpec.of_rank(0)
        case np.ndarray() if not masked_outside.is_masked(cast("object", value)):
            return _array_spec(cast("np.ndarray[Any, Any]", value), what, span, met)
        case tuple() | list():
            return _tuple_spec(cast("Sequence[object]", value), what, span, met)
        case set() | frozenset() if is_given_set(cast("object", value)):
            return _set_spec(cast("set[object]", value))
        case dict() if sparse_matrices.of_scipy(cast("object", value)) is None:
            return _dict_spec(cast("dict[Any, object]", value), what, span, met)
        case _:
            return _other_spec(value, what, span, met)


def _masked_spec(value: Any, what: str, span: Span | None, met: Met) -> TupleSpec:
    if (kind := masked_outside.why_masked_is_not(value)) is not None:
        raise _refused(what, kind, "pass x.filled(value), and the mask besides", span)
    parts = masked_outside.parts_of(value)
    return TupleSpec(tuple(spec_of(part, what, span, met) for part in parts), MaskedArray)


def specs_of(args: Sequence[object], constants: frozenset[int] = frozenset()) -> list[ArgSpec]:
    """The specs of the positional arguments of a call (`Met.whole`)."""
    met = Met.whole(constants=constants)
    return [spec_of(value, f"argument {k}", met=met) for k, value in enumerate(args)]


def _set_spec(value: set[object]) -> TupleSpec:
    inside = TupleSpec(tuple(map(StaticSpec, given_items(value))))
    return TupleSpec((inside, StaticSpec(True)), GivenSet if type(value) is set else FrozenSet)


def _array_spec(array: np.ndarray[Any, Any], what: str, span: Span | None, met: Met) -> ArgSpec:
    if array.ndim and is_narrow(array):
        return TupleSpec(
            tuple(spec_of(part, what, span, met) for part in parts_of(array)), NarrowArray
        )
    if array.dtype == np.complex128:
        return ComplexSpec.of_rank(_array_type(array.real, what, span).rank)
    type_, alike = _array_type(array, what, span), met.alike(array.shape)
    if not met.sized or array.ndim == 0:
        return LeafSpec(type_, None, alike, met.late)
    small = array.size <= _MOST_SIZED
    known = tuple([n if small or n == 1 else None for n in array.shape])
    return LeafSpec(type_, known, alike, met.late)


def _other_spec(value: object, what: str, span: Span | None, met: Met) -> ArgSpec:
    if (cls := sparse_matrices.of_scipy(value)) is not None:
        if (kind := sparse_matrices.why_not(value)) is not None:
            raise _refused(what, kind, "pass a matrix of floats, ints or bools: float64", span)
        parts = sparse_matrices.parts_in(value)
        return TupleSpec(tuple(spec_of(part, what, span, met) for part in parts), cls)
    if masked_outside.is_masked(value):
        return _masked_spec(value, what, span, met)
    if (names := _dataclass_fields(value)) is not None:
        specs = [_item_spec(getattr(value, n), f"{what}.{n}", span, met) for n in names]
        return TupleSpec(tuple(specs), type(value))
    if is_static(value) or type(value) is str or is_outlet(value) or _is_of_places(value):
        return StaticSpec(value)
    if is_object(value):
        return _tree_spec(value, what, span, met)
    raise _refused(what, *_advice(value), span)


def _is_of_places(value: object) -> bool:
    """Whether a value is a range, or a slice whose ends are ints or left out."""
    match value:
        case range():
            return True
        case slice():
            part = cast("slice[object, object, object]", value)
            ends = (part.start, part.stop, part.step)
            return all(end is None or isinstance(end, int) for end in ends)
        case _:
            return False


def _tuple_spec(value: Sequence[object], what: str, span: Span | None, met: Met) -> TupleSpec:
    cls = type(value)
    if cls not in (tuple, list) and fields_of(cls) is None:
        raise _refused(what, f"a {cls.__name__}", "pass a plain tuple", span)
    if met.opens and cls is list:
        if met.opens is given_lists.Opens.ROWS and (kind := given_lists.kind_of(value)) is not None:
            return TupleSpec((_columns_spec(kind), LeafSpec(I64)), given_lists.GivenBuffer)
        cls = given_lists.GivenItems
    specs = [_item_spec(v, f"{what}[{k}]", span, met) for k, v in enumerate(value)]
    return TupleSpec(tuple(specs), cls)


def _columns_spec(kind: given_lists.Kind) -> ArgSpec:
    if isinstance(kind, tuple):
        return TupleSpec(tuple(map(_columns_spec, kind)))
    return LeafSpec({float: F64, int: I64, bool: BOOL}[kind].with_rank(1))


def _item_spec(value: object, what: str, span: Span | None, met: Met) -> ArgSpec:
    literal = met.literal and isinstance(value, int)
    return StaticSpec(value) if literal else spec_of(value, what, span, met)


def _dict_spec(
    value: dict[Any, object], what: str, span: Span | None, met: Met
) -> DictSpec | TreeSpec | SameSpec:
    if type(value) not in DICTS and is_object(value):
        return _tree_spec(value, what, span, met)
    if type(value) not in DICTS:
        raise _refused(what, f"a {type(value).__name__}", "pass a plain dict: dict(d)", span)
    default: object = value.default_factory if isinstance(value, defaultdict) else None
    if not is_static(default):
        kind = f"a defaultdict whose factory is a {type(default).__name__}"
        raise _refused(what, kind, "use a function, or a class such as float or list", span)
    if wrong := [type(key).__name__ for key in value if not is_key(key)]:
        kind = f"a dict with a key of type {wrong[0]}"
        raise _refused(what, kind, "use text or ints for keys", span)
    items = [_item_spec(item, f"{what}[{key!r}]", span, met) for key, item in value.items()]
    return DictSpec(tuple(value), tuple(items), type(value), default)


def _tree_spec(value: object, what: str, span: Span | None, met: Met) -> TreeSpec | SameSpec:
    known = met.numbers.get(id(value))
    if known is not None:
        return SameSpec(known)
    met.numbers[id(value)] = len(met.numbers)
    held = attributes(value)
    items = tuple(_attribute_spec(item, f"{what}.{n}", span, met) for n, item in held.items())
    return TreeSpec(type(value), tuple(held), items)


def _attribute_spec(value: object, what: str, span: Span | None, met: Met) -> ArgSpec:
    before = len(met.numbers)
    try:
        return _item_spec(value, what, span, met)
    except UserError as error:
        for key in [key for key, number in met.numbers.items() if number >= before]:
            del met.numbers[key]
        kind = error.message.removesuffix(", which is not accepted").partition(" is ")[2]
        return OpaqueSpec(kind, error.way_out or "")


_NO_RECORDS = (type, Transformed, Vectorised, Rerun, Ruled, Policy, Baked, tuple)


def _dataclass_fields(value: object) -> tuple[str, ...] | None:
    if isinstance(value, _NO_RECORDS):
        return None
    return fields_of(type(value))


def _advice(value: object) -> tuple[str, str]:
    """What a refused value is, and what to pass instead."""
    name = type(value).__name__
    match value:
        case np.complexfloating():
            return f"a {name}", "pass complex(z)"
        case bytes():
            return "bytes", "pass a text, or numbers"
        case _ if type(value).__module__.startswith(("numpy.random", "random")):
            return f"a {name}, which draws from a state", SAME_METHODS
        case _ if package_of_class(type(value)) is None and (found := why_not(type(value))):
            return f"a {name} ({found[0]})", found[1]
        case _:
            return f"a {name}", "pass numbers, NumPy arrays, and tuples, lists or dicts of them"


def _array_type(array: np.ndarray[Any, Any], what: str, span: Span | None) -> Type:
    # `np.ma` is loaded by naming it, which takes long: only where the array may be one.
    plain = type(cast("object", array)) is np.ndarray
    if not plain and isinstance(array, np.ma.MaskedArray | np.matrix):
        kind = f"a {type(array).__name__}"
        raise _refused(what, kind, "pass a plain array: x.filled(0.0), or np.asarray(x)", span)
    if not plain and package_of_class(type(array)) is None:
        kind = f"a {type(array).__name__}, a class of its own with np.ndarray as its base"
        raise _refused(what, kind, "pass np.asarray(x)", span)
    found = {"f8": DType.F64, "i8": DType.I64, "b1": DType.BOOL}.get(array.dtype.str[1:])
    if found is None:
        name = str(array.dtype)
        if array.dtype.kind in "fiu":
            dtype = "np.float64" if array.dtype.kind == "f" else "np.int64"
            advice = f"convert it with x.astype({dtype})"
        elif array.dtype.kind == "c":
            advice = "convert it with z.astype(complex)"
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
