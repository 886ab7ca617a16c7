"""Masks, and arrays of ints beside other indices, written out in Python as those of `written` are.

An index is a tuple with an entry for each axis of the array: the ints along it, or None where the
whole axis is taken. All these arrays of ints are as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "flat", "positions", "positions_of_all", "put_together_at_places", "read_at", "repeated_to",
    "write_at", "write_one_at",
]  # fmt: skip


def positions(m: Any) -> Any:
    """Where an array of bools is true, in ascending order."""
    out = np.zeros(np.sum(m), dtype=int)
    at = 0
    for k in range(len(m)):
        if m[k]:
            out[at] = k
            at += 1
    return out


def positions_of_all(m: Any) -> Any:
    """For each axis of an array of bools the indices of what is true, in the order of memory."""
    left = positions(np.ravel(m))
    found = ()
    for k in range(m.ndim - 1, 0, -1):
        n = max(m.shape[k], 1)
        found = (left % n, *found)
        left = left // n
    return (left, *found)


def flat(a: Any, shape: Any) -> Any:
    """An array of ints in a shape, as one axis."""
    return np.ravel(np.broadcast_to(a, shape))


def read_at(x: Any, at: Any, before: Any, shape: Any) -> Any:
    """The elements, or what is left of `x` by whole axes; as many of these as `before` has items
    come first, then the axes of the indices, whose extents are `shape`."""
    left = tuple([n for a, n in zip(at, x.shape, strict=True) if a is None])
    first, rest = left[: len(before)], left[len(before) :]
    start = tuple([slice(None) for _ in before])
    count = np.prod(np.array(shape))
    out = np.zeros((*first, count, *rest), dtype=x.dtype)
    for k in range(count):
        out[(*start, k)] = x[tuple([slice(None) if a is None else a[k] for a in at])]
    if len(shape) == 1:
        return out
    return np.reshape(out, (*first, *shape, *rest))


def repeated_to(values: Any, wanted: Any, masked: Any) -> Any:
    """Values for all places that are written, as they are before anything is: they may be parts
    of it. `masked` is true for a mask that is the whole index."""
    for axis in range(values.ndim):
        n = values.shape[axis]
        if n != 1 and n != wanted[len(wanted) - values.ndim + axis]:
            if masked:
                raise ValueError(
                    "NumPy boolean array indexing assignment cannot assign these input values"
                    " to the output values where the mask is true: there are not as many"
                )
            raise ValueError(
                "shape mismatch: value array could not be broadcast to indexing result"
            )
    return np.broadcast_to(values, wanted).copy()


def write_at(x: Any, at: Any, before: Any, shape: Any, values: Any, masked: Any) -> None:
    """`values` into what `read_at` reads; the last of several for the same place stays."""
    left = tuple([n for a, n in zip(at, x.shape, strict=True) if a is None])
    first, rest = left[: len(before)], left[len(before) :]
    start = tuple([slice(None) for _ in before])
    count = np.prod(np.array(shape))
    every = repeated_to(values, (*first, *shape, *rest), masked)
    if len(shape) > 1:
        every = np.reshape(every, (*first, count, *rest))
    for k in range(count):
        x[tuple([slice(None) if a is None else a[k] for a in at])] = every[(*start, k)]


def write_one_at(x: Any, at: Any, shape: Any, value: Any) -> None:
    """The same number at all places."""
    for k in range(np.prod(np.array(shape))):
        x[tuple([slice(None) if a is None else a[k] for a in at])] = value


def put_together_at_places(op: Any, x: Any, at: Any, values: Any) -> None:
    """`op.at(x, at, values)` with indices for each axis of `x`, one element after the other."""
    given: Any = [np.atleast_1d(a) for a in at]
    shape = np.broadcast_shapes(*[a.shape for a in given])
    places = tuple([flat(a, shape) for a in given])
    every = flat(values, shape).copy()
    for k in range(len(every)):
        place = tuple([a[k] for a in places])
        x[place] = op(x[place], every[k])
