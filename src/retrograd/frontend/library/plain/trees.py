"""Points and which of them are near: `scipy.spatial`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_trees import Points, distance

__all__ = ["KDTree", "cKDTree", "distance_matrix", "minkowski_distance"]

np: Any = numpy


def KDTree(
    data: Any, leafsize: Any = 10, compact_nodes: Any = True, copy_data: Any = False,
    balanced_tree: Any = True, boxsize: Any = None,
) -> Any:  # fmt: skip
    if boxsize is not None:
        refuse("a KDTree of points in a periodic box", "repeat the points around the box")
    places = np.asarray(data) * 1.0
    if not np.all(np.isfinite(places)):
        raise ValueError("data must be finite, check for nan or inf values")
    return Points(places)


def cKDTree(
    data: Any, leafsize: Any = 16, compact_nodes: Any = True, copy_data: Any = False,
    balanced_tree: Any = True, boxsize: Any = None,
) -> Any:  # fmt: skip
    return KDTree(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)


def minkowski_distance(x: Any, y: Any, p: Any = 2.0) -> Any:
    off = np.abs(np.asarray(x) * 1.0 - np.asarray(y))
    if p == np.inf:
        return np.max(off, axis=-1)
    if p == 1:
        return np.sum(off, axis=-1)
    if p == 2:
        return np.sqrt(np.sum(off * off, axis=-1))
    return np.sum(off**p, axis=-1) ** (1.0 / p)


def distance_matrix(x: Any, y: Any, p: Any = 2.0, threshold: Any = 1000000) -> Any:
    a, b = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if a.shape[1] != b.shape[1]:
        raise ValueError("x and y must have vectors of one length")
    found = np.zeros((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            found[i, j] = distance(a[i], b[j], p)
    return found
