"""Complex numbers and arrays: made of their parts, and made of real ones.

A complex value is a pair of real ones. Whatever is done to it is done to these, so that the typed
language and all that comes after it are about real numbers only
(docs/decisions/0055-complex-numbers-are-pairs.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from retrograd.frontend.values.arrays import extent, read
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    Scalar,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import flit
from retrograd.ir.types import F64

__all__ = [
    "as_complex", "complex_literal", "floats", "has_complex", "is_about_complex", "is_array",
    "is_complex_dtype", "is_mixed", "paired", "zeros_as",
]  # fmt: skip

Real = Scalar | ArrayRef


def complex_literal(value: complex) -> ComplexValue:
    """A complex number that is written out."""
    return ComplexValue(Scalar(flit(value.real)), Scalar(flit(value.imag)))


def floats(t: Tracer, value: Real) -> Real:
    """A number or array with floats as elements; itself where it has them."""
    if value.type.element == F64:
        return value
    if isinstance(value, Scalar):
        return replace(value, atom=convert(t, value.atom, F64), nonneg=False)
    made = t.new(convert(t, read(t, value), F64))
    assert isinstance(made, ArrayRef)
    return made


def zeros_as(t: Tracer, value: Real) -> Real:
    """Zeros in the shape of a number or array: the imaginary part of a real one."""
    if isinstance(value, Scalar):
        return Scalar(flit(0.0), numpy=value.numpy)
    dims = tuple(extent(t, value, axis) for axis in range(value.type.rank))
    made = t.new(t.prim("zeros", *dims, dtype="f64"))
    assert isinstance(made, ArrayRef)
    return made


def as_complex(t: Tracer, value: Real | ComplexValue) -> ComplexValue:
    """A real number or array as a complex one, with zeros; complex ones are themselves."""
    if isinstance(value, ComplexValue):
        return value
    real = floats(t, value)
    return ComplexValue(real, zeros_as(t, real))


def paired(t: Tracer, real: Real, imag: Real) -> ComplexValue:
    """The complex value of two parts that nothing else refers to; a number is repeated."""
    one, two = floats(t, real), floats(t, imag)
    return ComplexValue(_filled(t, one, two), _filled(t, two, one))


def _filled(t: Tracer, value: Real, like: Real) -> Real:
    """A number in each place of an array; all else is itself."""
    if isinstance(value, ArrayRef) or isinstance(like, Scalar):
        return value
    dims = (extent(t, like, axis) for axis in range(like.type.rank))
    made = t.new(t.prim("full", value.atom, *dims))
    assert isinstance(made, ArrayRef)
    return made


def is_array(value: Value) -> TypeGuard[ArrayRef | ComplexValue]:
    """Whether it is an array, of real or complex numbers, that changes in place."""
    if isinstance(value, ComplexValue):
        return isinstance(value.real, ArrayRef)
    return isinstance(value, ArrayRef)


def has_complex(value: Value) -> bool:
    """Whether a value is complex, or a tuple (or list, as a tuple) with one in it."""
    match value:
        case ComplexValue():
            return True
        case TupleValue():
            return any(map(has_complex, value.items))
        case _:
            return False


def is_about_complex(values: Iterable[Value]) -> bool:
    """Whether a call with these arguments is one of complex numbers."""
    return any(has_complex(value) or is_complex_dtype(value) for value in values)


def is_mixed(values: Iterable[Value]) -> bool:
    """Whether Python may have only real numbers in these values, of which some are complex."""
    found = [one for value in values for one in _complex_in(value)]
    return len(found) > 0 and all(one.mixed for one in found)


def _complex_in(value: Value) -> list[ComplexValue]:
    match value:
        case ComplexValue():
            return [value]
        case TupleValue():
            return [one for item in value.items for one in _complex_in(item)]
        case _:
            return []


_DTYPES = (complex, np.complex128)
_NAMES = ("complex", "complex128", "c16", "D")


def is_complex_dtype(value: Value | None) -> bool:
    """Whether it says that elements are complex numbers, as `dtype=` does."""
    if not isinstance(value, Static):
        return False
    obj = value.obj
    if isinstance(obj, str):
        return obj in _NAMES
    return any(obj is one for one in _DTYPES) or obj == np.dtype(complex)
