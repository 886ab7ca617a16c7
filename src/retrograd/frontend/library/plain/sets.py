"""Values that are there once, and sets of them."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_places
from retrograd.frontend.library.plain.rearranging import isin
from retrograd.frontend.library.plain.told import refuse

__all__ = ["intersect1d", "lexsort", "setdiff1d", "union1d", "unique"]

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
    if axis is not None:
        refuse("np.unique along an axis", "compare the rows in a loop")
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
