"""Values structured like a spec, or like each other."""

from __future__ import annotations

from dataclasses import replace

from retrograd.frontend.identity.specs import ArgSpec, ComplexSpec, DictSpec, TupleSpec
from retrograd.frontend.values.dicts import is_dict, items_of
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    DictValue,
    Scalar,
    TupleValue,
    Value,
    parts,
)
from retrograd.frontend.values.tracer import Tracer

__all__ = ["aligned", "of_spec", "opened"]


def of_spec(
    spec: TupleSpec | DictSpec | ComplexSpec, items: tuple[Value, ...]
) -> TupleValue | DictValue | ComplexValue:
    """The compound value of that spec."""
    if isinstance(spec, ComplexSpec):
        real, imag = (item for item in items if isinstance(item, Scalar | ArrayRef))
        return ComplexValue(real, imag)
    if isinstance(spec, DictSpec):
        return DictValue(spec.keys, items)
    return TupleValue(items, spec.cls)


def opened(t: Tracer, value: Value) -> Value:
    """The value with dicts, at all depths, as what they hold now."""
    if is_dict(value):
        content = items_of(t, value)
        return replace(content, items=tuple(opened(t, item) for item in content.items))
    match value:
        case TupleValue():
            return replace(value, items=tuple(opened(t, item) for item in value.items))
        case DictValue():
            return DictValue(value.keys, tuple(opened(t, item) for item in value.items))
        case _:
            return value


def aligned(value: Value, like: Value | ArgSpec) -> tuple[Value, ...] | None:
    """The items of a value in the order of those of `like`; None where it has others."""
    match like:
        case DictValue() | DictSpec():
            if not isinstance(value, DictValue) or len(value.keys) != len(like.keys):
                return None
            known = dict(zip(value.keys, value.items, strict=True))
            if any(key not in known for key in like.keys):
                return None
            return tuple(known[key] for key in like.keys)
        case TupleValue() | TupleSpec():
            fits = isinstance(value, TupleValue) and len(value.items) == len(like.items)
            return parts(value) if fits else None
        case _:
            return None if parts(value) else ()
