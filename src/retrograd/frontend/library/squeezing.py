"""`np.squeeze`: the axes of length one, which decide the rank of the result, have to be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.plain import views
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read
from retrograd.frontend.values.extents import said
from retrograd.frontend.values.kinds import NONE, ArrayRef, Scalar, Static, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit

__all__ = ["squeeze"]

_SQUEEZED = compiled(Plain(np.squeeze, views.squeeze))


def squeeze(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`np.squeeze`, without an axis too, where it is known which axes have length one."""
    plain = [value for value in (*args[1:], *kwargs.values()) if value != NONE]
    if len(args) != 1 or plain:
        return _SQUEEZED(t, args, kwargs)
    if isinstance(args[0], Scalar):  # a number has no axis to lose
        return args[0]
    value = args[0] if isinstance(args[0], ArrayRef) else t.call(Static(np.array), args, {})
    if not isinstance(value, ArrayRef):
        return value
    lengths = [said(t.b.stms, extent(t, value, axis)) for axis in range(value.type.rank)]
    if not all(isinstance(length, Lit) for length in lengths):
        raise t.error(
            "RG0109", "np.squeeze without an axis, of an array whose lengths are not known",
            "say which axis: np.squeeze(x, axis=0)",
        )  # fmt: skip
    first, whole = Index(Scalar(ilit(0)), inside=True), Slice(None, None, None)
    view = narrow(t, value, [first if length == ilit(1) else whole for length in lengths])
    return Scalar(read(t, view), numpy=True) if view.type.rank == 0 else view
