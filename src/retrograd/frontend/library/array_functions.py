"""Functions of NumPy that are loops: cumulative sums, places of extremes, sorting, index arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.library import written_arrays
from retrograd.frontend.library.args import bind, is_none
from retrograd.frontend.library.reduce import ravel
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, Value, describe
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


def _along(name: str, program: Any, rows: Any, columns: Any, default: int | None) -> Handler:
    """A function of an array and an axis; `program` is that of one axis."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        a, axis, _ = bind(t, name, args, kwargs, "a axis kind" if default else "a axis _")
        array = _array(t, a, name)
        rank = array.type.rank
        number = default if axis is None else None if is_none(axis) else known_int(t, axis)
        if axis is not None and not is_none(axis) and number is None:
            raise t.error("RG0113", f"an axis of {name} that is not known", "write an int")
        if number is None:
            flat = array if rank == 1 else ravel(t, (array,), {})
            return t.call(Static(program), [flat], {})
        place = number + rank if number < 0 else number
        if not 0 <= place < rank:
            raise t.error("RG0109", f"axis {number} is out of bounds for {describe(array)}")
        if rank == 1:
            return t.call(Static(program), [array], {})
        if rank > 2:
            raise t.error("RG0108", f"{name} along an axis of {describe(array)}", "loop over it")
        return t.call(Static(columns if place == 0 else rows), [Static(program), array], {})

    return handler


def _cumulative(name: str, program: Callable[..., Any]) -> Handler:
    return _along(name, program, written_arrays.in_rows, written_arrays.in_columns, None)


def _place_of(name: str, program: Callable[..., Any]) -> Handler:
    return _along(name, program, written_arrays.of_rows, written_arrays.of_columns, None)


def _sorting(name: str, program: Callable[..., Any], whole: bool) -> Handler:
    """Sorting along an axis, the last one unless it is said; `whole`: the dtype is the array's.

    It is stable, whatever kind is asked for.
    """
    if whole:
        return _along(name, program, written_arrays.in_rows, written_arrays.in_columns, -1)

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        a, axis, _ = bind(t, name, args, kwargs, "a axis kind")
        array = _array(t, a, name)
        if array.type.rank > 1 or (axis is not None and known_int(t, axis) not in (0, -1)):
            raise t.error("RG0108", f"{name} of {describe(array)}", "sort its rows in a loop")
        return t.call(Static(program), [array], {})

    return handler


def _searchsorted(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, v, side = bind(t, "np.searchsorted", args, kwargs, "a v side", 2)
    array = _array(t, a, "np.searchsorted")
    name = "left" if side is None else side.obj if isinstance(side, Static) else None
    if name not in ("left", "right"):
        raise t.error("RG0108", "this side of np.searchsorted", "it is 'left' or 'right'")
    left = name == "left"
    one = written_arrays.searched_left if left else written_arrays.searched_right
    if isinstance(v, Scalar):
        return t.call(Static(one), [array, v], {})
    every = written_arrays.every_left if left else written_arrays.every_right
    return t.call(Static(every), [array, _array(t, v, "np.searchsorted")], {})


def _bincount(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    x, weights, least = bind(t, "np.bincount", args, kwargs, "x weights minlength")
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


def _at(op: np.ufunc) -> Handler:
    """`op.at(a, indices, b)`."""
    name = f"np.{op.__name__}.at"

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        a, indices, b = bind(t, name, args, kwargs, "a indices b", 3)
        array = _array(t, a, name)
        at = _indices(t, _array(t, indices, name))
        return _placed(
            t, name, (Static(op),), array, at, b, written_arrays.put_together_at,
            written_arrays.put_one_together_at,
        )  # fmt: skip

    return handler


FOLDS_AT: Mapping[np.ufunc, object] = {
    op: op.at for op in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)
}
"""`np.add.at` and its like, each one object: NumPy makes a new one whenever it is asked."""

TABLE: Mapping[object, Handler] = {
    np.cumsum: _cumulative("np.cumsum", written_arrays.cumsum_of),
    np.cumprod: _cumulative("np.cumprod", written_arrays.cumprod_of),
    np.argmin: _place_of("np.argmin", written_arrays.argmin_of),
    np.argmax: _place_of("np.argmax", written_arrays.argmax_of),
    np.sort: _sorting("np.sort", written_arrays.sorted_copy, True),
    np.argsort: _sorting("np.argsort", written_arrays.argsorted, False),
    np.searchsorted: _searchsorted,
    np.bincount: _bincount,
    **{at: _at(op) for op, at in FOLDS_AT.items()},
}
