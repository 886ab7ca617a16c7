"""`dataclasses.asdict`, `astuple` and `fields`."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.identity.record_fields import FieldName
from retrograd.frontend.library.args import bind
from retrograd.frontend.values.dicts import dict_of, items_of
from retrograd.frontend.values.kinds import (
    NONE,
    Instance,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.lists import content_of, list_of
from retrograd.frontend.values.object_rows import held_by_name
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _as_dict(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dataclasses.asdict`."""
    (value,) = bind(t, "asdict", args, kwargs, "obj")
    fields = _fields(t, "asdict", value)
    return dict_of(t, tuple(fields), tuple(_inner(t, v, _as_dict) for v in fields.values()))


def _as_tuple(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dataclasses.astuple`."""
    (value,) = bind(t, "astuple", args, kwargs, "obj")
    fields = _fields(t, "astuple", value)
    return TupleValue(tuple([_inner(t, v, _as_tuple) for v in fields.values()]))


def _fields(t: Tracer, name: str, value: Value | None) -> dict[str, Value]:
    """The fields of a dataclass by name."""
    if not isinstance(value, Instance | TupleValue) or not _is_dataclass(value):
        raise t.error("RG0108", f"{name} of {describe(value or NONE)}", "pass a dataclass")
    names = [f.name for f in dataclasses.fields(cast("Any", value.cls))]
    if isinstance(value, Instance):
        return {n: held_by_name(t, value, n) for n in names}
    return dict(zip(names, value.items, strict=True))


def _is_dataclass(value: Instance | TupleValue) -> bool:
    return dataclasses.is_dataclass(cast("object", value.cls))


def _inner(t: Tracer, value: Value, convert: Handler) -> Value:
    """A field: dataclasses in it are converted, all else is a copy."""
    if isinstance(value, Instance | TupleValue) and _is_dataclass(value):
        return convert(t, (value,), {})
    if isinstance(value, TupleValue):
        return TupleValue(tuple([_inner(t, v, convert) for v in value.items]), value.cls)
    if isinstance(value, Instance) and value.cls is dict:
        held = items_of(t, value)
        return dict_of(t, held.keys, [_inner(t, v, convert) for v in held.items])
    if isinstance(value, Instance) and value.cls is list:
        held = content_of(t, value)
        if isinstance(held, ListItems):
            return list_of(t, [_inner(t, v, convert) for v in held.items])
    return t.call(Static(copy.deepcopy), (value,), {})


def _every_field(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dataclasses.fields`."""
    (value,) = bind(t, "fields", args, kwargs, "class_or_instance")
    cls = value.obj if isinstance(value, Static) else None
    if not isinstance(cls, type):
        cls = value.cls if isinstance(value, Instance | TupleValue) else object
    if not dataclasses.is_dataclass(cls):
        raise t.error("RG0108", f"fields of {describe(value or NONE)}", "pass a dataclass")
    names = (Static(one.name) for one in dataclasses.fields(cls))
    return TupleValue(tuple(TupleValue((name,), FieldName) for name in names))


TABLE: Mapping[object, Handler] = {
    dataclasses.asdict: _as_dict, dataclasses.astuple: _as_tuple,
    dataclasses.fields: _every_field,
}  # fmt: skip
