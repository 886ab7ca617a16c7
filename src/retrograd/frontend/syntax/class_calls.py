"""Calls of classes: members of Enum classes, exceptions, records, and objects of the user's."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from enum import Enum, EnumType
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity import namespaces
from retrograd.frontend.identity.lookups import FIELD, STATIC
from retrograd.frontend.identity.objects import own_new, package_of_class
from retrograd.frontend.identity.record_fields import field_default, fields_of, has_default
from retrograd.frontend.library.instances import constant_of_class, construct
from retrograd.frontend.library.members import found_by_value
from retrograd.frontend.library.text_options import lifted
from retrograd.frontend.syntax.object_rows import published
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import (
    NONE,
    Bound,
    Failure,
    Instance,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["FUNCTIONS", "base_member", "called_class"]


def called_class(
    t: Tracer, cls: type[Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value | None:
    """`cls(...)` of a class of the user's, or of exceptions; None of others."""
    if BaseException in cls.__mro__:
        return Failure(cls, (*args, *kwargs.values()), tuple(kwargs))
    if isinstance(cls, EnumType):
        return found_by_value(t, cast("type[Enum]", cls), args, kwargs)
    if np.ndarray in cls.__mro__ and package_of_class(cls) is not None:
        return None
    if (own := own_new(cls)) is not None:
        return _made_by(t, cls, own, args, kwargs)
    if fields_of(cls) is not None:
        return _new_record(t, cls, args, kwargs)
    if package_of_class(cls) is not None and not (cls is object or namespaces.is_base(cls)):
        return None
    made = construct(t, cls, args, kwargs)
    return published(t, made) if cls in t.ctx.tables_of else made


def _made_by(
    t: Tracer, cls: type[Any], own: FunctionType,
    args: Sequence[Value], kwargs: Mapping[str, Value],
) -> Value:  # fmt: skip
    """What the `__new__` of a class makes, and its `__init__` goes on with."""
    t.recorder.ask("attribute", cls, "__new__", STATIC)
    t.guard(own, "attribute", cls, "__new__")
    made = t.call(Static(own), (Static(cls), *args), kwargs)
    if not isinstance(made, Instance | TupleValue) or not issubclass(made.cls, cls):
        return made
    if isinstance(getattr(cls, "__init__", None), FunctionType):
        t.call(Bound(made, "__init__"), args, kwargs)
    return made


def base_member(t: Tracer, cls: type[Any], after: type[Any], name: str) -> Value:
    """`super().name` in a method of `after` whose first parameter is the class `cls`."""
    bases = cls.__mro__[cls.__mro__.index(after) + 1 :]
    holder = next((base for base in bases if name in vars(base)), object)
    t.recorder.ask("attribute", holder, name, STATIC)
    found: object = vars(holder).get(name)
    own: object = getattr(found, "__func__", None)
    if name == "__new__" and own_new(holder) is None:
        return Static(object.__new__ if fields_of(holder) is None else _record_of)
    if isinstance(found, classmethod):
        return Static(MethodType(cast("FunctionType", own), cls))
    return Static(own if isinstance(found, staticmethod) else found)


def _record_of(cls: type[Any], *args: Any) -> Any:
    """`super().__new__(cls, ..)` in a subclass of a NamedTuple."""
    return cls(*args)


def _record_new(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return _new_record(t, _class_in(t, args), args[1:], kwargs)


def _tuple_new(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`tuple.__new__(cls, items)` of a NamedTuple."""
    cls, items = _class_in(t, args), steps_of(t, args[1]).all() if len(args) == 2 else None
    if items is None:
        raise t.error(
            "RG0108", "`tuple.__new__` without a tuple", "write tuple.__new__(cls, (a, b))"
        )
    return _new_record(t, cls, items, kwargs)


def _class_in(t: Tracer, args: Sequence[Value]) -> type[Any]:
    cls = args[0].obj if args and isinstance(args[0], Static) else None
    if not isinstance(cls, type) or fields_of(cast("type[Any]", cls)) is None:
        raise t.error(
            "RG0107", "a tuple of a class that is no NamedTuple", "make the class a NamedTuple"
        )
    return cast("type[Any]", cls)


def _new_record(
    t: Tracer,
    cls: type[Any],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """A NamedTuple or a frozen dataclass."""
    names = fields_of(cls) or ()
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names):
        raise t.error(
            "RG0108",
            f"{cls.__name__} has {len(names)} fields, not {len(args)}",
            f"its fields are {', '.join(names)}",
        )
    for name, value in kwargs.items():
        if name not in names or name in given:
            raise t.error(
                "RG0108",
                f"{cls.__name__} has no free field {name!r}",
                f"its fields are {', '.join(names)}; give each once",
            )
        given[name] = value
    for name in names:
        if name not in given:
            given[name] = _default(t, cls, name)
    return TupleValue(tuple(given[name] for name in names), cls)


def _default(t: Tracer, cls: type[Any], name: str) -> Value:
    """What a field is that is not given."""
    default = field_default(cls, name)
    if has_default(cls, name) and (default is None or isinstance(default, bool | int | float)):
        t.recorder.ask("class", cls, name, FIELD)
        return NONE if default is None else literal(default)
    if has_default(cls, name) and dataclasses.is_dataclass(cls):
        return constant_of_class(t, cls, name)
    if has_default(cls, name) and isinstance(default, str | tuple):
        t.recorder.ask("class", cls, name, FIELD)
        return lifted(cast("object", default))
    made = getattr(cls, "__dataclass_fields__", {}).get(name)
    if made is not None and made.default_factory is not dataclasses.MISSING:
        return t.call(Static(made.default_factory), (), {})
    raise t.error(
        "RG0108",
        f"{cls.__name__} lacks the field {name!r}",
        f"give it: {cls.__name__}(..., {name}=value)",
    )


_NEW_TUPLE: object = vars(tuple)["__new__"]
FUNCTIONS: Mapping[int, Handler] = {id(_record_of): _record_new, id(_NEW_TUPLE): _tuple_new}
"""By the `id` of the function."""
