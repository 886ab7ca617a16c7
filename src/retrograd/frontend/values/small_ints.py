"""Numbers of NumPy's of less than 64 bits: they are ints, in the range of their class.

Where NumPy's wrap around, with a warning, the program raises.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.narrow_ints import NarrowArray
from retrograd.frontend.values.kinds import Scalar, TupleValue, Value
from retrograd.frontend.values.scalars import compare
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import ilit
from retrograd.ir.types import BOOL, I64

__all__ = ["in_range", "inverted", "plain_ints", "small_of"]

_KINDS = {BOOL: np.dtype(bool), I64: np.dtype(np.int64)}


def in_range(t: Tracer, made: Value, a: Scalar, b: Scalar) -> Value:
    """The result of an operation on two numbers, of which one may be of less than 64 bits."""
    if (a.small is None and b.small is None) or not isinstance(made, Scalar) or made.type != I64:
        return made
    kind = np.result_type(cast("Any", _class_of(a)), cast("Any", _class_of(b)))
    if kind in (np.dtype(np.int64), np.dtype(float)):
        return made
    bounds = np.iinfo(kind)
    text = f"a number of {kind.name} wraps around in NumPy: use int(x), or an array of np.int64"
    limits = ((bounds.min, "ge"), (min(bounds.max, 2**63 - 1), "le"))
    for bound, compared in limits:
        t.check(compare(t, compared, made, Scalar(ilit(bound))).atom, "OverflowError", text)
    return replace(made, small=kind.type)


def small_of(value: Value) -> type | None:
    """The class of a number of less than 64 bits; None of all else."""
    return value.small if isinstance(value, Scalar) else None


def inverted(t: Tracer, value: Scalar) -> Value:
    """`~value` of a number of less than 64 bits."""
    top = np.iinfo(cast("Any", value.small)).max
    unsigned = np.issubdtype(cast("Any", value.small), np.unsignedinteger)
    made = t.prim("sub", ilit(top), value.atom) if unsigned else t.prim("bit_not", value.atom)
    return replace(value, atom=made, nonneg=unsigned)


def plain_ints(value: Value) -> Value:
    """The 64-bit ints that an array of less stands for; all else as it is."""
    narrow = isinstance(value, TupleValue) and value.cls is NarrowArray
    return value.items[0] if isinstance(value, TupleValue) and narrow else value


def _class_of(value: Scalar) -> object:
    """What `np.result_type` takes for it: ints that may be Python's are of any class."""
    if value.small is not None:
        return np.dtype(value.small)
    return _KINDS[value.type] if value.numpy or value.type == BOOL else 1
