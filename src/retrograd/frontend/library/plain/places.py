"""Where an array is not zero, and what is there."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_places
from retrograd.frontend.library.plain.axes import counted_from_zero
from retrograd.frontend.library.plain.told import refuse

__all__ = ["argwhere", "compress", "extract", "flatnonzero", "ix_", "nonzero", "take"]

np: Any = numpy


def nonzero(a: Any) -> Any:
    a = np.asarray(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero()"
            " instead."
        )
    return written_places.positions_of_all(a != 0)


def flatnonzero(a: Any) -> Any:
    return written_places.positions(np.ravel(np.asarray(a)) != 0)


def argwhere(a: Any) -> Any:
    a = np.asarray(a)
    if a.ndim == 0:
        refuse("np.argwhere of a number", "test the number with `if`")
    return np.stack(nonzero(a), axis=1)


def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    condition, a = np.asarray(condition), np.asarray(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    at = written_places.positions(condition != 0)
    if axis is None:
        return np.ravel(a)[at]
    place = counted_from_zero(axis, a.ndim)
    return a[(slice(None),) * place + (at,)]


def extract(condition: Any, arr: Any) -> Any:
    return np.ravel(np.asarray(arr))[flatnonzero(condition)]


def ix_(*args: Any) -> Any:
    found = ()
    for k, one in enumerate(args):
        a = np.asarray(one)
        if a.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        at = written_places.positions(a) if a.dtype == np.bool_ else a
        found = (*found, at[(None,) * k + (slice(None),) + (None,) * (len(args) - k - 1)])
    return found


def take(a: Any, indices: Any, axis: Any = None) -> Any:
    a, at = np.asarray(a), np.asarray(indices)
    at = at.astype(int) if at.dtype == np.bool_ else at
    if axis is None:
        return np.ravel(a)[at if at.ndim > 0 else indices]
    place = counted_from_zero(axis, a.ndim)
    return a[(slice(None),) * place + (at if at.ndim > 0 else indices,)]
