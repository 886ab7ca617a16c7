"""`np.add.outer`, `reduce`, `accumulate`, `reduceat` and those of the other ufuncs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.args import bind, is_none
from retrograd.frontend.library.plain import grouping, ufuncs
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import Bound, Static, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer

__all__ = ["METHODS", "call_ufunc_method"]

METHODS = ("outer", "reduce", "accumulate", "reduceat")
_REDUCTIONS: Mapping[np.ufunc, object] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
    np.logical_and: np.all, np.logical_or: np.any,
}  # fmt: skip


def call_ufunc_method(
    t: Tracer, method: Bound, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a method of a ufunc."""
    assert isinstance(method.receiver, Static)
    op = method.receiver.obj
    assert isinstance(op, np.ufunc)
    name = f"np.{op.__name__}.{method.name}"
    if op.nin != 2 or op.nout != 1:
        raise t.error(
            "RG0108",
            f"{name}: the function has not two arguments and one result",
            "use one of two arguments, as np.add or np.maximum",
        )
    if method.name == "outer":
        a, b = bind(t, name, args, kwargs, "A B", 2)
        assert a is not None
        assert b is not None
        return t.call(Static(ufuncs.outer), (method.receiver, a, b), {})
    if method.name == "reduceat":
        array, at, axis = bind(t, name, args, kwargs, "array indices axis", 2)
        assert array is not None
        assert at is not None
        place = _place(t, name, axis)
        return t.call(Static(grouping.reduceat), (method.receiver, array, at, place), {})
    found = bind(t, name, args, kwargs, "array axis dtype out keepdims")
    array, axis, dtype, out, keepdims = found
    assert array is not None
    for what, value in (("dtype", dtype), ("out", out)):
        if not is_none(value):
            raise t.error("RG0108", f"{name} with {what!r} is not accepted", "leave it out")
    if method.name == "accumulate":
        place = _place(t, name, axis)
        return t.call(Static(ufuncs.accumulate), (method.receiver, array, place), {})
    for known, reduction in _REDUCTIONS.items():
        if known is op:
            given = {"axis": literal(0) if axis is None else axis}
            if keepdims is not None:
                given["keepdims"] = keepdims
            return t.ctx.engine.library[id(reduction)](t, (array,), given)
    if op.identity is not None and op not in (np.logaddexp, np.logaddexp2):
        raise t.error("RG0107", f"{name} is not known to retrograd", "write a loop")
    place = axis if axis is not None and is_none(axis) else _place(t, name, axis)
    kept = literal(False) if keepdims is None else keepdims
    return t.call(Static(ufuncs.reduce), (method.receiver, array, place, kept), {})


def _place(t: Tracer, name: str, axis: Value | None) -> Value:
    """The axis as a literal: 0 where none is given."""
    number = 0 if axis is None else known_int(t, axis)
    if number is None:
        raise t.error("RG0113", f"the axis of {name} must be a literal", "write the number")
    return literal(number)
