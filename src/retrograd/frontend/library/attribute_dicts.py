"""`vars`, `locals`, attributes of objects by their names, objects made without `__init__`."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, cast

from retrograd.frontend.identity.attribute_dicts import (
    Attributes,
    count_of,
    holds,
    names_of,
    put,
    value_of,
)
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.instances import (
    assign_attribute,
    bare_object,
    certain_attribute,
    of_no_method,
)
from retrograd.frontend.library.layouts import ORDER, holds_names
from retrograd.frontend.values.dicts import dict_of
from retrograd.frontend.values.kinds import (
    NONE,
    Instance,
    Maybe,
    Static,
    TupleValue,
    Unbound,
    Value,
    describe,
)
from retrograd.frontend.values.object_rows import is_row
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer

__all__ = ["TABLE", "dict_of_attributes"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def dict_of_attributes(t: Tracer, obj: Instance) -> Value:
    """`obj.__dict__`."""
    if not holds_names(obj.cls):
        raise t.error(
            "RG0107", f"{describe(obj)} has no `__dict__`: its class has `__slots__`",
            "name its attributes", AttributeError,
        )  # fmt: skip
    if is_row(obj):
        raise t.error(
            "RG0107", "`__dict__` of an object that a list of run-time length holds",
            "name its attributes",
        )  # fmt: skip
    return t.call(Static(Attributes), (obj,), {})


def _vars(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "vars", args, kwargs, "object", 0)
    if not isinstance(value, Instance) or value.cls in (list, dict):
        what = "the variables of a function" if value is None else describe(value)
        raise t.error("RG0107", f"`vars` of {what}", "write a dict: {'x': x}")
    return dict_of_attributes(t, value)


def _locals(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`locals()`, a dict of the variables that the function has by then."""
    bind(t, "locals", args, kwargs, "", 0)
    if borrowed := t.frame.scope.free & t.frame.outer.keys():
        name = min(borrowed)
        raise t.error(
            "RG0107", f"`locals` of a function that has {name!r} from the one around it",
            "write a dict: {'x': x}",
        )  # fmt: skip
    held = {name: t.content(cell) for name, cell in t.frame.locals.items()}
    held = {name: value for name, value in held.items() if not isinstance(value, Unbound)}
    for name, value in held.items():
        if isinstance(value, Maybe):
            raise t.error(
                "RG0123", f"`locals` where {name!r} is assigned on some paths only",
                f"assign {name!r} on all of them, or write a dict: {{'x': x}}",
            )  # fmt: skip
    return dict_of(t, tuple(held), tuple(held.values()))


def _asked(t: Tracer, args: Args) -> tuple[Instance, str]:
    obj, name = args[:2]
    assert isinstance(obj, Instance)
    if isinstance(name, Static) and isinstance(name.obj, str):
        return obj, name.obj
    raise t.error(
        "RG0123", f"an attribute of {describe(obj)} by a name that is no constant",
        "write a dict of these values, and use it as one",
    )  # fmt: skip


def _names(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (obj,) = args
    assert isinstance(obj, Instance)
    if ORDER not in obj.names:
        t.ctx.ordered.add(obj.cls)
        raise t.error("RG0107", f"the attributes of {describe(obj)}", "name them")
    order = t.content(obj.cell(ORDER))
    if not isinstance(order, Static):
        outside = isinstance(order, Unbound)
        why = "comes from outside" if outside else "are assigned in another order on each path"
        what = f"the attributes of {describe(obj)}"
        raise t.error(
            "RG0110", f"{what}, which {why}, one after the other" if outside else f"{what} {why}",
            "name them: {'x': obj.x, 'y': obj.y}",
        )  # fmt: skip
    names = cast("tuple[str, ...]", order.obj)
    return TupleValue(tuple(Static(one) for one in names if _is_there(t, obj, one)))


def _count(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (obj,) = args
    assert isinstance(obj, Instance)
    return literal(sum(_is_there(t, obj, name) for name in obj.names if name != ORDER))


def _is_there(t: Tracer, obj: Instance, name: str) -> bool:
    held = t.content(obj.cell(name)) if name in obj.names else None
    if isinstance(held, Maybe):
        raise t.error(
            "RG0123", f"whether the attribute {name!r} is assigned depends on the path",
            "assign it in __init__: None where there is no value yet",
        )  # fmt: skip
    return held is not None and not isinstance(held, Unbound)


def _holds(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return literal(value=_is_there(t, *_asked(t, args)))


def _value(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    obj, name = _asked(t, args)
    held = t.content(obj.cell(name)) if name in obj.names else None
    if held is None or isinstance(held, Unbound):
        t.stop("KeyError", name)
        raise PathEnds
    return certain_attribute(t, obj, name, held)


def _put(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    obj, name = _asked(t, args)
    if name not in obj.names:
        raise of_no_method(t, obj, name)
    assign_attribute(t, obj, name, args[2])
    return NONE


def _new(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`object.__new__(cls)`."""
    cls = args[0].obj if args and isinstance(args[0], Static) else None
    if not isinstance(cls, type) or fields_of(cast("type[Any]", cls)) is not None:
        raise t.error("RG0107", "`__new__` of what is no plain class", "call the class")
    return bare_object(t, cls)


TABLE: Mapping[object, Handler] = {
    builtins.vars: _vars, builtins.locals: _locals, names_of: _names, count_of: _count,
    holds: _holds, value_of: _value, put: _put, object.__new__: _new,
}  # fmt: skip
