"""Comparisons of what may be None, or of one of several kinds."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from retrograd.frontend.values import scalars
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Instance,
    OneOf,
    Option,
    Scalar,
    Static,
    Value,
)
from retrograd.frontend.values.optional import by_presence, present, sure
from retrograd.frontend.values.several import any_kind
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = ["compare_options"]

op: Any = operator


def _equal(t: Tracer, a: Value, b: Value) -> Value:
    return t.call(Static(op.eq), [a, b], {})


def compare_options(t: Tracer, name: str, a: Value, b: Value) -> Value:
    """`a == b` or `a != b` where one may be None."""
    array, number = (a, b) if isinstance(a, ArrayRef) else (b, a)
    number = number if isinstance(array, ArrayRef) and isinstance(number, Option) else None
    if number is not None and isinstance(number.value, Scalar):
        found = [_equal(t, array, number.value), Scalar(number.flag)]
        equal = t.call(Static(np.logical_and), found, {})
        return equal if name == "eq" else t.call(Static(np.logical_not), [equal], {})
    equal = _equal_options(t, a, b)
    return Scalar(equal if name == "eq" else scalars.logical_not(t, equal))


def _equal_options(t: Tracer, a: Value, b: Value) -> Atom:
    """`a == b` of what may be None, which is equal to itself only."""
    if NONE in (a, b):
        return scalars.logical_not(t, present(t, a if b == NONE else b))
    if isinstance(a, Option) and isinstance(a.value, Instance):
        found = by_presence(t, a, lambda one: _equal(t, b, one))
        return scalars.truth(t, found)
    if isinstance(b, Option) and isinstance(b.value, Instance):
        return _equal_options(t, b, a)
    one, two = (v.value if isinstance(v, Option) else v for v in (a, b))
    if any(isinstance(v, ArrayRef | Instance | DictValue) for v in (one, two)):
        equal = _equal(t, sure(t, a), sure(t, b))
        return scalars.truth(t, equal)
    found = _equal_kinds(t, one, two)
    flags = [v.flag for v in (a, b) if isinstance(v, Option)]
    for flag in flags:
        found = t.prim("and_", flag, found)
    if len(flags) == 2:
        found = t.prim("or_", found, t.prim("not_", t.prim("or_", *flags)))
    return found


def _equal_kinds(t: Tracer, a: Value, b: Value) -> Atom:
    """`a == b` of what may be of one of several kinds."""
    if isinstance(a, OneOf):
        return any_kind(t, a, lambda one: _equal_kinds(t, one, b))
    if isinstance(b, OneOf):
        return _equal_kinds(t, b, a)
    return scalars.truth(t, _equal(t, a, b))
