"""Operators of lists: `+`, `*`, and what NumPy makes of lists where it takes part."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.library.operators import augmented, binary
from retrograd.frontend.syntax import lists
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.lists import content_of, list_of, set_items
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.numbers import is_python
from retrograd.frontend.values.optional import no_operation
from retrograd.frontend.values.tracer import NeedKinds, NeedLists, Tracer
from retrograd.ir.types import F64

__all__ = ["changed_part", "list_binary", "list_in_place"]

_LONGEST_TUPLE = 64


def list_binary(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a + b` and `a * n` of lists; None for all else."""
    if op == "add" and _listy(a) and _listy(b) and (_object(a) or _object(b)):
        return lists.concatenated(t, _thaw(t, a), _thaw(t, b))
    if op == "add" and _listy(a) and _listy(b):
        return None
    for one, count in ((a, b), (b, a)):
        if op != "mul" or not _listy(one) or not isinstance(count, Scalar):
            continue
        if count.type == F64:
            break
        if _object(one):
            return lists.repeated(t, one, count)
        assert isinstance(one, TupleValue)
        known = static_int(count)
        if known is None or known * len(one.items) > _LONGEST_TUPLE:
            if not t.ctx.way.lists:
                raise NeedLists
            return lists.repeated(t, _thaw(t, one), count)
        return None
    return _as_arrays(t, op, a, b) if _listy(a) or _listy(b) else None


def _as_arrays(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` of a list and what makes an array of it, where Python knows no operation of lists.

    NumPy's numbers do; None of all that may have operators of its own.
    """
    other = b if _listy(a) else a
    match other:
        case Scalar(array=0) if op == "mul" or is_python(other):
            raise no_operation(t, op, a, b)
        case Scalar(array=0, numpy=None):
            if not t.ctx.way.kinds:
                raise NeedKinds
            raise t.error(
                "RG0110", f"an operation on {describe(a)} and {describe(b)}, which gives an array "
                "if the number is NumPy's, and a TypeError if it is Python's",
                "make an array of the list: np.array(..)",
            )  # fmt: skip
        case Scalar():
            one, two = (t.call(Static(np.asarray), (v,), {}) if _listy(v) else v for v in (a, b))
            return binary(t, op, one, two)
        case TupleValue(cls=cls) | Instance(cls=cls) if cls in (list, tuple):
            raise no_operation(t, op, a, b)
        case ArrayRef():
            return binary(t, op, frozen(t, a), frozen(t, b))
        case _:
            return None


def list_in_place(t: Tracer, op: str, owner: Value, other: Value) -> Value | None:
    """`owner += other` and `owner *= n` of a list, and what the name is then; None for all else."""
    if not _listy(owner) or op not in ("add", "mul"):
        return None
    if op == "mul" and not (isinstance(other, Scalar) and other.type != F64):
        return None
    own = lists.changeable(t, owner)
    if op == "add":
        lists.extend(t, own, other)
    else:
        set_items(t, own, content_of(t, lists.repeated(t, own, other)))
    return own


def changed_part(t: Tracer, op: str, part: Value, other: Value) -> Value:
    """What `l[a:b] op= other` puts into the list, where `part` is `l[a:b]`."""
    made = list_in_place(t, op, part, other)
    made = list_binary(t, op, part, other) if made is None else made
    return augmented(t, op, part, frozen(t, other)) if made is None else made


def _listy(value: Value) -> bool:
    return isinstance(value, TupleValue | Instance) and value.cls is list


def _object(value: Value) -> bool:
    return isinstance(value, Instance)


def _thaw(t: Tracer, value: Value) -> Value:
    return list_of(t, value.items) if isinstance(value, TupleValue) else value
