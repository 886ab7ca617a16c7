"""The fields of NamedTuples and dataclasses, and their defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

__all__ = ["FieldName", "field_default", "fields_of", "has_default"]


def fields_of(cls: type[Any]) -> tuple[str, ...] | None:
    """The field names of a NamedTuple class or a frozen dataclass; None for other classes."""
    names: tuple[str, ...] | None = getattr(cls, "_fields", None)
    if names is not None and tuple in cls.__mro__:
        return names
    params: object = getattr(cls, "__dataclass_params__", None)
    if params is not None and getattr(params, "frozen", False):
        return tuple(f.name for f in dataclasses.fields(cast("Any", cls)))
    return None


class FieldName(NamedTuple):
    """`dataclasses.Field`, of which programs ask the name."""

    name: str


def has_default(cls: type[Any], name: str) -> bool:
    """Whether a field of a NamedTuple or a dataclass has a default, which may be None."""
    fields: Mapping[str, Any] = getattr(cls, "__dataclass_fields__", {})
    if name in fields:
        return fields[name].default is not dataclasses.MISSING
    defaults: Mapping[str, object] = getattr(cls, "_field_defaults", {})
    return name in defaults


def field_default(cls: type[Any], name: str) -> object:
    """The default of a field of a NamedTuple or a dataclass; no number where there is none."""
    defaults: Mapping[str, object] = getattr(cls, "_field_defaults", {})
    return defaults.get(name, getattr(cls, name, None))
