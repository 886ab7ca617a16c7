"""Norms of matrices, and products and powers of several."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_batches as batches
from retrograd.frontend.library import written_functions as functions
from retrograd.frontend.library.plain.axes import counted_from_zero, is_sequence
from retrograd.frontend.library.plain.equations import inv, square
from retrograd.frontend.library.plain.factorisations import values_of
from retrograd.frontend.library.plain.told import refuse

__all__ = ["matrix_norm", "matrix_power", "multi_dot", "norm_of_matrices", "root_of_squares"]

np: Any = numpy


def root_of_squares(total: Any) -> Any:
    """The root of a sum of squares, whose slope is zero at zero, as that of `abs` is."""
    some = total > 0.0
    return np.where(some, np.sqrt(np.where(some, total, 1.0)), 0.0 * total)


def norm_of_matrices(x: Any, ord: Any, row: Any, column: Any, keepdims: Any) -> Any:
    """Norms along two axes."""
    row, column = counted_from_zero(row, x.ndim), counted_from_zero(column, x.ndim)
    if row == column:
        raise ValueError("Duplicate axes given.")
    rest = tuple([k for k in range(x.ndim) if k not in (row, column)])
    found = _norms(np.transpose(x, (*rest, row, column)), ord)
    if not keepdims:
        return found
    shape = tuple([1 if k in (row, column) else x.shape[k] for k in range(x.ndim)])
    return np.reshape(found, shape)


def _norms(x: Any, ord: Any) -> Any:
    if ord is None or ord in ("fro", "f"):
        return root_of_squares(np.sum(np.sum(x * x, axis=-1), axis=-1))
    if ord == 1:
        return np.max(np.sum(np.abs(x), axis=-2), axis=-1)
    if ord == -1:
        return np.min(np.sum(np.abs(x), axis=-2), axis=-1)
    if ord == np.inf:
        return np.max(np.sum(np.abs(x), axis=-1), axis=-1)
    if ord == -np.inf:
        return np.min(np.sum(np.abs(x), axis=-1), axis=-1)
    if ord == "nuc":
        return np.sum(values_of(x), axis=-1)
    if ord == 2:
        return np.max(values_of(x), axis=-1)
    if ord == -2:
        return np.min(values_of(x), axis=-1)
    raise ValueError("Invalid norm order for matrices.")


def matrix_norm(x: Any, ord: Any = "fro", keepdims: Any = False) -> Any:
    x = np.asarray(x) * 1.0
    if x.ndim < 2:
        raise ValueError("Improper number of dimensions to norm.")
    return norm_of_matrices(x, ord, -2, -1, keepdims)


def matrix_power(a: Any, n: Any) -> Any:
    a = square(a)
    if n < 0:
        a, n = inv(a), -n
    return functions.power(a, n) if a.ndim == 2 else batches.powers(a, n)


def multi_dot(arrays: Any) -> Any:
    if not is_sequence(arrays) or len(arrays) < 2:
        refuse("np.linalg.multi_dot of this", "give it a tuple of two arrays or more")
    for k in range(len(arrays)):
        if np.ndim(arrays[k]) != 2 and (np.ndim(arrays[k]) != 1 or 0 < k < len(arrays) - 1):
            raise np.linalg.LinAlgError(
                f"{np.ndim(arrays[k])}-dimensional array given. Array must be two-dimensional"
            )
    first, last = np.asarray(arrays[0]), np.asarray(arrays[-1])
    if last.ndim == 1:
        found = last
        for factor in arrays[-2::-1]:
            found = np.asarray(factor) @ found
        return found
    if len(arrays) == 3 and first.ndim == 2:
        return functions.three_dot(first * 1.0, np.asarray(arrays[1]) * 1.0, last * 1.0)
    found = first
    for factor in arrays[1:]:
        found = found @ np.asarray(factor)
    return found
