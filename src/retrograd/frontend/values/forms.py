"""Items of lists taken apart into numbers and arrays, and put together from them.

A list in buffers has one for each number or array of an item; complex numbers are two.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from retrograd.errors import CompilerBug
from retrograd.frontend.values.atoms import hole
from retrograd.frontend.values.kinds import (
    UNDEF,
    ArrayRef,
    ComplexValue,
    Scalar,
    TupleValue,
    Value,
    parts,
    with_parts,
)

__all__ = ["arrays", "buffers_form", "leaves", "like"]


def leaves(value: Value) -> Iterator[Value]:
    """The numbers and arrays in a form, an item or the buffers."""
    if isinstance(value, TupleValue | ComplexValue):
        yield from chain.from_iterable(map(leaves, parts(value)))
    else:
        yield value


def arrays(buffers: Value) -> Iterator[ArrayRef]:
    """The buffers one by one."""
    for leaf in leaves(buffers):
        if not isinstance(leaf, ArrayRef):
            raise CompilerBug("a list without buffers")
        yield leaf


def buffers_form(buffers: Value) -> Value:
    """What an item in these buffers is like."""
    match buffers:
        case ArrayRef():
            rank = buffers.type.rank
            type_ = buffers.type.with_rank(rank - 1)
            return Scalar(hole(type_)) if rank == 1 else ArrayRef(0, type_)
        case TupleValue() | ComplexValue():
            return with_parts(buffers, tuple(map(buffers_form, parts(buffers))))
        case _:
            return UNDEF


def like(form: Value, found: Iterator[Value]) -> Value:
    """`form` with its leaves taken from `found`."""
    if isinstance(form, TupleValue | ComplexValue):
        return with_parts(form, tuple(like(part, found) for part in parts(form)))
    return next(found)
