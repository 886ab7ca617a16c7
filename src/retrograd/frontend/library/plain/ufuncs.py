"""Methods of functions of two numbers, and sums with a start."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_arrays, written_kernels
from retrograd.frontend.library.plain.axes import counted_from_zero, folded, numbers, unfolded

__all__ = ["accumulate", "added_to", "cumprod", "cumsum", "item", "item_at", "outer", "reduce"]

np: Any = numpy


def outer(op: Any, a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return op(a, b)
    return op(a[(slice(None),) * a.ndim + (None,) * b.ndim], b)


def item(a: Any) -> Any:
    if a.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return np.ravel(a)[0]


def item_at(a: Any, places: Any) -> Any:
    a = np.asarray(a)
    return np.ravel(a)[places[0]] if len(places) == 1 else a[places]


def reduce(op: Any, array: Any, axis: Any, keepdims: Any) -> Any:
    x = np.asarray(array)
    if x.ndim == 0:
        raise TypeError("cannot reduce on a scalar")
    if op is np.logaddexp or op is np.logaddexp2:
        x = x * 1.0
    if axis is None:
        found = _reduced(op, np.ravel(x))
        return np.full((1,) * x.ndim, found) if keepdims else found
    place = counted_from_zero(axis, x.ndim)
    found = _reduced(op, np.moveaxis(x, place, 0))
    if keepdims:
        return np.reshape(found, (*x.shape[:place], 1, *x.shape[place + 1 :]))
    return found


def _reduced(op: Any, x: Any) -> Any:
    """Along the first axis."""
    if len(x) == 0:
        if op is np.logaddexp or op is np.logaddexp2:
            return np.full(x.shape[1:], -np.inf)
        raise ValueError("zero-size array to a reduction operation which has no identity")
    total = x[0]
    for k in range(1, len(x)):
        total = op(total, x[k])
    return total


def added_to(start: Any, items: Any) -> Any:
    for item in items:
        start = start + item
    return start


def accumulate(op: Any, array: Any, axis: Any) -> Any:
    x = numbers(array) if op is np.add or op is np.multiply else np.asarray(array)
    if x.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    place = counted_from_zero(axis, x.ndim)
    return unfolded(written_kernels.running(op, folded(x, place)), x.shape, place)


def _running(op: Any, of_one: Any, a: Any, axis: Any, dtype: Any) -> Any:
    x = numbers(a) if dtype is None else np.asarray(a).astype(dtype)
    if axis is None:
        return of_one(np.ravel(x))
    place = counted_from_zero(axis, x.ndim)
    return of_one(x) if x.ndim == 1 else accumulate(op, x, place)


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(np.add, written_arrays.cumsum_of, a, axis, dtype)


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(np.multiply, written_arrays.cumprod_of, a, axis, dtype)
