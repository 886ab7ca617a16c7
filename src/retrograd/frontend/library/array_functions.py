"""Functions of NumPy that are loops: cumulative sums, places of extremes, sorting, index arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.library import written_arrays, written_places
from retrograd.frontend.library.args import bind, is_none
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value, describe
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import ilit
from retrograd.ir.types import BOOL, I64

__all__ = ["FOLDS_AT", "TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _array(t: Tracer, value: Value | None, name: str) -> ArrayRef:
    if not isinstance(value, ArrayRef):
        what = "nothing" if value is None else describe(value)
        raise t.error("RG0110", f"{name} of {what}", "give an array")
    if value.type.element == BOOL:
        raise t.error("RG0110", f"{name} of an array of bools", "convert it: x.astype(int)")
    return value


def _bincount(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    x, weights, least = bind(t, "np.bincount", args, kwargs, "x weights minlength")
    if isinstance(x, TupleValue) and len(x.items) > 0:
        x = t.call(Static(np.asarray), (x,), {})
    array = _indices(t, _array(t, x, "np.bincount"))
    least = Scalar(ilit(0)) if least is None else least
    if weights is None or is_none(weights):
        return t.call(Static(written_arrays.counted), [array, least], {})
    given = _array(t, weights, "np.bincount")
    return t.call(Static(written_arrays.bincount_of), [array, given, least], {})


def _indices(t: Tracer, value: ArrayRef) -> ArrayRef:
    if value.type.element != I64:
        message = f"{describe(value)} as indices"
        raise t.error("RG0109", message, "indices are ints: x.astype(int)")
    return value


def _placed(
    t: Tracer, name: str, first: Args, array: ArrayRef, indices: ArrayRef, value: Value | None,
    many: Callable[..., Any], one: Callable[..., Any],
) -> Value:  # fmt: skip
    """A program that writes a value for each index, `many`, or the same for all, `one`."""
    if indices.type.rank != 1:
        raise t.error("RG0109", f"{name} at {describe(indices)}", "loop over the indices")
    if not isinstance(value, Scalar | ArrayRef):
        what = "nothing" if value is None else describe(value)
        raise t.error("RG0110", f"{name} of {what}", "use np.array(...)")
    each = isinstance(value, ArrayRef) and value.type.rank == array.type.rank
    return t.call(Static(many if each else one), [*first, array, indices, value], {})


def _of_each_axis(t: Tracer, name: str, array: ArrayRef, indices: TupleValue) -> Value:
    """Indices that are ints, or arrays of ints, one for each axis."""
    if indices.cls is not tuple or len(indices.items) != array.type.rank:
        way_out = "give an array of indices for each axis, or loop over the indices"
        raise t.error("RG0109", f"{name} at {describe(indices)}", way_out)
    made: list[Value] = []
    for item in indices.items:
        if isinstance(item, TupleValue) and item.cls is list:
            item = t.call(Static(np.array), (item,), {})
        if not isinstance(item, Scalar | ArrayRef) or item.type.element != I64:
            raise t.error("RG0109", f"{describe(item)} as indices", "indices are ints")
        made.append(item)
    return TupleValue(tuple(made))


def _at(op: np.ufunc) -> Handler:
    """`op.at(a, indices, b)`."""
    name = f"np.{op.__name__}.at"

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        a, indices, b = bind(t, name, args, kwargs, "a indices b", 3)
        array = _array(t, a, name)
        if isinstance(b, TupleValue) and b.cls is list:
            b = t.call(Static(np.array), (b,), {})
        if isinstance(indices, TupleValue) and indices.cls is list:
            indices = t.call(Static(np.array), (indices,), {})
        if isinstance(indices, TupleValue):
            assert b is not None
            given = [Static(op), array, _of_each_axis(t, name, array, indices), b]
            return t.call(Static(written_places.put_together_at_places), given, {})
        at = _indices(t, _array(t, indices, name))
        return _placed(
            t, name, (Static(op),), array, at, b, written_arrays.put_together_at,
            written_arrays.put_one_together_at,
        )  # fmt: skip

    return handler


FOLDS_AT: Mapping[np.ufunc, object] = {
    op: op.at
    for op in (
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.power,
        np.maximum,
        np.minimum,
        np.fmax,
        np.fmin,
        np.logaddexp,
        np.hypot,
    )
}
"""`np.add.at` and its like, each one object: NumPy makes a new one whenever it is asked."""

TABLE: Mapping[object, Handler] = {
    np.bincount: _bincount,
    **{at: _at(op) for op, at in FOLDS_AT.items()},
}
