"""Objects of the user's classes: how they are made, their attributes, methods and operators."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from types import FunctionType
from typing import Any, cast

from retrograd.errors import UserError
from retrograd.frontend.identity import namespaces
from retrograd.frontend.identity.dict_rows import DictRow, key_named, keys_of
from retrograd.frontend.identity.held_dicts import METHODS
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.objects import refused_member, why_not
from retrograd.frontend.identity.specs import DISPATCHED, OpaqueSpec
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.identity.transformed import Rerun, Reversible
from retrograd.frontend.library.layouts import ORDER, holds_names, layout, member_of, set_in
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    DictValue,
    Failure,
    Instance,
    Maybe,
    Scalar,
    Static,
    Text,
    TupleValue,
    Unbound,
    Undef,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.object_rows import ROW, is_row
from retrograd.frontend.values.objects import new_object
from retrograd.frontend.values.records import compares_fields, own_method
from retrograd.frontend.values.scalars import logical_not, truth
from retrograd.frontend.values.scopes import literal, module_attribute
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom

__all__ = [
    "asked_for_others", "assign_attribute", "attribute", "bare_object", "call_object",
    "certain_attribute", "constant_of_class", "construct", "exception_attribute",
    "exception_object", "method_of", "of_no_method", "operate", "set_attribute", "special",
]  # fmt: skip


def _refuse_magic(t: Tracer, cls: type) -> None:
    if (found := why_not(cls)) is not None:
        raise t.error("RG0101", *found)


def bare_object(t: Tracer, cls: type) -> Instance:
    """An object of a plain class, to which nothing is assigned."""
    _refuse_magic(t, cls)
    return begun(t, cls, layout(t, cls))


def begun(t: Tracer, cls: type, names: tuple[str, ...]) -> Instance:
    """A new object, to which nothing is assigned."""
    made = new_object(t, cls, names)
    if ORDER in names:
        t.set_content(made.cell(ORDER), Static(()))
    return made


def assign_attribute(t: Tracer, obj: Instance, name: str, value: Value) -> None:
    """Makes it the attribute's value, whatever the class may say of it."""
    if ORDER in obj.names:
        order = t.content(obj.cell(ORDER))
        known = cast("tuple[str, ...]", order.obj) if isinstance(order, Static) else (name,)
        if name not in known:
            t.set_content(obj.cell(ORDER), Static((*known, name)))
    t.set_content(obj.cell(name), value)


def construct(
    t: Tracer, cls: type[Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Instance:
    """`cls(...)` of a plain class."""
    _refuse_magic(t, cls)
    names = layout(t, cls)
    if namespaces.has_namespace(cls):
        names = tuple(sorted({*names, *kwargs, *set_in(t.frame.source.node)}))
    made = begun(t, cls, names)
    init = member_of(t, cls, "__init__")
    if dataclasses.is_dataclass(cast("object", cls)) and _generated(init):
        _fill_fields(t, made, args, kwargs)
        if isinstance(member_of(t, cls, "__post_init__"), FunctionType):
            t.call(Bound(made, "__post_init__"), (), {})
        return made
    if isinstance(init, FunctionType):
        t.call(Bound(made, "__init__"), args, kwargs)
    elif namespaces.has_namespace(cls) and not args:
        for name, value in kwargs.items():
            assign_attribute(t, made, name, value)
    elif args or kwargs:
        raise t.error("RG0108", f"{cls.__name__} takes no arguments", "see its definition")
    return made


def _generated(init: object) -> bool:
    return isinstance(init, FunctionType) and init.__code__.co_filename == "<string>"


def _fill_fields(
    t: Tracer, made: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> None:
    """What the `__init__` does that `dataclass` writes."""
    cls = made.cls
    every = [f for f in dataclasses.fields(cast("Any", cls)) if f.init]
    names = [f.name for f in every if not f.kw_only]
    if len(args) > len(names):
        raise t.error(
            "RG0108",
            f"{cls.__name__} has {len(names)} fields, not {len(args)}",
            f"its fields are {', '.join(names)}",
        )
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in given or name not in [f.name for f in every]:
            raise t.error(
                "RG0108",
                f"{cls.__name__} has no free field {name!r}",
                f"its fields are {', '.join(names)}; give each once",
            )
        given[name] = value
    for one in dataclasses.fields(cast("Any", cls)):
        if one.name in given:
            assign_attribute(t, made, one.name, given[one.name])
        elif one.default_factory is not dataclasses.MISSING:
            value = t.call(Static(one.default_factory), (), {})
            assign_attribute(t, made, one.name, value)
        elif one.default is not dataclasses.MISSING:
            assign_attribute(t, made, one.name, constant_of_class(t, cls, one.name))
        elif one.init:
            raise t.error(
                "RG0108",
                f"{cls.__name__} lacks the field {one.name!r}",
                f"give it: {cls.__name__}(..., {one.name}=value)",
            )


def constant_of_class(t: Tracer, cls: type, name: str) -> Value:
    """What a class has as an attribute, which is read when the program is translated."""
    value: object = getattr(cls, name)
    if isinstance(value, bool | int | float):
        t.ctx.recorder.ask("attribute", cls, name, "value")
        return literal(value)
    return module_attribute(t, cls, name)


def exception_object(t: Tracer, value: Failure) -> Instance | None:
    """An exception as the object that its class makes of it, to be looked at; None where the class
    and its bases say nothing in Python, or it may have changed since."""
    cls = value.cls
    written = any(isinstance(vars(base).get(name), FunctionType)
                  for base in cls.__mro__ for name in ("__init__", "__str__"))  # fmt: skip
    plain = all(isinstance(arg, Scalar | Static | Text) for arg in value.args)
    if not written or not plain or refused_member(cls) is not None:
        return None
    made = new_object(t, cls, tuple(sorted({*layout(t, cls), "args"})))
    count = len(value.args) - len(value.names)
    t.set_content(made.cell("args"), TupleValue(value.args[:count]))
    named = dict(zip(value.names, value.args[count:], strict=True))
    if isinstance(member_of(t, cls, "__init__"), FunctionType):
        t.call(Bound(made, "__init__"), value.args[:count], named)
    return made


def exception_attribute(t: Tracer, value: Failure, name: str) -> Value | None:
    """`error.name`; None if it has no such attribute here."""
    if name == "args" and not value.names:
        return TupleValue(value.args)
    made = None if name == "args" else exception_object(t, value)
    return None if made is None else attribute(t, made, name)


def attribute(t: Tracer, obj: Instance, name: str) -> Value:
    """`obj.name`: an attribute, a property, a method, or what the class has."""
    if name == "__dict__":
        return t.call(Static(vars), (obj,), {})
    member = member_of(t, obj.cls, name)
    if isinstance(member, property) and isinstance(member.fget, FunctionType):
        return t.call(Static(member.fget), (obj,), {})
    if is_row(obj) and name in t.ctx.tables_of[obj.cls]:
        return t.call(Bound(obj, ROW), (Static(name),), {})
    if name in obj.names:
        held = t.content(obj.cell(name))
        if not isinstance(held, Unbound):
            return certain_attribute(t, obj, name, held)
    if member is None:
        return _of_none(t, obj, name)
    match member:
        case FunctionType() | Rerun() | Reversible() | classmethod():
            return Bound(obj, name)
        case _ if isinstance(member, DISPATCHED):  # functions of NumPy's are methods, as Python's
            return Bound(obj, name)
        case staticmethod():
            return Static(cast("Any", member).__func__)
        case cached_property():
            value = t.call(Static(cast("Any", member).func), (obj,), {})
            assign_attribute(t, obj, name, value)
            return value
        case _:
            return module_attribute(t, obj.cls, name)


def _of_none(t: Tracer, obj: Instance, name: str) -> Value:
    """`obj.name`, which neither the object nor its class has."""
    if name == "__class__":
        return Static(obj.cls)
    if not name.startswith("__") and (asked := asked_for_others(t, obj.cls)) is not None:
        return t.call(Static(asked), (obj, Static(name)), {})
    if name in obj.names:
        raise PathEnds(
            t.error(
                "RG0105", f"the attribute {name!r} is read before it is assigned",
                "assign it in __init__",
            )
        )  # fmt: skip
    if _is_dict_row(obj) and name in vars(dict):
        raise t.error(
            "RG0109", f"`{name}` of a dict that a list of run-time length holds",
            "make a new dict of what it has",
        )  # fmt: skip
    raise t.error(
        "RG0107", f"{describe(obj)} has no attribute {name!r}", _instead(obj.cls), AttributeError
    )


def asked_for_others(t: Tracer, cls: type) -> FunctionType | None:
    """The `__getattr__` of a class, which is asked for attributes that there are not."""
    found = member_of(t, cls, "__getattr__")
    if isinstance(found, FunctionType):
        return found
    of_dict = vars(dict)
    return next((one for name, one in METHODS.items() if of_dict[name] is found), None)


def _is_dict_row(obj: Instance) -> bool:
    return issubclass(obj.cls, DictRow)


def _instead(cls: type) -> str:
    if not cls.__module__.startswith("retrograd."):
        return "assign it in a method of its class"
    names = sorted(name for name in vars(cls) if not name.startswith("_"))
    return f"it has {', '.join(names)}"


def certain_attribute(t: Tracer, obj: Instance, name: str, held: Value) -> Value:
    match held:
        case Undef():
            raise PathEnds
        case Static(obj=OpaqueSpec() as opaque):
            raise t.error(
                "RG0124", f"the attribute {name!r} is {opaque.kind}, which is not accepted",
                opaque.way_out,
            )  # fmt: skip
        case Maybe() if asked_for_others(t, obj.cls) is not None:
            raise t.error(
                "RG0123", f"whether the attribute {name!r} is assigned depends on the path, and "
                "`__getattr__` of its class gives it otherwise",
                "assign it in __init__",
            )  # fmt: skip
        case Maybe():
            text = f"{obj.cls.__name__!r} object has no attribute {name!r}"
            t.check(held.flag, "AttributeError", text)
            t.state.cells[obj.cell(name)] = held.value
            return held.value
        case _:
            return held


def set_attribute(t: Tracer, obj: Instance, name: str, value: Value) -> None:
    """`obj.name = value`."""
    member = member_of(t, obj.cls, name)
    if isinstance(member, property):
        if not isinstance(member.fset, FunctionType):
            raise t.error("RG0101", f"the property {name!r} has no setter", "write one")
        t.call(Static(member.fset), (obj, value), {})
        return
    known = name in (t.ctx.tables_of[obj.cls] if is_row(obj) else obj.names)
    if not known and _is_dict_row(obj):
        t.ctx.later.add((keys_of(obj.cls), key_named(name)))
        raise t.error(
            "RG0109", "a new key of a dict that a list of run-time length holds",
            "give it the key where it is made: {'x': x, 'new': None}",
        )  # fmt: skip
    if not known and namespaces.has_namespace(obj.cls):
        raise t.error(
            "RG0107", f"a new attribute {name!r} of an object of class {obj.cls.__name__!r}",
            f"give it where the object is made: {name}=None",
        )  # fmt: skip
    if not known:
        raise of_no_method(t, obj, name)
    params: object = getattr(obj.cls, "__dataclass_params__", None)
    if params is not None and getattr(params, "frozen", False):
        raise t.error("RG0101", f"{describe(obj)} is frozen", "make a new one")
    if is_row(obj):
        t.call(Bound(obj, ROW), (Static(name), value), {})
        return
    assign_attribute(t, obj, name, value)


def of_no_method(t: Tracer, obj: Instance, name: str) -> UserError:
    """The error of an attribute that no method assigns; with it, if it may have one, it is tried
    once more.

    A name of several that are assigned one after the other is most often the key of a dict.
    """
    cls = obj.cls
    if not holds_names(cls):
        raise t.error(
            "RG0107", f"{cls.__name__!r} object has no attribute {name!r}",
            "name it in `__slots__`", AttributeError,
        )  # fmt: skip
    held = [value for value in t.state.cells.values() if isinstance(value, DictValue)]
    keys: list[object] = [key for one in held if name in one.keys for key in one.keys]
    t.ctx.added |= {(cls, key) for key in (name, *keys) if isinstance(key, str)}
    return t.error(
        "RG0107", f"no method of class {cls.__name__!r} assigns the attribute {name!r}",
        "assign it in __init__, too",
    )  # fmt: skip


def method_of(t: Tracer, method: Bound) -> tuple[Value, Value]:
    """The function that a method of an object is, and its first argument."""
    obj = method.receiver
    assert isinstance(obj, Instance)
    cls = obj.cls
    if method.of is not None:
        after = cls.__mro__[cls.__mro__.index(method.of) + 1 :]
        holder = next((base for base in after if method.name in vars(base)), object)
        found = vars(holder).get(method.name)
        if holder is object:
            return NONE, obj
        if holder is dict and method.name in METHODS:
            return Static(METHODS[method.name]), obj
        t.ctx.recorder.ask("attribute", holder, method.name, STATIC)
    else:
        found = member_of(t, cls, method.name)
    if isinstance(found, classmethod):
        return Static(cast("Any", found).__func__), Static(cls)
    return Static(found), obj


_SLOT = type(Exception.__init__)
"""What is not written in Python: here, the `__init__` of Python's own exceptions."""


def call_object(
    t: Tracer, method: Bound, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a method of an object."""
    function, first = method_of(t, method)
    if function == NONE:  # what `object` has: an `__init__` that does nothing
        return NONE
    own = function.obj if isinstance(function, Static) else None
    if method.name == "__init__" and type(own) is _SLOT and isinstance(first, Instance):
        t.set_content(first.cell("args"), TupleValue(tuple(args)))
        return NONE
    return t.call(function, (first, *args), kwargs)


def special(t: Tracer, name: str, value: Value, *args: Value) -> Value | None:
    """`type(value).name(value, *args)`; None where there is no such method."""
    if isinstance(value, Static) and isinstance(value.obj, Enum):
        own = member_of(t, type(value.obj), name)
        if isinstance(own, FunctionType) and package_of(own) is None:
            return t.call(Static(own), (value, *args), {})
    if isinstance(value, TupleValue) and own_method(value, name):
        member_of(t, value.cls, name)
        return t.call(Bound(value, name), args, {})
    if not isinstance(value, Instance) or not isinstance(
        member_of(t, value.cls, name), FunctionType
    ):
        return None
    if compares_fields(value, name) is not None:
        return None
    return t.call(Bound(value, name), args, {})


_OPERATORS: Mapping[str, tuple[str, str]] = {
    "add": ("__add__", "__radd__"), "sub": ("__sub__", "__rsub__"), "mul": ("__mul__", "__rmul__"),
    "div": ("__truediv__", "__rtruediv__"), "floordiv": ("__floordiv__", "__rfloordiv__"),
    "mod": ("__mod__", "__rmod__"), "pow": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"), "and": ("__and__", "__rand__"),
    "or": ("__or__", "__ror__"), "xor": ("__xor__", "__rxor__"),
    "lt": ("__lt__", "__gt__"), "gt": ("__gt__", "__lt__"), "le": ("__le__", "__ge__"),
    "ge": ("__ge__", "__le__"), "eq": ("__eq__", "__eq__"), "ne": ("__ne__", "__ne__"),
}  # fmt: skip
_COMPARISONS = frozenset({"lt", "gt", "le", "ge", "eq", "ne"})


def operate(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` by the method of one of the two; None where there is none."""
    if op not in _OPERATORS:
        return None
    for name, first, second in _order(t, op, a, b):
        found = special(t, name, first, second)
        if found is not None and found != Static(NotImplemented):
            return found
    if op == "ne":
        equal = operate(t, "eq", a, b)
        return None if equal is None else Scalar(_negated(t, equal))
    return None


def _order(t: Tracer, op: str, a: Value, b: Value) -> list[tuple[str, Value, Value]]:
    """The methods that Python asks, in turn, with what they are given.

    An object of a subclass is asked first, for arithmetic only if it has a reflected method of its
    own. Arithmetic of two objects of one class asks the first of them only.
    """
    own, reflected = _OPERATORS[op]
    order = [(own, a, b), (reflected, b, a)]
    if isinstance(a, ArrayRef) and isinstance(b, Instance):
        _leaves_arrays(t, b, reflected)
    if not isinstance(a, Instance | TupleValue) or not isinstance(b, Instance | TupleValue):
        return order
    compares = op in _COMPARISONS
    if a.cls is b.cls:
        return order if compares else order[:1]
    t.ctx.recorder.subclass(b.cls, a.cls)
    if not issubclass(b.cls, a.cls):
        return order
    replaced = member_of(t, a.cls, reflected) is not member_of(t, b.cls, reflected)
    return order[::-1] if compares or replaced else order


def _leaves_arrays(t: Tracer, obj: Instance, reflected: str) -> None:
    """Refuses what NumPy does an element at a time, unless the class says that it takes arrays."""
    name = "__array_ufunc__"
    says = any(name in vars(base) for base in obj.cls.__mro__)
    if member_of(t, obj.cls, reflected) is None or (says and member_of(t, obj.cls, name) is None):
        return
    raise t.error(
        "RG0110", f"NumPy calls {reflected} of {describe(obj)} for each element of the array",
        f"write `{name} = None` in the class, so that NumPy leaves the array to it",
    )  # fmt: skip


def _negated(t: Tracer, value: Value) -> Atom:
    return logical_not(t, truth(t, value))
