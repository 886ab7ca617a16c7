"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import counted_from_zero, counting
from retrograd.frontend.library.plain.told import linked

__all__ = ["diag", "diagflat", "diagonal", "fill_diagonal", "trace", "tri", "tril", "triu"]

np: Any = numpy


def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    a = np.asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    one, two = counted_from_zero(axis1, a.ndim), counted_from_zero(axis2, a.ndim)
    if one == two:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = tuple([k for k in range(a.ndim) if k not in (one, two)])
    order = (*rest, one, two)
    return linked(_diagonal(np.transpose(a, order), offset), a)


def _diagonal(a: Any, offset: Any) -> Any:
    """Those of the last two axes."""
    n, m = a.shape[-2], a.shape[-1]
    count = max(min(n, m - offset) if offset >= 0 else min(n + offset, m), 0)
    start = offset if offset >= 0 else -offset * m
    flat = np.reshape(a, (*a.shape[:-2], n * m))
    return flat[..., start : start + count * (m + 1) : m + 1].copy()


def diag(v: Any, k: Any = 0) -> Any:
    v = np.asarray(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = len(v) + abs(k)
    out = np.zeros(n * n, dtype=v.dtype)
    start = k if k >= 0 else -k * n
    out[start : start + len(v) * (n + 1) : n + 1] = v
    return np.reshape(out, (n, n))


def diagflat(v: Any, k: Any = 0) -> Any:
    v = np.asarray(v)
    return diag(np.full((1,), v) if v.ndim == 0 else np.ravel(v), k)


def fill_diagonal(a: Any, val: Any) -> Any:
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 3 and (a.shape[0] != a.shape[1] or a.shape[1] != a.shape[2]):
        raise ValueError("All dimensions of input must be of equal length")
    if np.ndim(val) == 0:
        written_kernels.fill_diagonal_with_one(a, val)
    else:
        written_kernels.fill_diagonal_with(a, np.ravel(np.asarray(val)))
    return None


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    columns = N if M is None else M
    rows = counting(N)
    return (rows[:, None] >= counting(columns)[None, :] - k).astype(dtype)


def _below(m: Any, k: Any) -> Any:
    """A mask: on the k-th diagonal or below."""
    n = m.shape[-2] if m.ndim > 1 else m.shape[-1]
    return counting(n)[:, None] >= counting(m.shape[-1])[None, :] - k


def tril(m: Any, k: Any = 0) -> Any:
    m = np.asarray(m)
    return np.where(_below(m, k), m, np.zeros(1, dtype=m.dtype))


def triu(m: Any, k: Any = 0) -> Any:
    m = np.asarray(m)
    return np.where(_below(m, k - 1), np.zeros(1, dtype=m.dtype), m)


def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1)
