"""Joins at which a complex number (or array) meets a complex or a real one.

What is real on one of the paths has an imaginary part of zero there, and is marked as mixed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from retrograd.frontend.values.complexes import as_complex
from retrograd.frontend.values.kinds import ArrayRef, ComplexValue, Scalar, Value, hole
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.types import F64

__all__ = ["alike", "widen_complex"]

Real = Scalar | ArrayRef


class Join(Protocol):
    """What is needed of a join (`retrograd.frontend.values.merge`)."""

    t: Tracer
    outer: Collection[int]

    def widen(self, h: Value, value: Value) -> Value: ...

    def apart(self, h: Value, value: Value) -> Value: ...


def alike(t: Tracer, value: Value, h: Value) -> Value:
    """A real number or array as a complex one, where `h` asks for it; all else is itself."""
    if isinstance(h, ComplexValue) and isinstance(value, Real):
        return as_complex(t, value)
    return value


def widen_complex(join: Join, h: Value, value: Value) -> Value | None:
    """The abstract value of two numbers or arrays of which one is complex; None of all else."""
    if not isinstance(h, Real | ComplexValue) or not isinstance(value, Real | ComplexValue):
        return None
    if not isinstance(h, ComplexValue) and not isinstance(value, ComplexValue):
        return None
    one, two = (v.real if isinstance(v, ComplexValue) else v for v in (h, value))
    if isinstance(one, Scalar) is not isinstance(two, Scalar):
        return join.apart(h, value)
    mixed = any(not isinstance(v, ComplexValue) or v.mixed for v in (h, value))
    if isinstance(h, ComplexValue) and isinstance(value, ComplexValue):
        imag = join.widen(h.imag, value.imag)
    else:
        imag = _handed_on(join, h, two)
    real = join.widen(_as_floats(join, one), _as_floats(join, two))
    assert isinstance(real, Real)
    assert isinstance(imag, Real)
    return ComplexValue(real, imag, mixed)


def _handed_on(join: Join, h: Real | ComplexValue, value: Real) -> Real:
    """The imaginary part: an abstract number, or an array that each path hands on."""
    if isinstance(value, Scalar):
        return Scalar(hole(F64))
    if isinstance(h, ComplexValue) and isinstance(h.imag, ArrayRef):
        outside = h.imag.loc in join.outer
        return ArrayRef(join.t.ctx.fresh(), h.imag.type) if outside else h.imag
    return ArrayRef(join.t.ctx.fresh(), F64.with_rank(value.type.rank))


def _as_floats(join: Join, value: Real) -> Real:
    if value.type.element == F64:
        return value
    if isinstance(value, Scalar):
        return Scalar(hole(F64), numpy=value.numpy)
    return ArrayRef(join.t.ctx.fresh(), F64.with_rank(value.type.rank))
