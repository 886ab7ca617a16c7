"""NumPy's reductions of what a mask chooses, and those that begin with a number."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import counted_from_zero, is_sequence

__all__ = ["chosen_mean", "chosen_var", "reduced_all", "reduced_any", "reduced_max", "reduced_min",
           "reduced_prod", "reduced_sum"]  # fmt: skip

np: Any = numpy


def _chosen(a: Any, where: Any, instead: Any) -> Any:
    a = np.asarray(a)
    if where is None:
        return a
    if np.ndim(where) > a.ndim:
        raise ValueError("the mask `where` has more axes than the array")
    return np.where(np.broadcast_to(where, a.shape), a, instead)


def reduced_sum(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    found = np.sum(_chosen(a, where, 0), axis=axis, keepdims=keepdims)
    return found if initial is None else found + initial


def reduced_prod(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    found = np.prod(_chosen(a, where, 1), axis=axis, keepdims=keepdims)
    return found if initial is None else found * initial


def reduced_any(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    return np.any(_chosen(np.asarray(a) != 0, where, False), axis=axis, keepdims=keepdims)


def reduced_all(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    return np.all(_chosen(np.asarray(a) != 0, where, True), axis=axis, keepdims=keepdims)


def _with_first(a: Any, axis: Any, initial: Any, where: Any) -> Any:
    """The elements with `initial` before them, and in the place of those not chosen."""
    if initial is None:
        raise ValueError(
            "reduction operation does not have an identity, so to use a where mask one has to"
            " specify 'initial'"
        )
    a = _chosen(a, where, initial)
    if axis is None:
        return np.concatenate((np.reshape(np.asarray(initial), (1,)).astype(a.dtype), np.ravel(a)))
    if is_sequence(axis):
        axis = axis[0]
    place = counted_from_zero(axis, a.ndim)
    first = np.full((*a.shape[:place], 1, *a.shape[place + 1 :]), initial).astype(a.dtype)
    return np.concatenate((first, a), place)


def reduced_max(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    found = np.max(_with_first(a, axis, initial, where), axis=axis, keepdims=keepdims)
    return np.reshape(found, (1,) * np.ndim(a)) if axis is None and keepdims else found


def reduced_min(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    found = np.min(_with_first(a, axis, initial, where), axis=axis, keepdims=keepdims)
    return np.reshape(found, (1,) * np.ndim(a)) if axis is None and keepdims else found


def _count(a: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    return np.sum(_chosen(np.ones(a.shape), where, 0.0), axis=axis, keepdims=keepdims)


def chosen_mean(a: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    a = np.asarray(a)
    total = np.sum(_chosen(a, where, 0.0), axis=axis, keepdims=keepdims)
    return total / _count(a, axis, keepdims, where)


def chosen_var(a: Any, axis: Any, ddof: Any, keepdims: Any, where: Any) -> Any:
    a = np.asarray(a) * 1.0
    off = _chosen(a - chosen_mean(a, axis, True, where), where, 0.0)
    count = np.maximum(_count(a, axis, keepdims, where) - ddof, 0.0)
    return np.sum(off * off, axis=axis, keepdims=keepdims) / count
