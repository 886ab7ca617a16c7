"""What values are, but for the values inside them."""

from __future__ import annotations

from dataclasses import replace

from retrograd.frontend.values.kinds import (
    NONE,
    Applied,
    Bound,
    Closure,
    ComplexValue,
    DictValue,
    DictView,
    Enumerate,
    Failure,
    Instance,
    Later,
    OneOf,
    Option,
    RangeValue,
    Static,
    Text,
    Transform,
    TupleValue,
    Value,
    Zip,
    describe,
)

__all__ = ["head", "same_head"]


def same_head(a: Value, b: Value) -> bool:
    """Whether two values agree in all but the values inside them."""
    return type(a) is type(b) and head(a) == head(b)


def head(value: Value) -> object:
    """What a value is, but for the values inside it."""
    match value:
        case TupleValue():
            return value.cls, len(value.items)
        case Zip():
            return len(value.items)
        case RangeValue():
            return value.backwards
        case Enumerate() | Option():
            return None
        case Closure():
            return replace(value, defaults=())
        case Transform():
            return replace(value, fun=NONE)
        case Bound():
            return value.name, value.of
        case DictValue():
            return replace(value, items=())
        case DictView():
            return value.kind
        case Later():
            return value.position
        case Instance() | Static():
            return value
        case _:
            return _other_head(value)


def _other_head(value: Value) -> object:
    match value:
        case ComplexValue():
            return value.mixed
        case Text():
            return value.form
        case Failure():
            return value.cls, value.names, len(value.args)
        case Applied():
            return value.kind, value.names, len(value.args)
        case OneOf():
            return tuple(map(describe, value.values))
        case _:
            return object()
