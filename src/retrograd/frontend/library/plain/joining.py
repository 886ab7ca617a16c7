"""Arrays put together of others: stacked, repeated, rolled, padded."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import (
    as_tuple,
    counted_from_zero,
    folded,
    is_sequence,
    size_of,
    unfolded,
)
from retrograd.frontend.library.plain.views import atleast_1d, atleast_2d, atleast_3d, moveaxis

__all__ = [
    "append", "column_stack", "columns", "dstack", "flat", "hstack", "items_joined",
    "items_stacked", "repeat", "resize", "roll", "row", "tile", "vstack",
]  # fmt: skip

np: Any = numpy


def hstack(tup: Any) -> Any:
    parts = [atleast_1d(a) for a in tup]
    return np.concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tup: Any) -> Any:
    return np.concatenate([atleast_2d(a) for a in tup], 0)


def dstack(tup: Any) -> Any:
    return np.concatenate([atleast_3d(atleast_1d(a)) for a in tup], 2)


def _column(a: Any) -> Any:
    a = atleast_1d(a)
    return a[:, None] if a.ndim == 1 else a


def column_stack(tup: Any) -> Any:
    return np.concatenate([_column(a) for a in tup], 1)


def flat(a: Any) -> Any:
    return np.ravel(atleast_1d(a))


def items_joined(a: Any, axis: Any) -> Any:
    """`np.concatenate` of the items of an array, or of a list that is kept as one."""
    if len(a) == 0:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        return np.ravel(a)
    if a.ndim == 1:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    place = counted_from_zero(axis, a.ndim - 1)
    moved = moveaxis(a, 0, place)
    shape = moved.shape
    return np.reshape(moved, (*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :]))


def items_stacked(a: Any, axis: Any) -> Any:
    """`np.stack` of the items of an array, or of a list that is kept as one."""
    if len(a) == 0:
        raise ValueError("need at least one array to stack")
    place = counted_from_zero(axis, a.ndim)
    return moveaxis(a, 0, place) if place > 0 else np.asarray(a)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate((flat(arr), flat(values)))
    arr = np.asarray(arr)
    return np.concatenate((arr, np.asarray(values)), counted_from_zero(axis, arr.ndim))


def _repeated_axis(x: Any, count: Any, axis: Any) -> Any:
    """The whole array, `count` times along an axis."""
    shape = x.shape
    outer, rest = size_of(shape[:axis]), size_of(shape[axis:])
    wide = np.broadcast_to(np.reshape(x, (outer, 1, rest)), (outer, max(count, 0), rest))
    return np.reshape(wide, (*shape[:axis], shape[axis] * max(count, 0), *shape[axis + 1 :]))


def tile(A: Any, reps: Any) -> Any:
    counts = as_tuple(reps)
    x = np.array(A)
    rank = max(x.ndim, len(counts))
    if rank == 0:
        return x
    x = np.full((1,) * rank, x) if x.ndim == 0 else x[(None,) * (rank - x.ndim)]
    counts = (*((1,) * (rank - len(counts))), *counts)
    for axis, count in enumerate(counts):
        x = _repeated_axis(x, count, axis)
    return x


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    a = atleast_1d(a)
    flat = np.ravel(a) if axis is None else a
    place = 0 if axis is None else counted_from_zero(axis, a.ndim)
    x = folded(flat, place)
    if np.ndim(repeats) == 0:
        if repeats < 0:
            raise ValueError("repeats may not contain negative values.")
        outer, n, inner = x.shape
        rows = np.reshape(x, (outer * n, 1, inner))
        wide = np.broadcast_to(rows, (outer * n, repeats, inner))
        out = np.array(np.reshape(wide, (outer, n * repeats, inner)))
    else:
        out = written_kernels.repeated(x, np.asarray(repeats))
    return unfolded(out, flat.shape, place)


def _rolled(a: Any, shift: Any, axis: Any) -> Any:
    place = counted_from_zero(axis, a.ndim)
    x = folded(a, place)
    n = x.shape[1]
    first = n - shift % max(n, 1)
    return np.reshape(np.concatenate((x[:, first:], x[:, :first]), 1), a.shape)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    a = np.asarray(a)
    if axis is None:
        return np.reshape(_rolled(np.ravel(a), shift, 0), a.shape)
    axes = as_tuple(axis)
    shifts = as_tuple(shift) if is_sequence(shift) else (shift,) * len(axes)
    if len(axes) == 1 and len(shifts) > 1:
        axes = axes * len(shifts)
    for one, place in zip(shifts, axes, strict=True):
        a = _rolled(a, one, place)
    return a


def row(*parts: Any) -> Any:
    """`np.r_[parts]`."""
    return np.concatenate([atleast_1d(part) for part in parts], 0)


def columns(*parts: Any) -> Any:
    """`np.c_[parts]`."""
    return np.concatenate([_column(part) for part in parts], -1)


def resize(a: Any, new_shape: Any) -> Any:
    flat = np.ravel(a)
    shape = tuple(new_shape) if is_sequence(new_shape) else (new_shape,)
    if flat.size == 0:
        return np.zeros(shape, dtype=flat.dtype)
    return np.reshape(flat[np.arange(size_of(shape)) % flat.size], shape)
