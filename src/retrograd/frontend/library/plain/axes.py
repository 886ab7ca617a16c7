"""Axes: indices along one, and arrays seen as (outer, n, inner)."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = [
    "along", "as_tuple", "counted_from_zero", "counting", "folded", "is_sequence", "numbers",
    "size_of", "unfolded",
]  # fmt: skip

np: Any = numpy


def along(axis: Any, part: Any) -> Any:
    """The index that takes `part` of one axis and all of those before."""
    return (slice(None),) * axis + (part,)


def counting(n: Any) -> Any:
    return np.arange(int(n))


def is_sequence(x: Any) -> bool:
    return isinstance(x, (tuple, list))


def as_tuple(x: Any) -> Any:
    return tuple(x) if is_sequence(x) else (x,)


def counted_from_zero(axis: Any, rank: Any) -> Any:
    if axis < -rank or axis >= rank:
        raise ValueError("axis is out of bounds for the rank of the array")
    return axis % rank


def numbers(x: Any) -> Any:
    """As an array, of ints where it has bools."""
    x = np.asarray(x)
    return x.astype(int) if x.dtype == np.bool_ else x


def size_of(shape: Any) -> Any:
    count = 1
    for extent in shape:
        count = count * extent
    return count


def folded(x: Any, axis: Any) -> Any:
    """The array as (outer, n, inner)."""
    shape = x.shape
    if len(shape) == 1:
        return np.reshape(x, (1, shape[0], 1))
    outer, inner = size_of(shape[:axis]), size_of(shape[axis + 1 :])
    return np.reshape(x, (outer, shape[axis], inner))


def unfolded(x: Any, shape: Any, axis: Any) -> Any:
    """What became of `folded`, whose middle axis may be longer or shorter now."""
    return np.reshape(x, (*shape[:axis], x.shape[1], *shape[axis + 1 :]))
