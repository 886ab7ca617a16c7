"""Distances between vectors: `scipy.spatial.distance`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "cdist", "chebyshev", "cityblock", "cosine", "euclidean", "pdist", "sqeuclidean", "squareform",
]  # fmt: skip

np: Any = numpy


def _vector(u: Any) -> Any:
    u = np.asarray(u)
    if u.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return u * 1.0


def _weighted(terms: Any, w: Any) -> Any:
    if w is None:
        return terms
    w = _vector(w)
    if np.any(w < 0):
        raise ValueError("Input weights should be all non-negative")
    return w * terms


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    found = np.sqrt(sqeuclidean(u, v, w))
    if not np.isfinite(found):
        raise ValueError("array must not contain infs or NaNs")
    return found


def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    off = _vector(u) - _vector(v)
    return np.sum(_weighted(off * off, w))


def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    return np.sum(_weighted(np.abs(_vector(u) - _vector(v)), w))


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    off = np.abs(_vector(u) - _vector(v))
    return np.max(off if w is None else off * (_vector(w) > 0))


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    u, v = _vector(u), _vector(v)
    if len(u) != len(v):
        raise ValueError("shapes not aligned")
    both, one, other = (np.sum(_weighted(x, w)) for x in (u * v, u * u, v * v))
    return np.clip(1.0 - both / np.sqrt(one * other), 0.0, 2.0)


def _between(a: Any, b: Any, metric: Any) -> Any:
    if metric == "euclidean":
        return np.sqrt(sqeuclidean(a, b))
    if metric == "sqeuclidean":
        return sqeuclidean(a, b)
    if metric == "cityblock":
        return cityblock(a, b)
    if metric == "chebyshev":
        return chebyshev(a, b)
    if metric == "cosine":
        return cosine(a, b)
    refuse("this metric", "write a loop over the pairs of rows")
    return 0.0


def cdist(XA: Any, XB: Any, metric: Any = "euclidean") -> Any:
    a, b = np.asarray(XA) * 1.0, np.asarray(XB) * 1.0
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("XA and XB must be 2-dimensional arrays.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension).")
    out = np.empty((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            out[i, j] = _between(a[i], b[j], metric)
    return out


def pdist(X: Any, metric: Any = "euclidean") -> Any:
    x = np.asarray(X) * 1.0
    if x.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    n = len(x)
    out = np.empty(n * (n - 1) // 2)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            out[k] = _between(x[i], x[j], metric)
            k += 1
    return out


def squareform(X: Any) -> Any:
    """Both ways, as SciPy does: a vector of distances to a matrix, a matrix to a vector."""
    x = np.asarray(X)
    if x.ndim == 1:
        n = int(np.ceil(np.sqrt(len(x) * 2)))
        if n * (n - 1) // 2 != len(x):
            raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose"
                             " 2 for some integer n >= 2.")  # fmt: skip
        n = max(n, 1)
        whole = np.zeros((n, n), dtype=x.dtype)
        k = 0
        for i in range(n):
            for j in range(i + 1, n):
                whole[i, j] = x[k]
                whole[j, i] = x[k]
                k += 1
        return whole
    n = len(x)
    if x.shape[1] != n or not np.all(np.abs(x - x.T) <= 1e-8):
        raise ValueError("Distance matrix 'X' must be symmetric.")
    if np.any(np.diag(x) != 0):
        raise ValueError("Distance matrix 'X' diagonal must be zero.")
    out = np.zeros(n * (n - 1) // 2, dtype=x.dtype)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            out[k] = x[i, j]
            k += 1
    return out
