"""Sorting and the places of extremes, along an axis."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_arrays, written_kernels
from retrograd.frontend.library.plain.axes import counted_from_zero, folded, numbers, unfolded

__all__ = [
    "argmax", "argmin", "argsort", "by_key", "by_key_reversed", "looked_up",
    "order_of_rows", "order_of_rows_reversed", "placed", "sort",
]  # fmt: skip

np: Any = numpy


def argsort(a: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
    x = numbers(a)
    if x.ndim == 0:
        return np.zeros(1, dtype=int)
    if axis is None:
        return written_arrays.argsorted(np.ravel(x))
    place = counted_from_zero(axis, x.ndim)
    if x.ndim == 1:
        return written_arrays.argsorted(x)
    return unfolded(written_kernels.argsorted_along(folded(x, place)), x.shape, place)


def by_key(items: Any, key: Any) -> Any:
    return items[_order_of_keys(np.array([key(item) for item in items]))]


def by_key_reversed(items: Any, key: Any) -> Any:
    return items[_backwards(_order_of_keys(np.array([key(item) for item in items])[::-1]))]


def looked_up(table: Any, places: Any) -> Any:
    return table[places]


def _order_of_keys(keys: Any) -> Any:
    """Of keys that are numbers, or tuples of them: rows."""
    if keys.ndim == 1:
        return argsort(keys)
    order = np.arange(len(keys))
    for k in range(keys.shape[1] - 1, -1, -1):
        order = order[argsort(keys[order, k])]
    return order


def order_of_rows(columns: Any) -> Any:
    """The order of tuples of numbers, of which there is an array for each place in them."""
    order = argsort(columns[len(columns) - 1])
    for k in range(len(columns) - 1):
        order = order[argsort(columns[len(columns) - 2 - k][order])]
    return order


def order_of_rows_reversed(columns: Any) -> Any:
    """The same with the largest first; equal ones stay in their order."""
    return _backwards(order_of_rows(tuple(column[::-1] for column in columns)))


def _backwards(order: Any) -> Any:
    """From the order of a reversed array that of the array, the largest first."""
    return (len(order) - 1 - order)[::-1]


def placed(column: Any, order: Any) -> Any:
    return column[order]


def sort(a: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
    given = np.asarray(a)
    x = numbers(given)
    if x.ndim == 0:
        raise ValueError("axis -1 is out of bounds for array of dimension 0")
    if axis is None:
        return written_arrays.sorted_copy(np.ravel(x)).astype(given.dtype)
    place = counted_from_zero(axis, x.ndim)
    if x.ndim == 1:
        return written_arrays.sorted_copy(x).astype(given.dtype)
    found = unfolded(written_kernels.sorted_along(folded(x, place)), x.shape, place)
    return found.astype(given.dtype)


def _place_of(one: Any, many: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    x = numbers(a)
    if x.ndim == 0:
        counted_from_zero(0 if axis is None else axis, 1)
        return 0
    if axis is None:
        at = one(np.ravel(x))
        return np.full((1,) * x.ndim, at) if keepdims else at
    place = counted_from_zero(axis, x.ndim)
    if x.ndim == 1:
        at = one(x)
        return np.full((1,), at) if keepdims else at
    found = many(folded(x, place))
    middle = (1,) if keepdims else ()
    return np.reshape(found, (*x.shape[:place], *middle, *x.shape[place + 1 :]))


def argmax(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    one, many = written_arrays.argmax_of, written_kernels.argmax_along
    return _place_of(one, many, a, axis, keepdims)


def argmin(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    one, many = written_arrays.argmin_of, written_kernels.argmin_along
    return _place_of(one, many, a, axis, keepdims)
