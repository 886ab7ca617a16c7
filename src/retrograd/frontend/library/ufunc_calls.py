"""Calls of ufuncs: operands that are lists, and `out=` with `where=`.

Where `where` does not hold, operands are replaced by one before anything is computed, so that no
derivative of what is thrown away is 0 times infinity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.args import dtype_from, is_none
from retrograd.frontend.library.create import as_array, as_operand
from retrograd.frontend.values.arrays import extent, value_atom, write
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.frontend.values.zero_dimensional import overwritten
from retrograd.ir.terms import flit, true
from retrograd.ir.types import BOOL, F64, DType

__all__ = ["call_ufunc", "stored"]


def call_ufunc(
    t: Tracer,
    ufunc: np.ufunc,
    handler: Handler,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """The value of `ufunc(*args, **kwargs)`; that of `out` where it is given."""
    given = [as_operand(t, arg) for arg in args]
    named = dict(kwargs)
    out, where, dtype = named.pop("out", None), named.pop("where", None), named.pop("dtype", None)
    named.pop("casting", None)
    if len(given) == ufunc.nin + 1 and ufunc.nout == 1 and out is None:
        out = given.pop()
    if isinstance(out, TupleValue) and len(out.items) == 1:
        (out,) = out.items
    everywhere = is_none(where) or (isinstance(where, Scalar) and where.atom == true)
    if not everywhere:
        given = [_chosen(t, _mask(t, where), arg) for arg in given]
    found = handler(t, given, named)
    if not is_none(dtype):
        found = as_array(t, found, dtype_from(t, dtype, DType.F64))
    if is_none(out):
        return found if everywhere else _or_zeros(t, ufunc, where, found)
    if not everywhere and not isinstance(out, ArrayRef | Scalar):
        raise t.error("RG0108", f"np.{ufunc.__name__} with this `out`", "give it an array")
    return stored(t, ufunc.__name__, out, found if everywhere else _merged(t, where, found, out))


def _mask(t: Tracer, where: Value | None) -> Value:
    """What `where` is, which has to be true or false."""
    if not isinstance(where, Scalar | ArrayRef) or where.type.element != BOOL:
        t.stop("TypeError", "Cannot cast the array of `where` to bools")
        raise PathEnds
    return where


def _chosen(t: Tracer, where: Value, arg: Value) -> Value:
    """An operand, with ones in the places that do not count."""
    if not isinstance(arg, Scalar | ArrayRef) or arg.type.element != F64:
        return arg
    return t.call(Static(np.where), (where, arg, Scalar(flit(1.0))), {})


def _or_zeros(t: Tracer, ufunc: np.ufunc, where: Value | None, found: Value) -> Value:
    """The result where `where` holds, and zeros for what NumPy leaves as memory has it."""
    if not isinstance(found, Scalar | ArrayRef):
        raise t.error(
            "RG0108", f"np.{ufunc.__name__} with `where` and without `out`",
            "give it out=np.zeros_like(x), or use np.where",
        )  # fmt: skip
    zeros = t.call(Static(np.zeros_like), (found,), {})
    return _merged(t, where, found, zeros)


def _merged(t: Tracer, where: Value | None, found: Value, out: Value | None) -> Value:
    assert where is not None
    assert out is not None
    return t.call(Static(np.where), (where, found, out), {})


def stored(t: Tracer, name: str, out: Value | None, found: Value) -> Value:
    """`out`, into which a result has been written."""
    if isinstance(out, Scalar) and isinstance(found, Scalar):
        return _into_number(t, name, out, found)
    if not isinstance(out, ArrayRef) or not isinstance(found, Scalar | ArrayRef):
        raise t.error("RG0108", f"np.{name} with this `out`", "give it an array")
    _check_fits(t, out, found)
    if isinstance(found, ArrayRef):
        offset = out.type.rank - found.type.rank
        if offset < 0:
            raise t.error("RG0110", "the result does not fit into `out`", "leave `out` away")
        for axis in range(found.type.rank):
            same = t.prim("eq", extent(t, found, axis), extent(t, out, axis + offset))
            t.check(same, "ValueError", "non-broadcastable output operand")
    write(t, out, value_atom(t, found))
    return out


_ORDER = (DType.BOOL, DType.I64, DType.F64)


def _check_fits(t: Tracer, out: Scalar | ArrayRef, found: Scalar | ArrayRef) -> None:
    if _ORDER.index(found.type.dtype) > _ORDER.index(out.type.dtype):
        raise t.error("RG0110", "the result does not fit into `out`", "give it an array of floats")


def _into_number(t: Tracer, name: str, out: Scalar, found: Scalar) -> Value:
    """`out` that is an array without axes, which only this call has."""
    new = Scalar(convert(t, found.atom, out.type.dtype))
    if (made := overwritten(t, out, new)) is None:
        raise t.error(
            "RG0108", f"np.{name} with an `out` without axes that has a name",
            "leave `out` away, and give the result a name",
        )  # fmt: skip
    _check_fits(t, out, found)
    return made
