"""Distances between vectors: `scipy.spatial.distance`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import dissimilarities
from retrograd.frontend.library.plain.dissimilarities import vector, weighted
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "cdist", "chebyshev", "cityblock", "cosine", "euclidean", "pdist", "sqeuclidean", "squareform",
]  # fmt: skip

np: Any = numpy


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    found = np.sqrt(sqeuclidean(u, v, w))
    if not np.isfinite(found):
        raise ValueError("array must not contain infs or NaNs")
    return found


def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    off = vector(u) - vector(v)
    return np.sum(weighted(off * off, w))


def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    return np.sum(weighted(np.abs(vector(u) - vector(v)), w))


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    off = np.abs(vector(u) - vector(v))
    return np.max(off if w is None else off * (vector(w) > 0))


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    return dissimilarities.correlation(u, v, w, False)


def _between(a: Any, b: Any, metric: Any, more: Any) -> Any:
    if callable(metric):
        return metric(a, b)
    p, _, _, w = more
    if metric == "euclidean":
        return np.sqrt(sqeuclidean(a, b, w))
    if metric == "sqeuclidean":
        return sqeuclidean(a, b, w)
    if metric == "cityblock":
        return cityblock(a, b, w)
    if metric == "chebyshev":
        return chebyshev(a, b, w)
    if metric == "cosine":
        return cosine(a, b, w)
    if metric == "minkowski":
        return dissimilarities.of_power(np.abs(a - b), p, w)
    if metric not in dissimilarities.BY_NAME:
        refuse("this metric", "write a loop over the pairs of rows")
    return dissimilarities.named(a, b, metric, more)


def _scaled(metric: Any, rows: Any, V: Any, VI: Any) -> Any:
    """The variances, or the inverse of the covariances, of all rows where none are given."""
    if isinstance(metric, str) and metric == "seuclidean" and V is None:
        return np.var(rows, axis=0, ddof=1), VI
    if isinstance(metric, str) and metric == "mahalanobis" and VI is None:
        if len(rows) <= rows.shape[1]:
            raise ValueError("The number of observations is too small")
        return V, np.linalg.inv(np.cov(rows.T)).T
    return V, VI


def cdist(
    XA: Any, XB: Any, metric: Any = "euclidean", p: Any = 2, V: Any = None, VI: Any = None,
    w: Any = None,
) -> Any:  # fmt: skip
    a, b = np.asarray(XA) * 1.0, np.asarray(XB) * 1.0
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("XA and XB must be 2-dimensional arrays.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension).")
    scales = _scaled(metric, np.concatenate((a, b)), V, VI)
    out = np.empty((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            out[i, j] = _between(a[i], b[j], metric, (p, *scales, w))
    return out


def pdist(
    X: Any, metric: Any = "euclidean", p: Any = 2, V: Any = None, VI: Any = None, w: Any = None
) -> Any:
    x = np.asarray(X) * 1.0
    if x.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    scales = _scaled(metric, x, V, VI)
    n = len(x)
    out = np.empty(n * (n - 1) // 2)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            out[k] = _between(x[i], x[j], metric, (p, *scales, w))
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
