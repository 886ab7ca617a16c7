"""Values that are there once, and sets of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from retrograd.frontend.identity.object_arrays import TextArray, different_texts
from retrograd.frontend.library import written_places
from retrograd.frontend.library.plain.axes import counted_from_zero, is_sequence, size_of
from retrograd.frontend.library.plain.rearranging import isin
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "intersect1d", "lexsort", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique",
    "unique_all", "unique_counts", "unique_inverse",
]  # fmt: skip

np: Any = numpy


def _first_ones(ordered: Any, equal_nan: Any) -> Any:
    """Where values in order differ from the one before."""
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    if equal_nan and ordered.dtype == np.float64:
        both = np.logical_and(np.isnan(ordered[1:]), np.isnan(ordered[:-1]))
        new[1:] = np.logical_and(new[1:], np.logical_not(both))
    return new


def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    equal_nan: Any = True,
) -> Any:
    if isinstance(ar, TextArray) or (is_sequence(ar) and len(ar) > 0 and isinstance(ar[0], str)):
        if axis is not None:
            refuse("np.unique of texts along an axis", "leave axis out")
        return different_texts(ar, return_index, return_inverse, return_counts)
    if axis is not None:
        return _along(np.asarray(ar), axis, (return_index, return_inverse, return_counts))
    given = np.asarray(ar)
    x = np.ravel(given)
    if x.dtype == np.bool_:
        refuse("np.unique of bools", "count them: np.sum(x)")
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    new = _first_ones(ordered, equal_nan)
    at = written_places.positions(new)
    found = (ordered[at],)
    if return_index:
        found = (*found, order[at])
    if return_inverse:
        inverse = np.zeros(len(x), dtype=int)
        inverse[order] = np.cumsum(new) - 1
        found = (*found, np.reshape(inverse, given.shape))
    if return_counts:
        found = (*found, np.diff(at, append=len(x)))
    return found if len(found) > 1 else found[0]


def _along(x: Any, axis: Any, wanted: Any) -> Any:
    """The parts along an axis that are there once, in the order of their elements."""
    place = counted_from_zero(axis, x.ndim)
    if x.dtype == np.bool_:
        refuse("np.unique of bools", "count them: np.sum(x)")
    parts = np.moveaxis(x, place, 0)
    n = parts.shape[0]
    rows = np.reshape(parts, (n, size_of(parts.shape[1:])))
    order = np.arange(n)
    for j in range(rows.shape[1]):
        order = order[np.argsort(rows[order, rows.shape[1] - 1 - j], kind="stable")]
    new = np.ones(n, dtype=bool)
    for k in range(1, n):
        new[k] = np.any(rows[order[k]] != rows[order[k - 1]])
    at = written_places.positions(new)
    found = (np.moveaxis(parts[order[at]], 0, place),)
    if wanted[0]:
        found = (*found, order[at])
    if wanted[1]:
        inverse = np.zeros(n, dtype=int)
        inverse[order] = np.cumsum(new) - 1
        found = (*found, inverse)
    if wanted[2]:
        found = (*found, np.diff(at, append=n))
    return found if len(found) > 1 else found[0]


class Counts(NamedTuple):
    """`np.unique_counts(x)`"""

    values: Any
    counts: Any


class Inverse(NamedTuple):
    """`np.unique_inverse(x)`"""

    values: Any
    inverse_indices: Any


class Every(NamedTuple):
    """`np.unique_all(x)`"""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


def unique_counts(x: Any) -> Any:
    values, counts = unique(x, return_counts=True, equal_nan=False)
    return Counts(values, counts)


def unique_inverse(x: Any) -> Any:
    values, inverse = unique(x, return_inverse=True, equal_nan=False)
    return Inverse(values, inverse)


def unique_all(x: Any) -> Any:
    return Every(*unique(x, True, True, True, equal_nan=False))


def trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    x = np.asarray(filt)
    if x.ndim != 1:
        refuse("np.trim_zeros of an array that is no vector", "cut it: x[first:last]")
    first, last = 0, len(x)
    if "f" in trim or "F" in trim:
        while first < last and x[first] == 0:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and x[last - 1] == 0:
            last -= 1
    return filt[first:last]


def setxor1d(ar1: Any, ar2: Any) -> Any:
    one, other = unique(ar1), unique(ar2)
    return unique(
        np.concatenate(
            (one[np.logical_not(isin(one, ar2))], other[np.logical_not(isin(other, ar1))])
        )
    )


def union1d(ar1: Any, ar2: Any) -> Any:
    return unique(np.concatenate((np.ravel(np.asarray(ar1)), np.ravel(np.asarray(ar2)))))


def intersect1d(ar1: Any, ar2: Any) -> Any:
    one = unique(ar1)
    return one[isin(one, ar2)]


def setdiff1d(ar1: Any, ar2: Any) -> Any:
    one = unique(ar1)
    return one[np.logical_not(isin(one, ar2))]


def lexsort(keys: Any) -> Any:
    order = np.argsort(keys[0], kind="stable")
    for k in range(1, len(keys)):
        if len(keys[k]) != len(order):
            raise ValueError("all keys need to be the same shape")
        order = order[np.argsort(np.asarray(keys[k])[order], kind="stable")]
    return order
