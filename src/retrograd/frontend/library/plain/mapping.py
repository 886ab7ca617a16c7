"""Functions of the user's at elements, along axes, on parts of an array."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import as_tuple, counted_from_zero, folded, is_sequence

__all__ = ["apply_along_axis", "piecewise", "vectorized"]

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


def apply_along_axis(func1d: Any, axis: Any, arr: Any) -> Any:
    arr = np.asarray(arr)
    place = counted_from_zero(axis, arr.ndim)
    x = folded(arr, place)
    if x.shape[0] * x.shape[2] == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    before, after = arr.shape[:place], arr.shape[place + 1 :]
    first = np.asarray(func1d(x[0, :, 0]))
    if first.ndim == 0:
        return np.reshape(written_kernels.number_of_each(func1d, x), before + after)
    return np.reshape(written_kernels.row_of_each(func1d, x), (*before, len(first), *after))


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
