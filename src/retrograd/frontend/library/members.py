"""What members of Enum classes have: their value and name, methods and properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity.lookups import STATIC, VALUE
from retrograd.frontend.values.kinds import NONE, Bound, Scalar, Static, Value
from retrograd.frontend.values.scopes import lift, literal
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Lit

__all__ = ["found_by_name", "found_by_value", "member_attribute"]


def member_attribute(t: Tracer, value: Static, name: str) -> Value:
    """`member.name`."""
    member: Any = value.obj
    cls = cast("type[Any]", type(member))
    match name:
        case "name" | "_name_":
            return Static(member.name)
        case "value" | "_value_":
            return _held(t, member, "value")
        case _:
            pass
    holder = next((base for base in cls.__mro__ if name in vars(base)), None)
    found = None if holder is None else vars(holder)[name]
    if isinstance(found, FunctionType | property):
        t.recorder.ask("attribute", cls, name, STATIC)
        t.guard(getattr(cls, name), "attribute", cls, name)
    if isinstance(found, property):
        if not isinstance(found.fget, FunctionType):
            raise t.error("RG0107", f"the property {name!r} has no function", "write one")
        return t.call(Static(found.fget), (value,), {})
    if isinstance(found, FunctionType):
        return Bound(value, name)
    if name in vars(member):
        return _held(t, member, name)
    raise t.error(
        "RG0107",
        f"{cls.__name__}.{member.name} has no attribute {name!r}",
        "members have `name`, `value`, and what their class defines",
    )


def _held(t: Tracer, member: Any, name: str) -> Value:
    """What a member holds: a number is a literal, as members do not change."""
    held: object = getattr(member, name)
    if isinstance(held, bool | int | float) and not isinstance(held, Enum):
        t.recorder.ask("attribute", member, name, VALUE)
        t.guard(held, "attribute", member, name)
        return literal(held)
    return lift(t, held, "attribute", member, name)


def found_by_value(
    t: Tracer, cls: type[Enum], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """`cls(value)`."""
    one = args[0] if len(args) == 1 and not kwargs else NONE
    key: object = None
    match one:
        case Static():
            key = one.obj
        case Scalar(atom=Lit(value=known)):
            key = known
        case _:
            raise t.error(
                "RG0113", f"a member of {cls.__name__!r} is found by a value of the run",
                f"choose it with `if`: {cls.__name__}.{next(iter(cls.__members__), 'NAME')}",
            )  # fmt: skip
    try:
        member = cls(key)
    except ValueError as error:
        t.stop("ValueError", str(error))
        raise PathEnds from None
    return _known(t, cls, member)


def found_by_name(t: Tracer, cls: type[Enum], name: Value) -> Value:
    """`cls[name]`."""
    key = name.obj if isinstance(name, Static) else None
    if not isinstance(key, str):
        raise t.error("RG0113", "a member is found by a name of the run", "write its name")
    if key not in cls.__members__:
        t.stop("KeyError", key)
        raise PathEnds
    return _known(t, cls, cls.__members__[key])


def _known(t: Tracer, cls: type[Enum], member: Enum) -> Value:
    name = cast("Any", member).name
    t.recorder.ask("attribute", cls, name, STATIC)
    t.guard(member, "attribute", cls, name)
    return Static(member)
