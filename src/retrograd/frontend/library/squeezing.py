"""`np.squeeze`: the axes of length one, which decide the rank of the result, have to be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.plain import views
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read
from retrograd.frontend.values.atoms import SHARED
from retrograd.frontend.values.extents import said
from retrograd.frontend.values.kinds import NONE, ArrayRef, Scalar, Static, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit

__all__ = ["squeeze"]

_ONE = (
    "np.squeeze without an axis, of an axis that has length one in this run and may have another: "
    "say which axes go, np.squeeze(x, axis=0)"
)
_SQUEEZED = compiled(Plain(np.squeeze, views.squeeze))


def squeeze(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`np.squeeze`, without an axis too, where it is known which axes have length one.

    In programs for certain extents those that are still not known are taken for others, which is
    checked when the program runs.
    """
    plain = [value for value in (*args[1:], *kwargs.values()) if value != NONE]
    if len(args) != 1 or plain:
        return _SQUEEZED(t, args, kwargs)
    if isinstance(args[0], Scalar):  # a number has no axis to lose
        return args[0]
    value = args[0] if isinstance(args[0], ArrayRef) else t.call(Static(np.array), args, {})
    if not isinstance(value, ArrayRef):
        return value
    extents = [extent(t, value, axis) for axis in range(value.type.rank)]
    lengths = [said(t.ctx.prims, t.ctx.functions, t.b.stms, one) for one in extents]
    for length in lengths:
        if isinstance(length, Lit):
            continue
        if t.ctx.sizes is None:
            raise t.error(
                "RG0109", "np.squeeze without an axis, of an array whose lengths are not known",
                "say which axis: np.squeeze(x, axis=0)",
            )  # fmt: skip
        apart = t.prim("ne", length, ilit(1))
        # no handler of the program may take it for an error of its own
        t.b.effect("check", apart, kind="ValueError", message=_ONE, span=t.span)
    first, whole = Index(Scalar(ilit(0)), inside=True), Slice(None, None, None)
    view = narrow(t, value, [first if length == ilit(1) else whole for length in lengths])
    return Scalar(read(t, view), numpy=True, array=SHARED) if view.type.rank == 0 else view
