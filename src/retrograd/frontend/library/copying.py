"""`copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from retrograd.errors import UserError
from retrograd.frontend.identity.containers import stands_for
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.create import copy_of
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Bound,
    ComplexValue,
    DictValue,
    Instance,
    Maybe,
    Option,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.object_rows import is_row, row_in
from retrograd.frontend.values.objects import new_object
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.frontend.values.wording import class_in_words

__all__ = ["TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _copy(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "copy.copy", args, kwargs, "x")
    assert value is not None
    match value:
        case ArrayRef():
            return copy_of(t, value)
        case ComplexValue():
            return with_parts(value, tuple(copy_of(t, part) for part in parts(value)))
        case Instance() if value.cls in (list, dict) or stands_for(value.cls) is not None:
            return t.call(Bound(value, "copy"), (), {})
        case Instance():
            return _object(t, value, "__copy__", {})
        case _:
            return _unchanging(t, value, "copy.copy")


def _deep(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "copy.deepcopy", args, kwargs, "x")
    assert value is not None
    return _deeply(t, value, {})


def _deeply(t: Tracer, value: Value, known: dict[Value, Value]) -> Value:
    """A copy of all that is reached; what is there twice is there twice in the copy."""
    match value:
        case ArrayRef() | Instance() if value in known:
            return known[value]
        case ArrayRef():
            known[value] = copy_of(t, value)
            return known[value]
        case TupleValue() if (cls := row_in(value)) is not None:
            raise _of_row(t, class_in_words(cls, None))
        case TupleValue() | DictValue() | ComplexValue():
            return with_parts(value, tuple(_deeply(t, part, known) for part in parts(value)))
        case Instance():
            return _object(t, value, "__deepcopy__", known)
        case Maybe():
            return Maybe(_deeply(t, value.value, known), value.flag)
        case _:
            return _unchanging(t, value, "copy.deepcopy")


def _unchanging(t: Tracer, value: Value, name: str) -> Value:
    """Numbers, texts, functions and tuples are their own copies."""
    inner = value.value if isinstance(value, Option) else value
    if isinstance(inner, Scalar | Static | Text | TupleValue | ComplexValue):
        return value
    raise t.error("RG0107", f"{name} of {describe(value)}", "make a new one")


def _of_row(t: Tracer, what: str) -> UserError:
    return t.error(
        "RG0107", f"a copy of {what} that a list of run-time length holds",
        "make a new one of what it has: Particle(p.x, p.v), dict(d), list(row)",
    )  # fmt: skip


def _object(t: Tracer, value: Instance, own: str, known: dict[Value, Value]) -> Value:
    """An object, list or dict with the same contents, or, for a deep copy, with copies of them."""
    if is_row(value):
        raise _of_row(t, describe(value))
    bases = () if value.cls in (list, dict) else value.cls.__mro__[:-1]
    for base in bases:
        if own in vars(base) or "__reduce__" in vars(base):
            raise t.error(
                "RG0107", f"a copy of {describe(value)}, whose class says how it is copied",
                "call a method of your own that makes it",
            )  # fmt: skip
    made = new_object(t, value.cls, value.names)
    known[value] = made
    for cell, source in zip(made.cells, value.cells, strict=True):
        held = t.state.cells.get(source, UNBOUND)
        if held != UNBOUND:
            deep = own == "__deepcopy__"
            t.set_content(cell, _deeply(t, t.content(source), known) if deep else t.content(source))
    return made


TABLE: Mapping[object, Handler] = {copy.copy: _copy, copy.deepcopy: _deep}
