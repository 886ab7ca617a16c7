"""Graphs that are matrices of weights: `scipy.sparse.csgraph`, of dense matrices."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.identity.sparse_matrices import SparseArray
from retrograd.frontend.library.plain.sparse import csr_matrix
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_components import strong_parts

__all__ = [
    "bellman_ford", "connected_components", "dijkstra", "floyd_warshall", "johnson", "laplacian",
    "minimum_spanning_tree", "shortest_path",
]  # fmt: skip

np: Any = numpy


def _matrix(csgraph: Any) -> Any:
    m = csgraph.toarray() if isinstance(csgraph, SparseArray) else np.asarray(csgraph)
    if m.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if m.shape[0] != m.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    return m


def laplacian(
    csgraph: Any, normed: Any = False, return_diag: Any = False, use_out_degree: Any = False,
    copy: Any = True, form: Any = "array", dtype: Any = None, symmetrized: Any = False,
) -> Any:  # fmt: skip
    if form != "array" or dtype is not None:
        refuse("csgraph.laplacian with this form or dtype", "leave form='array', and dtype out")
    m = _matrix(csgraph)
    m = m * 1.0 if normed or m.dtype == np.bool_ else m.copy()
    if symmetrized:
        m = m + m.T
    n = len(m)
    for k in range(n):
        m[k, k] = 0
    w = np.sum(m, axis=1 if use_out_degree else 0)
    if normed:
        alone = w == 0.0
        w = np.where(alone, 1.0, np.sqrt(np.where(alone, 1.0, w)))
        m = -(m / w / w[:, None])
        for k in range(n):
            m[k, k] = 1.0 - alone[k]
    else:
        m = -m
        for k in range(n):
            m[k, k] = w[k]
    return (m, w) if return_diag else m


def _lengths(csgraph: Any, directed: Any, unweighted: Any) -> Any:
    """The length of each edge, infinite where there is none."""
    m = _matrix(csgraph) * 1.0
    some = np.logical_and(m != 0.0, np.isfinite(m))
    found = np.where(some, 1.0 if unweighted else m, np.inf)
    return found if directed else np.minimum(found, found.T)


def floyd_warshall(
    csgraph: Any, directed: Any = True, return_predecessors: Any = False, unweighted: Any = False,
    overwrite: Any = False,
) -> Any:  # fmt: skip
    if return_predecessors:
        refuse("shortest paths with their predecessors", "leave return_predecessors out")
    d = _lengths(csgraph, directed, unweighted)
    n = len(d)
    for k in range(n):
        d[k, k] = 0.0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    if np.any(np.diag(d) < 0.0):
        raise ValueError("Negative cycle in the graph")
    return d


def shortest_path(
    csgraph: Any, method: Any = "auto", directed: Any = True, return_predecessors: Any = False,
    unweighted: Any = False, overwrite: Any = False, indices: Any = None,
) -> Any:  # fmt: skip
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError("unrecognized method")
    d = floyd_warshall(csgraph, directed, return_predecessors, unweighted)
    return d if indices is None else d[np.asarray(indices)]


def dijkstra(
    csgraph: Any, directed: Any = True, indices: Any = None, return_predecessors: Any = False,
    unweighted: Any = False, limit: Any = np.inf, min_only: Any = False,
) -> Any:  # fmt: skip
    if min_only:
        refuse("scipy.sparse.csgraph.dijkstra with min_only", "take np.min(.., axis=0)")
    d = floyd_warshall(csgraph, directed, return_predecessors, unweighted)
    d = np.where(d > limit, np.inf, d)
    return d if indices is None else d[np.asarray(indices)]


def bellman_ford(
    csgraph: Any, directed: Any = True, indices: Any = None, return_predecessors: Any = False,
    unweighted: Any = False,
) -> Any:  # fmt: skip
    return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)


def johnson(
    csgraph: Any, directed: Any = True, indices: Any = None, return_predecessors: Any = False,
    unweighted: Any = False,
) -> Any:  # fmt: skip
    return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)


def minimum_spanning_tree(csgraph: Any, overwrite: Any = False) -> Any:
    m = _matrix(csgraph) * 1.0
    n = len(m)
    flat = np.ravel(m)
    order = np.argsort(flat, kind="stable")
    part, chosen = np.arange(n), np.zeros(n * n, dtype=bool)
    for at in order:
        one, other = part[at // n], part[at % n]
        if flat[at] != 0.0 and np.isfinite(flat[at]) and one != other:
            part = np.where(part == other, one, part)
            chosen[at] = True
    return csr_matrix(np.reshape(np.where(chosen, flat, 0.0), (n, n)))


def connected_components(
    csgraph: Any, directed: Any = True, connection: Any = "weak", return_labels: Any = True
) -> Any:
    m = _matrix(csgraph)
    if directed and connection == "strong":
        labels, count = strong_parts(m != 0)
        return (count, labels.astype(np.int32)) if return_labels else count
    linked = np.logical_or(m != 0, m.T != 0)
    n = len(m)
    labels, stack, count = np.full(n, -1), np.zeros(n, dtype=int), 0
    for first in range(n):
        if labels[first] < 0:
            labels[first], stack[0], size = count, first, 1
            while size > 0:
                size -= 1
                one = stack[size]
                for other in range(n):
                    if linked[one, other] and labels[other] < 0:
                        labels[other], stack[size] = count, other
                        size += 1
            count += 1
    return (count, labels.astype(np.int32)) if return_labels else count
