"""Functions of NumPy on arrays, written out in Python as those of `written` are."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "argmax_of", "argmin_of", "argsorted", "as_many", "bincount_of", "counted", "cumprod_of",
    "cumsum_of", "every_left", "every_right", "gathered", "put_one_together_at", "put_together_at",
    "searched_left", "searched_right",
    "sorted_copy",
]  # fmt: skip


def cumsum_of(x: Any) -> Any:
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]
    return out


def cumprod_of(x: Any) -> Any:
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = out[i - 1] * x[i]
    return out


def argmin_of(x: Any) -> Any:
    if len(x) == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    at = 0
    for i in range(1, len(x)):
        # The first that is not a number wins.
        if x[at] == x[at] and not x[i] >= x[at]:
            at = i
    return at


def argmax_of(x: Any) -> Any:
    if len(x) == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    at = 0
    for i in range(1, len(x)):
        if x[at] == x[at] and not x[i] <= x[at]:
            at = i
    return at


def argsorted(x: Any) -> Any:
    """By merging runs that get twice as long each time: stable, what is no number at the end."""
    n = len(x)
    order = np.arange(n)
    other = np.arange(n)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, end):
                first = j >= end
                if not first and i < middle:
                    a, b = x[order[i]], x[order[j]]
                    first = a <= b or b != b
                if first:
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order[:] = other
        width *= 2
    return order


def sorted_copy(x: Any) -> Any:
    order = argsorted(x)
    out = x.copy()
    for k in range(len(x)):
        out[k] = x[order[k]]
    return out


def searched_left(a: Any, v: Any) -> Any:
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        # What is no number comes last.
        if a[middle] < v or (v != v and a[middle] == a[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def searched_right(a: Any, v: Any) -> Any:
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] <= v or v != v:
            low = middle + 1
        else:
            high = middle
    return low


def every_left(a: Any, v: Any) -> Any:
    out = np.zeros(len(v), dtype=int)
    for k in range(len(v)):
        out[k] = searched_left(a, v[k])
    return out


def every_right(a: Any, v: Any) -> Any:
    out = np.zeros(len(v), dtype=int)
    for k in range(len(v)):
        out[k] = searched_right(a, v[k])
    return out


def _bins(x: Any, least: Any) -> Any:
    """How many there have to be."""
    count = least
    for k in x:
        if k < 0:
            raise ValueError("'list' argument must have no negative elements")
        count = max(count, k + 1)
    return count


def counted(x: Any, least: Any) -> Any:
    out = np.zeros(_bins(x, least), dtype=int)
    for k in x:
        out[k] += 1
    return out


def bincount_of(x: Any, weights: Any, least: Any) -> Any:
    if len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    out = np.zeros(_bins(x, least))
    for i in range(len(x)):
        out[x[i]] += weights[i]
    return out


def gathered(x: Any, at: Any) -> Any:
    """`x[at]` for one array of ints: numbers, or rows."""
    out = np.zeros((len(at), *x.shape[1:]), dtype=x.dtype)
    for k in range(len(at)):
        out[k] = x[at[k]]
    return out


def as_many(values: Any, at: Any) -> Any:
    """A value for each index, as they are before anything is written: they may be parts of what
    will be."""
    if len(values) == 1 and len(at) != 1:
        return values[np.zeros(len(at), dtype=int)]
    if len(values) != len(at):
        raise ValueError("shape mismatch: there are not as many values as indices")
    return values.copy()


def put_together_at(op: Any, x: Any, at: Any, values: Any) -> None:
    """`op.at(x, at, values)`: repeated indices count."""
    before = as_many(values, at)
    for k in range(len(at)):
        x[at[k]] = op(x[at[k]], before[k])


def put_one_together_at(op: Any, x: Any, at: Any, value: Any) -> None:
    before = value.copy() if np.ndim(value) > 0 else value
    for k in range(len(at)):
        x[at[k]] = op(x[at[k]], before)
