"""What Python says of the kind of a value: `isinstance`, `type`, and attributes by their names.

Kinds are known when a program is translated, so the answers are constants of it. A number of the
program is Python's and NumPy's at once; where the two give different answers, there is none.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from enum import EnumType
from types import FunctionType, ModuleType, UnionType
from typing import Any, Union, cast, get_args, get_origin

import numpy as np

from retrograd.frontend.identity.containers import stands_for
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.masked_arrays import is_of_numpy
from retrograd.frontend.identity.narrow_ints import NarrowArray
from retrograd.frontend.identity.object_arrays import TextArray
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.sparse_matrices import is_of_layout
from retrograd.frontend.identity.surroundings import ABSENT
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.complexes import is_both
from retrograd.frontend.library.instances import asked_for_others, set_attribute
from retrograd.frontend.library.methods import attribute_of
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.complexes import is_mixed
from retrograd.frontend.values.function_attributes import is_given
from retrograd.frontend.values.kinds import (
    NONE,
    Applied,
    ArrayRef,
    Bound,
    Closure,
    ComplexValue,
    Enumerate,
    Failure,
    Instance,
    Maybe,
    RangeValue,
    Scalar,
    Static,
    Text,
    Transform,
    TupleValue,
    Unbound,
    Value,
    Zip,
    describe,
)  # fmt: skip
from retrograd.frontend.values.numbers import is_python, may_be_array
from retrograd.frontend.values.object_rows import is_row
from retrograd.frontend.values.scopes import is_space, literal
from retrograd.frontend.values.tracer import Handler, NeedKinds, PathEnds, Tracer
from retrograd.ir.terms import Lit
from retrograd.ir.types import BOOL, F64, I64

__all__ = ["TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]

_NUMBERS: Mapping[object, tuple[type, type]] = {
    F64: (float, np.float64), I64: (int, np.int64), BOOL: (bool, np.bool_),
}  # fmt: skip


def _isinstance(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, given = bind(t, "isinstance", args, kwargs, "obj class_or_tuple", 2)
    assert value is not None
    assert given is not None
    kinds = list(_kinds(t, given))
    if is_mixed([value]):
        raise is_both(t, "isinstance")
    if isinstance(value, TupleValue | Instance | Failure):
        for kind in kinds:
            if not _builtin(kind):
                t.recorder.subclass(value.cls, kind)
        if isinstance(value, TupleValue) and any(_of_layout(t, value.cls, kind) for kind in kinds):
            return literal(value=True)
        if isinstance(value, Instance) and issubclass(value.cls, TextArray):
            return literal(
                any(issubclass(value.cls, k) or issubclass(np.ndarray, k) for k in kinds)
            )
    return literal(_is_any(t, value, kinds))


def _is_any(t: Tracer, value: Value, kinds: Sequence[type]) -> bool:
    """Whether a value is of one of some classes; a number of unknown kind, if Python's is."""
    answers = [issubclass(cls, tuple(kinds)) for cls in _sure_classes(t, value)]
    if answers == [False, True] and not t.ctx.way.kinds:
        raise NeedKinds
    if answers == [False, True]:
        raise t.error(
            "RG0123", f"{describe(value)} is one of these if it is NumPy's, not Python's",
            "ask for Python's class, too: isinstance(x, (float, np.floating))",
        )  # fmt: skip
    return any(answers)


def _of_layout(t: Tracer, cls: type, kind: type) -> bool:
    """Whether a sparse matrix is one of a class of SciPy's, or a masked array of NumPy's."""
    if is_of_numpy(cls, kind) or (cls is NarrowArray and issubclass(np.ndarray, kind)):
        return True
    found = is_of_layout(cls, kind)
    if found is None:
        raise t.error(
            "RG0108", f"whether a sparse matrix is a {kind.__name__} is not known here",
            "ask scipy.sparse.issparse(A)",
        )  # fmt: skip
    return found


def _issubclass(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    cls, given = bind(t, "issubclass", args, kwargs, "cls class_or_tuple", 2)
    if not isinstance(cls, Static) or not isinstance(cls.obj, type):
        raise t.error("RG0108", "issubclass of no class", "give it a class", python=TypeError)
    own = cast("type[Any]", cls.obj)
    assert given is not None
    kinds = list(_kinds(t, given))
    for kind in kinds:
        if not _builtin(own) or not _builtin(kind):
            t.recorder.subclass(own, kind)
    return literal(any(issubclass(own, kind) for kind in kinds))


def _builtin(kind: type) -> bool:
    return kind.__module__ in ("builtins", "types")


def _kinds(t: Tracer, given: Value) -> Iterator[type]:
    """The types of a type, of a tuple (of tuples) of types, and of `A | B`."""
    match given:
        case TupleValue():
            for one in given.items:
                yield from _kinds(t, one)
        case Static(obj=UnionType() as union):
            yield from cast("tuple[type, ...]", get_args(union))
        case Static(obj=alias) if isinstance(origin := get_origin(alias), type):
            if get_args(alias):
                t.stop("TypeError", "isinstance() argument 2 cannot be a parameterized generic")
                raise PathEnds
            yield origin
        case Static(obj=alias) if get_origin(alias) is Union:
            yield from cast("tuple[type, ...]", get_args(alias))
        case Static(obj=type() as kind):
            yield kind
        case _:
            raise t.error(
                "RG0108", "isinstance of anything but types", "name a type, or a tuple of types"
            )


def _classes(value: Value) -> tuple[type, ...]:
    """The classes that a value has in Python: two for numbers, which may be NumPy's."""
    match value:
        case Scalar():
            return _NUMBERS[value.type]
        case ComplexValue(real=Scalar()):
            return (complex, np.complex128)
        case ArrayRef() | ComplexValue():
            return (np.ndarray,)
        case TupleValue() | Instance():
            return (stands_for(value.cls) or value.cls,)
        case Static():
            return (type(value.obj),)
        case Text():
            return (str,)
        case RangeValue(backwards=False):
            return (range,)
        case Closure():
            return (FunctionType,)
        case Enumerate() | Zip():
            return (enumerate if isinstance(value, Enumerate) else zip,)
        case Failure():
            return (value.cls,)
        case Transform() | Bound() | Applied():
            return (type(len),)
        case _:
            return (object,)


def _sure_classes(t: Tracer, value: Value) -> tuple[type, ...]:
    """The classes that a value has, as far as it is known whether numbers are NumPy's."""
    refuse_times(t, value)
    classes = _classes(value)
    if isinstance(value, Scalar) and value.numpy:
        return classes[-1:]
    if isinstance(value, Scalar) and (is_python(value) or _is_count(value)):
        return classes[:1]
    return classes


def _type(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "type", args, kwargs, "object")
    assert value is not None
    first, *others = _sure_classes(t, value)
    if others and not t.ctx.way.kinds:
        raise NeedKinds
    if others or (isinstance(value, Scalar) and value.numpy and may_be_array(value)):
        raise t.error(
            "RG0107", f"the type of {describe(value)} is Python's or NumPy's",
            f"write isinstance(x, {first.__name__})",
        )  # fmt: skip
    return Static(first)


def _name_of(t: Tracer, name: Value | None, what: str) -> str:
    if isinstance(name, Static) and isinstance(name.obj, str):
        return name.obj
    raise t.error(
        "RG0123", f"{what} with a name that is no constant", "write the attribute out: x.name"
    )


def _found(holder: object, name: str) -> bool:
    return getattr(holder, name, ABSENT) is not ABSENT


def _is_count(value: Scalar) -> bool:
    """Whether it is a flag or a count that is written out, which is Python's."""
    return isinstance(value.atom, Lit) and value.type != F64


def _holds(t: Tracer, obj: Instance, name: str) -> bool:
    held = t.content(obj.cell(name))
    if isinstance(held, Maybe):
        raise t.error(
            "RG0123", f"whether the attribute {name!r} is assigned depends on the path",
            "assign it in __init__: None where there is no value yet",
        )  # fmt: skip
    return not isinstance(held, Unbound) or _in_class(t, obj.cls, name)


def _in_class(t: Tracer, cls: type, name: str) -> bool:
    """Whether a class has an attribute, which its objects have not themselves."""
    if _found(cls, name):
        return True
    if asked_for_others(t, cls) is None:
        return False
    raise t.error(
        "RG0123", f"whether `__getattr__` of class {cls.__name__!r} gives {name!r}",
        "ask what it asks, or write `try: .. except AttributeError:`",
    )  # fmt: skip


def _is_assigned(t: Tracer, obj: Instance, name: str) -> bool:
    """Whether an object that is a row of a table has one of the attributes of its class."""
    if (obj.cls, name) in t.ctx.way.partial:
        raise t.error(
            "RG0123", f"whether the attribute {name!r} is assigned depends on the object",
            "assign it in __init__: None where there is no value yet",
        )  # fmt: skip
    return True


def _baked_has(t: Tracer, holder: object, name: str) -> bool:
    match holder:
        case FunctionType() | ModuleType() | type() if not isinstance(holder, EnumType):
            t.recorder.ask("attribute", holder, name, STATIC)
            t.guard(getattr(holder, name, ABSENT), "attribute", holder, name)
        case _ if is_space(holder):
            t.guard(getattr(holder, name, ABSENT), "attribute", holder, name)
        case _:
            pass
    return _found(holder, name)


def _has(t: Tracer, value: Value, name: str) -> bool:
    """Whether a value has an attribute."""
    refuse_times(t, value)
    match value:
        case Instance() if is_row(value) and name in t.ctx.tables_of[value.cls]:
            return _is_assigned(t, value, name)
        case Instance() if value.cls is not list and name in value.names:
            return _holds(t, value, name)
        case Static():
            return _baked_has(t, value.obj, name)
        case Closure() if is_given(t, value, name):
            return True
        case TupleValue() if name in (fields_of(value.cls) or ()):
            return True
        case _:
            pass
    classes = _sure_classes(t, value)
    if isinstance(value, Instance) and asked_for_others(t, value.cls) is not None:
        return _in_class(t, value.cls, name)
    if isinstance(value, Instance | TupleValue) and not _builtin(value.cls):
        t.recorder.ask("attribute", classes[0], name, STATIC)
        t.guard(getattr(classes[0], name, ABSENT), "attribute", classes[0], name)
    found = {_found(cls, name) for cls in classes}
    if len(found) > 1 and not t.ctx.way.kinds:
        raise NeedKinds
    if len(found) > 1:
        raise t.error(
            "RG0123", f"{describe(value)} has an attribute {name!r} if it is NumPy's, not Python's",
            "ask np.ndim(x), or isinstance(x, np.ndarray)",
        )  # fmt: skip
    return found == {True}


def _hasattr(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, name = bind(t, "hasattr", args, kwargs, "obj name", 2)
    assert value is not None
    return literal(_has(t, value, _name_of(t, name, "hasattr")))


def _getattr(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, name, default = bind(t, "getattr", args, kwargs, "object name default", 2)
    assert value is not None
    text = _name_of(t, name, "getattr")
    if default is not None and not _has(t, value, text):
        return default
    return attribute_of(t, value, text)


def _setattr(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, name, new = bind(t, "setattr", args, kwargs, "obj name value", 3)
    assert new is not None
    text = _name_of(t, name, "setattr")
    if not isinstance(value, Instance):
        what = describe(value) if value is not None else "nothing"
        raise t.error("RG0101", f"setattr of {what}", "build a new one")
    set_attribute(t, value, text, new)
    return NONE


TABLE: Mapping[object, Handler] = {
    builtins.isinstance: _isinstance,
    builtins.issubclass: _issubclass,
    builtins.type: _type,
    builtins.hasattr: _hasattr,
    builtins.getattr: _getattr,
    builtins.setattr: _setattr,
}
