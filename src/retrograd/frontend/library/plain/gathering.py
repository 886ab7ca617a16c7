"""Indices of diagonals and triangles, elements along an axis, copies into arrays, blocks."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_places
from retrograd.frontend.library.plain.axes import (
    counted_from_zero,
    counting,
    is_sequence,
    numbers,
    size_of,
)
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_broadcast import Broadcast

__all__ = [
    "asarray_chkfinite", "astype", "block", "broadcast", "broadcast_shapes", "copyto",
    "cumulative_sum",
    "diag_indices", "diag_indices_from", "matrix_transpose", "place", "put", "put_along_axis",
    "putmask", "ravel_multi_index", "require", "take_along_axis", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from", "vecdot", "vector_norm",
]  # fmt: skip

np: Any = numpy


def _below(n: Any, m: Any, k: Any) -> Any:
    columns = n if m is None else m
    return counting(n)[:, None] + k >= counting(columns)[None, :]


def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return written_places.positions_of_all(_below(n, m, k))


def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return written_places.positions_of_all(np.logical_not(_below(n, m, k - 1)))


def tril_indices_from(arr: Any, k: Any = 0) -> Any:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr: Any, k: Any = 0) -> Any:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


def diag_indices(n: Any, ndim: Any = 2) -> Any:
    return tuple([counting(n) for _ in range(ndim)])


def diag_indices_from(arr: Any) -> Any:
    if np.ndim(arr) < 2:
        raise ValueError("input array must be at least 2-d")
    for extent in arr.shape[1:]:
        if extent != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], np.ndim(arr))


def _places_along(arr: Any, indices: Any, axis: Any) -> Any:
    """An index that takes, along an axis, what `indices` say."""
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    place = counted_from_zero(axis, arr.ndim)
    found = ()
    for k in range(arr.ndim):
        line = (None,) * k + (slice(None),) + (None,) * (arr.ndim - k - 1)
        found = (*found, indices if k == place else counting(arr.shape[k])[line])
    return found


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    arr, indices = np.asarray(arr), np.asarray(indices)
    if axis is None:
        return np.ravel(arr)[indices]
    return arr[_places_along(arr, indices, axis)]


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    if axis is None:
        refuse("np.put_along_axis without an axis", "write x.flat out: assign by an index")
    arr[_places_along(arr, np.asarray(indices), axis)] = values


def ravel_multi_index(multi_index: Any, dims: Any) -> Any:
    at = 0
    for k in range(len(dims)):
        index = numbers(multi_index[k])
        if index.dtype != np.int64:
            raise TypeError("only int indices permitted")
        if np.any(index < 0) or np.any(index >= dims[k]):
            raise ValueError("invalid entry in coordinates array")
        at = at + index * size_of(dims[k + 1 :])
    return at


def copyto(dst: Any, src: Any, where: Any = True) -> Any:
    dst[...] = np.where(where, src, dst)


def _flat_mask(mask: Any, like: Any) -> Any:
    flat = np.ravel(np.asarray(mask)) != 0
    if len(flat) != like.size:
        raise ValueError("mask and data must be the same size")
    return flat


def putmask(a: Any, mask: Any, values: Any) -> Any:
    chosen, given = _flat_mask(mask, a), np.ravel(np.asarray(values))
    if len(given) > 0:
        flat = np.ravel(a)
        found = np.where(chosen, given[counting(len(flat)) % len(given)], flat)
        a[...] = np.reshape(found, a.shape)


def place(arr: Any, mask: Any, vals: Any) -> Any:
    at = written_places.positions(_flat_mask(mask, arr))
    given = np.ravel(np.asarray(vals))
    if len(given) == 0 and len(at) > 0:
        raise ValueError("Cannot insert from an empty array!")
    flat = np.ravel(arr).copy()
    flat[at] = given[counting(len(at)) % max(len(given), 1)]
    arr[...] = np.reshape(flat, arr.shape)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    at, given = np.ravel(np.asarray(ind)), np.ravel(np.asarray(v))
    if mode == "wrap":
        at = at % max(a.size, 1)
    elif mode == "clip":
        at = np.clip(at, 0, max(a.size - 1, 0))
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if len(given) > 0 and len(at) > 0:
        if a.size == 0:
            raise IndexError("cannot replace elements of an empty array")
        flat = np.ravel(a).copy()
        flat[at] = given[counting(len(at)) % len(given)]
        a[...] = np.reshape(flat, a.shape)


def cumulative_sum(
    x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Any:
    x = np.atleast_1d(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is"
                             " required.")  # fmt: skip
        axis = 0
    found = np.cumsum(x, axis) if dtype is None else np.cumsum(x, axis, dtype)
    if not include_initial:
        return found
    where = counted_from_zero(axis, x.ndim)
    first = np.zeros((*x.shape[:where], 1, *x.shape[where + 1 :]), dtype=found.dtype)
    return np.concatenate((first, found), where)


def vecdot(x1: Any, x2: Any, axis: Any = -1) -> Any:
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("vecdot: an operand does not have enough dimensions")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError("vecdot: the operands differ in the axis that is summed over")
    if x1.dtype == np.bool_ and x2.dtype == np.bool_:
        refuse("np.vecdot of bools", "write np.any(x & y)")
    return np.sum(x1 * x2, axis=axis)


def vector_norm(x: Any, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    x = np.asarray(x)
    if axis is None and not keepdims:
        return np.linalg.norm(np.ravel(x), ord)
    return np.linalg.norm(x, ord, axis, keepdims)


def matrix_transpose(x: Any) -> Any:
    if np.ndim(x) < 2:
        raise ValueError("Input array must be at least 2-dimensional")
    return np.swapaxes(x, -1, -2)


def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    return np.asarray(a) if dtype is None else np.asarray(a, dtype)


def astype(x: Any, dtype: Any, copy: Any = True, device: Any = None) -> Any:
    if not isinstance(x, np.ndarray):
        raise TypeError("Input should be a NumPy array.")
    if device is not None and device != "cpu":
        raise ValueError("the device must be 'cpu' or None")
    return x.astype(dtype, copy=copy)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    x = np.asarray(a) if dtype is None else np.asarray(a, dtype)
    if not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    return x


def broadcast_shapes(*args: Any) -> Any:
    rank = 0
    for shape in args:
        rank = max(rank, len(shape) if is_sequence(shape) else 1)
    return _stretched([tuple(s) if is_sequence(s) else (s,) for s in args], rank)


def broadcast(*args: Any) -> Any:
    return Broadcast(*args)


def _stretched(shapes: Any, rank: Any) -> Any:
    found = ()
    for k in range(rank):
        extent = 1
        for shape in shapes:
            own = 1 if k < rank - len(shape) else shape[k - rank + len(shape)]
            if own != 1 and extent != 1 and own != extent:
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
            extent = own if extent == 1 else extent
        found = (*found, extent)
    return found


def _row_of_blocks(parts: Any, rank: Any) -> Any:
    tall = [np.atleast_1d(part) if rank == 1 else np.atleast_2d(part) for part in parts]
    return np.concatenate(tall, -1)


def block(arrays: Any) -> Any:
    if not is_sequence(arrays):
        return np.array(arrays)
    if is_sequence(arrays[0]):
        return np.concatenate([_row_of_blocks(row, 2) for row in arrays], -2)
    rank = 1
    for part in arrays:
        rank = max(rank, np.ndim(part))
    return _row_of_blocks(arrays, rank)
