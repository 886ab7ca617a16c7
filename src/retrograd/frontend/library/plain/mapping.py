"""Functions of the user's at elements, along axes, on parts of an array."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import as_tuple, counted_from_zero, folded, is_sequence
from retrograd.frontend.library.plain.told import refuse

__all__ = ["apply_along_axis", "by_signature", "piecewise", "vectorized"]

np: Any = numpy


def vectorized(function: Any, otypes: Any, *args: Any) -> Any:
    """At each element of the arguments together; the dtype is that of the results."""
    arrays = [np.asarray(arg) for arg in args]
    total = np.zeros(arrays[0].shape)
    for other in arrays[1:]:
        total = total + np.zeros(other.shape)
    if total.ndim == 0:
        found = np.asarray(function(*args))
    else:
        flat = [np.ravel(np.broadcast_to(array, total.shape)) for array in arrays]
        if total.size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        found = np.reshape(written_kernels.mapped(function, *flat), total.shape)
    return found if otypes is None else found.astype(as_tuple(otypes)[0])


def by_signature(function: Any, otypes: Any, signature: Any, *args: Any) -> Any:
    """At each part of the arguments that has the axes of the signature, such as `(n),(n)->()`."""
    inputs, outputs = signature.replace(" ", "").split("->")
    if outputs.count("(") != 1:
        refuse("np.vectorize with a signature of several results", "vectorize one at a time")
    names = [[name for name in one.split(",") if name != ""] for one in inputs[1:-1].split("),(")]
    if len(names) != len(args):
        raise TypeError("wrong number of positional arguments")
    arrays = [np.asarray(arg) for arg in args]
    extents: dict[str, Any] = {}
    for own, array in zip(names, arrays, strict=True):
        if array.ndim < len(own):
            raise ValueError("an argument has fewer axes than its signature")
        for name, extent in zip(own, array.shape[array.ndim - len(own) :], strict=True):
            if extents.setdefault(name, extent) != extent:
                raise ValueError("inconsistent size for a core dimension")
    total = np.zeros(arrays[0].shape[: arrays[0].ndim - len(names[0])])
    for own, array in zip(names[1:], arrays[1:], strict=True):
        total = total + np.zeros(array.shape[: array.ndim - len(own)])
    if total.ndim == 0:
        found = np.asarray(function(*arrays))
    else:
        if total.size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        flat = [_parts(array, total, len(own)) for own, array in zip(names, arrays, strict=True)]
        rows = np.array(
            [np.asarray(function(*[one[k] for one in flat])) for k in range(total.size)]
        )
        found = np.reshape(rows, total.shape + rows.shape[1:])
    return found if otypes is None else found.astype(as_tuple(otypes)[0])


def _parts(array: Any, total: Any, rank: Any) -> Any:
    """The parts of an array with so many axes, one after the other."""
    own = array.shape[array.ndim - rank :]
    return np.reshape(np.broadcast_to(array, total.shape + own), (total.size, *own))


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    def of_row(row: Any) -> Any:
        return func1d(row, *args, **kwargs)

    function = of_row if len(args) + len(kwargs) > 0 else func1d
    arr = np.asarray(arr)
    place = counted_from_zero(axis, arr.ndim)
    x = folded(arr, place)
    if x.shape[0] * x.shape[2] == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    before, after = arr.shape[:place], arr.shape[place + 1 :]
    first = np.asarray(function(x[0, :, 0]))
    if first.ndim == 0:
        return np.reshape(written_kernels.number_of_each(function, x), before + after)

    def in_a_line(row: Any) -> Any:
        return np.ravel(np.asarray(function(row)))

    own = function if first.ndim == 1 else in_a_line
    return np.reshape(written_kernels.row_of_each(own, x), (*before, *first.shape, *after))


def piecewise(x: Any, condlist: Any, funclist: Any) -> Any:
    x = np.asarray(x)
    conditions = [np.asarray(c) for c in (condlist if is_sequence(condlist) else [condlist])]
    if len(conditions) != len(funclist) and len(conditions) + 1 != len(funclist):
        raise ValueError("with n conditions, either n or n + 1 functions are expected")
    flat = np.ravel(np.atleast_1d(x))
    out = np.zeros(len(flat), dtype=x.dtype)
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = np.logical_or(rest, condition)
        conditions = [*conditions, np.logical_not(rest)]
    for condition, function in zip(conditions, funclist, strict=True):
        chosen = np.ravel(np.broadcast_to(condition, x.shape)) if x.ndim > 0 else condition
        where = np.full(1, chosen) if x.ndim == 0 else chosen
        if callable(function):
            written_kernels.write_where(out, where, function, flat)
        else:
            out = np.where(where, np.asarray(function).astype(x.dtype), out)
    return np.reshape(out, x.shape)
