"""The buffers of a list as arrays: the entries that count, and a column for each part of tuples."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.values.arrays import Slice, narrow, read
from retrograd.frontend.values.item_kinds import only_kind
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.scalars import convert, join_dtype
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["all_there", "columns", "whole"]


def whole(t: Tracer, ref: ArrayRef, length: Scalar) -> ArrayRef:
    """The entries of a buffer that count."""
    return narrow(t, ref, [Slice(None, length, None)])


def all_there(t: Tracer, buffers: Value, length: Scalar) -> Value:
    """The buffers of items of which none is None, which is checked."""
    found = only_kind(buffers)
    if found is None:
        raise t.error(
            "RG0110", "a list with items of several kinds as an array", "keep items of one kind"
        )
    which, values = found
    there = t.prim("ge", read(t, whole(t, which, length)), ilit(0))
    every = t.call(Static(np.all), [t.new(there)], {})
    assert isinstance(every, Scalar)
    text = "float() argument must be a string or a real number, not 'NoneType'"
    t.check(every.atom, "TypeError", text)
    return values


def columns(t: Tracer, buffers: TupleValue, length: Scalar) -> Atom:
    """The array of items that are tuples of numbers: a column for each of them."""
    parts = [part for part in buffers.items if isinstance(part, ArrayRef) and part.type.rank == 1]
    if len(parts) < len(buffers.items):
        raise t.error(
            "RG0110", "a list of such tuples whose length is known at run time only, as an array",
            "keep a list for each part of the tuples",
        )  # fmt: skip
    dtype = parts[0].type.dtype
    for part in parts[1:]:
        dtype = join_dtype(dtype, part.type.dtype)
    out = t.prim("zeros", length.atom, ilit(len(parts)), dtype=dtype.value)
    for k, part in enumerate(parts):
        column = convert(t, read(t, whole(t, part, length)), dtype)
        out = t.prim("update_slice", out, column, ilit(k), spec="ai")
    return out
