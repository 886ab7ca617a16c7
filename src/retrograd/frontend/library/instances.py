"""Objects of the user's classes: how they are made, their attributes, methods and operators."""

from __future__ import annotations

import ast
import dataclasses
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity import namespaces
from retrograd.frontend.identity.dict_rows import DictRow, key_named, keys_of
from retrograd.frontend.identity.held_dicts import METHODS
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.objects import package_of_class, refused_member, why_not
from retrograd.frontend.identity.source import FunctionSource, is_coroutine
from retrograd.frontend.identity.specs import DISPATCHED, OpaqueSpec
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.identity.transformed import Rerun, Reversible
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
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
    "asked_for_others", "attribute", "call_object", "construct", "exception_attribute",
    "exception_object", "layout", "method_of", "operate", "set_attribute", "special",
]  # fmt: skip


def _member(t: Tracer, cls: type, name: str) -> object:
    """What a class, or a base of it, has under a name; None where there is nothing."""
    holder = next((base for base in cls.__mro__ if name in vars(base)), None)
    if holder is None or holder is object:
        return None
    if holder is dict or holder is OrderedDict:
        return METHODS.get(name)
    if namespaces.is_base(holder):
        return namespaces.METHODS.get(name)
    found = vars(holder)[name]
    own = cast("type[Any]", type(found))
    known = isinstance(found, Rerun | Reversible) or package_of_class(own) is not None
    if not known and refused_member(own) in ("__get__", "__set__"):
        raise t.error(
            "RG0101", f"{name!r} of class {cls.__name__!r} is a descriptor of a class of its own",
            "use a property",
        )  # fmt: skip
    t.ctx.recorder.ask("attribute", cls, name, STATIC)
    t.ctx.guard(getattr(cls, name), "attribute", cls, name)
    return found


def _functions(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """The functions that stand in a class and its bases, the bases first."""
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            found = member.fset if isinstance(member, property) else member
            while isinstance(found, Rerun | Reversible):
                found = found.fun
            if isinstance(found, FunctionType) and package_of(found) is None:
                yield name, found


def _stored(source: FunctionSource) -> Iterator[str]:
    """The attributes of its first parameter that a method assigns to."""
    return map(source.mangled, _assigned(source.node))


@lru_cache(maxsize=1024)
def _assigned(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    """The same, as they are written; every program with objects of a class asks for them."""
    every = [*node.args.posonlyargs, *node.args.args]
    if not every:
        return ()
    own, found = every[0].arg, list[str]()
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name == own:
                found.append(inner.attr)
            case _:
                pass
    return tuple(found)


@lru_cache(maxsize=1024)
def _set_in(node: ast.AST) -> tuple[str, ...]:
    """The attributes that the text of a function assigns to, of whatever it may be."""
    every = (inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
    return tuple(inner.attr for inner in every if isinstance(inner.ctx, ast.Store))


def layout(t: Tracer, cls: type) -> tuple[str, ...]:
    """The names of the attributes of a class's objects, from the text of the class alone."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        slots: object = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else cast("Sequence[str]", slots):
            found[name] = None
    if dataclasses.is_dataclass(cast("object", cls)):
        found.update(dict.fromkeys(f.name for f in dataclasses.fields(cast("Any", cls))))
    for name, function in _functions(cls):
        if name.startswith("__") and function.__code__.co_filename == "<string>":
            continue  # what `dataclass` has written
        if is_coroutine(function):
            continue  # what the program cannot call, but an object may have
        _member(t, cls, name)
        for attribute in _stored(t.ctx.sources.as_written(function, t.span)):
            if not isinstance(vars(cls).get(attribute), property):
                found[attribute] = None
    for base in cls.__mro__:
        cached = (
            name for name, member in vars(base).items() if isinstance(member, cached_property)
        )
        found.update(dict.fromkeys(cached))
    return tuple(sorted(found))


def _refuse_magic(t: Tracer, cls: type) -> None:
    if (found := why_not(cls)) is not None:
        raise t.error("RG0101", *found)


def construct(
    t: Tracer, cls: type[Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Instance:
    """`cls(...)` of a plain class."""
    _refuse_magic(t, cls)
    names = layout(t, cls)
    if namespaces.has_namespace(cls):
        names = tuple(sorted({*names, *kwargs, *_set_in(t.frame.source.node)}))
    made = new_object(t, cls, names)
    init = _member(t, cls, "__init__")
    if dataclasses.is_dataclass(cast("object", cls)) and _generated(init):
        _fill_fields(t, made, args, kwargs)
        if isinstance(_member(t, cls, "__post_init__"), FunctionType):
            t.call(Bound(made, "__post_init__"), (), {})
        return made
    if isinstance(init, FunctionType):
        t.call(Bound(made, "__init__"), args, kwargs)
    elif namespaces.has_namespace(cls) and not args:
        for name, value in kwargs.items():
            t.set_content(made.cell(name), value)
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
            t.set_content(made.cell(one.name), given[one.name])
        elif one.default_factory is not dataclasses.MISSING:
            value = t.call(Static(one.default_factory), (), {})
            t.set_content(made.cell(one.name), value)
        elif one.default is not dataclasses.MISSING:
            t.set_content(made.cell(one.name), _constant(t, cls, one.name))
        elif one.init:
            raise t.error(
                "RG0108",
                f"{cls.__name__} lacks the field {one.name!r}",
                f"give it: {cls.__name__}(..., {one.name}=value)",
            )


def _constant(t: Tracer, cls: type, name: str) -> Value:
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
    if isinstance(_member(t, cls, "__init__"), FunctionType):
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
    member = _member(t, obj.cls, name)
    if isinstance(member, property) and isinstance(member.fget, FunctionType):
        return t.call(Static(member.fget), (obj,), {})
    if is_row(obj) and name in t.ctx.tables_of[obj.cls]:
        return t.call(Bound(obj, ROW), (Static(name),), {})
    if name in obj.names:
        held = t.content(obj.cell(name))
        if not isinstance(held, Unbound):
            return _certain(t, obj, name, held)
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
            t.set_content(obj.cell(name), value)
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
    found = _member(t, cls, "__getattr__")
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


def _certain(t: Tracer, obj: Instance, name: str, held: Value) -> Value:
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
    member = _member(t, obj.cls, name)
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
        raise t.error(
            "RG0107",
            f"no method of class {obj.cls.__name__!r} assigns the attribute {name!r}",
            "assign it in __init__, too",
        )
    params: object = getattr(obj.cls, "__dataclass_params__", None)
    if params is not None and getattr(params, "frozen", False):
        raise t.error("RG0101", f"{describe(obj)} is frozen", "make a new one")
    if is_row(obj):
        t.call(Bound(obj, ROW), (Static(name), value), {})
        return
    t.set_content(obj.cell(name), value)


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
        found = _member(t, cls, method.name)
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
        own = _member(t, type(value.obj), name)
        if isinstance(own, FunctionType) and package_of(own) is None:
            return t.call(Static(own), (value, *args), {})
    if isinstance(value, TupleValue) and own_method(value, name):
        _member(t, value.cls, name)
        return t.call(Bound(value, name), args, {})
    if not isinstance(value, Instance) or not isinstance(_member(t, value.cls, name), FunctionType):
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
    replaced = _member(t, a.cls, reflected) is not _member(t, b.cls, reflected)
    return order[::-1] if compares or replaced else order


def _leaves_arrays(t: Tracer, obj: Instance, reflected: str) -> None:
    """Refuses what NumPy does an element at a time, unless the class says that it takes arrays."""
    name = "__array_ufunc__"
    says = any(name in vars(base) for base in obj.cls.__mro__)
    if _member(t, obj.cls, reflected) is None or (says and _member(t, obj.cls, name) is None):
        return
    raise t.error(
        "RG0110", f"NumPy calls {reflected} of {describe(obj)} for each element of the array",
        f"write `{name} = None` in the class, so that NumPy leaves the array to it",
    )  # fmt: skip


def _negated(t: Tracer, value: Value) -> Atom:
    return logical_not(t, truth(t, value))
