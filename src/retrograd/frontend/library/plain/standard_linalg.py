"""Functions of `numpy.linalg` that NumPy has elsewhere as well, of the last axes of arrays."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import gathering, products

__all__ = [
    "cross", "diagonal", "matmul", "matrix_transpose", "outer", "tensordot", "trace", "vecdot",
]  # fmt: skip

np: Any = numpy


def cross(x1: Any, x2: Any, axis: Any = -1) -> Any:
    a, b = np.asarray(x1), np.asarray(x2)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return np.cross(a, b, axis=axis)


def diagonal(x: Any, offset: Any = 0) -> Any:
    return np.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x: Any, offset: Any = 0) -> Any:
    return np.sum(np.diagonal(x, offset, axis1=-2, axis2=-1), axis=-1)


def outer(x1: Any, x2: Any) -> Any:
    a, b = np.asarray(x1), np.asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return np.outer(a, b)


def matmul(x1: Any, x2: Any) -> Any:
    return np.matmul(x1, x2)


def matrix_transpose(x: Any) -> Any:
    return gathering.matrix_transpose(x)


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    return products.tensordot(x1, x2, axes)


def vecdot(x1: Any, x2: Any, axis: Any = -1) -> Any:
    return gathering.vecdot(x1, x2, axis)
