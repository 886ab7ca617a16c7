"""Arrays with places left out or put in, several arrays of one shape, places as indices."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import along, counted_from_zero, counting, size_of
from retrograd.frontend.library.plain.told import linked, refuse
from retrograd.frontend.library.plain.views import atleast_1d

__all__ = [
    "broadcast_arrays", "delete", "fromfunction", "indices", "insert", "isin", "rollaxis",
    "unravel_index", "unwrap",
]  # fmt: skip

np: Any = numpy


def broadcast_arrays(*args: Any) -> Any:
    arrays = [np.asarray(arg) for arg in args]
    total = np.zeros(arrays[0].shape)
    for other in arrays[1:]:
        total = total + np.zeros(other.shape)
    return tuple([linked(np.broadcast_to(x, total.shape).copy(), x) for x in arrays])


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    a = np.asarray(a)
    axis = counted_from_zero(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if start < 0 or start > a.ndim:
        raise ValueError("'start' is out of range")
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def _flat(arr: Any, axis: Any) -> Any:
    return np.ravel(atleast_1d(arr)) if axis is None else np.asarray(arr)


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    x = _flat(arr, axis)
    place = 0 if axis is None else counted_from_zero(axis, x.ndim)
    if isinstance(obj, slice) or np.asarray(obj).ndim > 0:
        return _without(x, obj, place)
    n = x.shape[place]
    if obj < -n or obj >= n:
        raise IndexError("index is out of bounds for the axis")
    k = obj % n
    before, after = x[along(place, slice(0, k))], x[along(place, slice(k + 1, n))]
    return np.concatenate((before, after), place)


def _without(x: Any, obj: Any, place: Any) -> Any:
    """Without several places, without those that a mask names, or without a slice."""
    n = x.shape[place]
    kept = np.ones(n, dtype=bool)
    if isinstance(obj, slice):
        kept[obj] = False
    elif np.asarray(obj).dtype == np.bool_:
        if len(obj) != n:
            raise ValueError("boolean array argument obj to delete must be one dimensional")
        kept = np.logical_not(np.asarray(obj))
    else:
        at = np.asarray(obj)
        if np.any(np.logical_or(at < -n, at >= n)):
            raise IndexError("index is out of bounds for the axis")
        kept[at.astype(int)] = False
    return np.compress(kept, x, axis=place)


def _with_several(x: Any, obj: Any, values: Any) -> Any:
    """`x` with numbers before several of its elements; of one place, all numbers are before it."""
    at, given = np.asarray(obj), np.ravel(np.asarray(values)).astype(x.dtype)
    if at.dtype != np.int64:
        refuse("np.insert at places that are no ints", "use np.flatnonzero(mask)")
    n = len(x)
    if np.any(np.logical_or(at < -n, at > n)):
        raise IndexError("index is out of bounds for the axis")
    m = np.maximum(len(at), len(given)) if len(at) == 1 else len(at)
    at = np.broadcast_to(np.where(at < 0, at + n, at), (m,))
    order = np.argsort(at, kind="stable")
    moved = at.copy()
    moved[order] = at[order] + np.arange(m)
    kept = np.ones(n + m, dtype=bool)
    kept[moved] = False
    made = np.zeros(n + m, dtype=x.dtype)
    made[moved] = np.broadcast_to(given, (m,))
    made[kept] = x
    return made


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    x = _flat(arr, axis)
    place = 0 if axis is None else counted_from_zero(axis, x.ndim)
    if np.asarray(obj).ndim > 0:
        if x.ndim > 1:
            refuse("np.insert of several rows", "use np.concatenate of the parts")
        return _with_several(x, obj, values)
    n = x.shape[place]
    if obj < -n or obj > n:
        raise IndexError("index is out of bounds for the axis")
    k = obj + n if obj < 0 else obj
    given = np.asarray(values).astype(x.dtype)
    if x.ndim == 1:
        middle = np.ravel(atleast_1d(given))
    else:
        if given.ndim > 1:
            refuse("np.insert of several rows", "use np.concatenate of the parts")
        shape = (*x.shape[:place], *x.shape[place + 1 :])
        middle = np.expand_dims(np.broadcast_to(given, shape), place)
    before, after = x[along(place, slice(0, k))], x[along(place, slice(k, n))]
    return np.concatenate((before, middle, after), place)


def unwrap(p: Any, discont: Any = None, axis: Any = -1, period: Any = 6.283185307179586) -> Any:
    x = np.asarray(p) * 1.0
    place = counted_from_zero(axis, x.ndim)
    steps = np.diff(x, axis=place)
    half = period / 2.0
    moved = (steps + half) % period - half
    moved = np.where(np.logical_and(moved == -half, steps > 0.0), half, moved)
    least = half if discont is None else np.maximum(discont * 1.0, half)
    added = np.where(np.abs(steps) < least, 0.0, moved - steps)
    # Multiples of the period, which have no derivative with respect to the values.
    zeros = np.zeros((*x.shape[:place], 1, *x.shape[place + 1 :]))
    return x + np.concatenate((zeros, np.cumsum(added, axis=place)), place)


def _grid(shape: Any, k: Any) -> Any:
    """The index along one axis, at each place."""
    rank = len(shape)
    line = counting(shape[k])[(None,) * k + (slice(None),) + (None,) * (rank - 1 - k)]
    return np.broadcast_to(line, shape)


def indices(dimensions: Any) -> Any:
    return np.stack([_grid(dimensions, k) for k in range(len(dimensions))])


def fromfunction(function: Any, shape: Any, dtype: Any = float) -> Any:
    return function(*[_grid(shape, k).astype(dtype) for k in range(len(shape))])


def unravel_index(indices: Any, shape: Any) -> Any:
    places = np.asarray(indices)
    if places.dtype != np.int64:
        raise TypeError("only int indices permitted")
    count = size_of(shape)
    if np.any(places < 0) or np.any(places >= count):
        raise ValueError("index is out of bounds for the array")
    after = [size_of(shape[k + 1 :]) for k in range(len(shape))]
    return tuple([places // after[k] % shape[k] for k in range(len(shape))])


def isin(element: Any, test_elements: Any) -> Any:
    x, known = np.asarray(element), np.ravel(atleast_1d(test_elements))
    if x.ndim == 0:
        return np.any(known == x)
    flat = np.ravel(x)
    return np.reshape(np.any(flat[:, None] == known[None, :], axis=1), x.shape)
