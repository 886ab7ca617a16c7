"""Histograms, scatter and gather: elements at indices that are data."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from retrograd.constructs.maps import build, common_length, item
from retrograd.tracebacks import library_program

__all__ = ["gather", "hist", "reduce_by_index", "scatter"]


@library_program
def reduce_by_index(
    dest: Any, op: Callable[[Any, Any], Any], neutral: Any, indices: Any, *values: Any
) -> Any:
    """For each place, what is there put together with all values whose index it is.

    Args:
        dest: an array, which is not changed; with several arrays of values a tuple of arrays.
        op: an associative operator, as for `reduce`.
        neutral: as for `reduce`; nothing depends on it.
        indices: an array of ints. What is outside of `dest` is left out, -1 included.
        values: as many as indices.

    Returns:
        A new array (or a tuple): element k is dest[k], then the values in order. Of `min`, `max`
        and NumPy's of these the derivative is that of the first of equal ones, `dest` before all.

    Raises:
        ValueError: arrays of different lengths.

    >>> import numpy as np, operator, retrograd as rg
    >>> rg.reduce_by_index(np.zeros(2), operator.add, 0.0, np.array([0, 1, 0, 7]), np.ones(4))
    array([2., 1.])
    """
    n = common_length((indices, *values))
    if len(values) != 1:
        return _by_index(dest, op, indices, values, n)
    if op is operator.add or op is np.add:
        return _added(dest.copy(), indices, values[0], n)
    if np.ndim(dest) == 1 and (op is builtins.min or op is np.minimum):
        return _extremes(dest.copy(), indices, values[0], n, 1.0)
    if np.ndim(dest) == 1 and (op is builtins.max or op is np.maximum):
        return _extremes(dest.copy(), indices, values[0], n, -1.0)
    return _by_index((dest,), op, indices, values, n)[0]


def _added(out: Any, indices: Any, values: Any, n: Any) -> Any:
    m = len(out)
    for i in range(n):
        k = indices[i]
        if 0 <= k < m:
            out[k] += values[i]
    return out


def _extremes(out: Any, indices: Any, values: Any, n: Any, side: Any) -> Any:
    m = len(out)
    for i in range(n):
        k = indices[i]
        if 0 <= k < m and side * values[i] < side * out[k]:
            out[k] = values[i]
    return out


def _by_index(dest: Any, op: Any, indices: Any, values: Any, n: Any) -> Any:
    """The values of each place are folded before they meet what is there."""
    m = common_length(dest)
    outs = tuple([one.copy() for one in dest])
    totals = tuple([np.zeros_like(one) for one in dest])
    some = np.zeros(m, dtype=bool)
    for i in range(n):
        k = indices[i]
        if 0 <= k < m:
            if some[k]:
                _put(totals, k, op(item(totals, k), item(values, i)))
            else:
                _put(totals, k, item(values, i))
                some[k] = True
    for k in range(m):
        if some[k]:
            _put(outs, k, op(item(dest, k), item(totals, k)))
    return outs


def _put(outs: Any, k: Any, value: Any) -> None:
    if len(outs) == 1:
        outs[0][k] = value
    else:
        for out, one in zip(outs, value):  # noqa: B905 (their numbers are the operator's)
            out[k] = one


@library_program
def hist(dest: Any, op: Callable[[Any, Any], Any], neutral: Any, indices: Any, *values: Any) -> Any:
    """Another name of `reduce_by_index`.

    Args:
        dest, op, neutral, indices, values: as there.

    >>> import numpy as np, retrograd as rg
    >>> rg.hist(np.zeros(2), max, -np.inf, np.array([1, 1]), np.array([3.0, 4.0]))
    array([0., 4.])
    """
    return reduce_by_index(dest, op, neutral, indices, *values)


@library_program
def scatter(dest: Any, indices: Any, values: Any) -> Any:
    """An array with some elements replaced.

    Args:
        dest: an array, which is not changed.
        indices: an array of ints. What is outside of `dest` is left out, -1 included.
        values: as many as indices; of values with the same index the last one stays.

    Returns:
        A new array.

    Raises:
        ValueError: indices and values of different lengths.

    >>> import numpy as np, retrograd as rg
    >>> rg.scatter(np.zeros(3), np.array([0, 2, -1]), np.array([5.0, 6.0, 7.0]))
    array([5., 0., 6.])
    """
    out = dest.copy()
    m = len(out)
    for i in range(common_length((indices, values))):
        k = indices[i]
        if 0 <= k < m:
            out[k] = values[i]
    return out


@library_program
def gather(xs: Any, indices: Any) -> Any:
    """The elements at some indices, `xs[indices]`.

    Args:
        xs: an array.
        indices: an array of ints with one or two axes; negative ones count from the end.

    Returns:
        An array with the axes of the indices, then those of an element.

    Raises:
        IndexError: there is no such element.

    >>> import numpy as np, retrograd as rg
    >>> rg.gather(np.array([1.0, 2.0, 3.0]), np.array([2, 0, -1]))
    array([3., 1., 3.])
    """
    if np.ndim(indices) == 1:
        return build(len(indices), lambda k: xs[indices[k]])
    rows, columns = indices.shape
    return build(rows, lambda i: build(columns, lambda j: xs[indices[i, j]]))
