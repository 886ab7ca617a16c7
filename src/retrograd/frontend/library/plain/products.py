"""Products of arrays, polynomials, grids."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import (
    as_tuple,
    counted_from_zero,
    counting,
    is_sequence,
    numbers,
    size_of,
)
from retrograd.frontend.library.plain.joining import repeat, tile
from retrograd.frontend.library.plain.norms import norm_of_matrices, root_of_squares
from retrograd.frontend.library.plain.stacks import stack_of, stretched_to
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "dot_of_stacks", "inner", "kron", "meshgrid", "norm", "outer", "poly", "polyadd", "polyder",
    "polyint", "polymul", "polysub", "polyval", "products_of_ints", "products_of_stacks", "series",
    "tensordot", "vander", "vdot",
]  # fmt: skip

np: Any = numpy


def outer(a: Any, b: Any) -> Any:
    return np.ravel(np.asarray(a))[:, None] * np.ravel(np.asarray(b))[None, :]


def inner(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("shapes not aligned")
    if a.ndim == 1 and b.ndim == 1:
        return np.sum(a * b)
    return tensordot(a, b, (-1, -1))


def vdot(a: Any, b: Any) -> Any:
    a, b = np.ravel(np.asarray(a)), np.ravel(np.asarray(b))
    if len(a) != len(b):
        raise ValueError("vectors have different lengths")
    return np.sum(a * b)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if is_sequence(axes):
        of_a = tuple([counted_from_zero(k, a.ndim) for k in as_tuple(axes[0])])
        of_b = tuple([counted_from_zero(k, b.ndim) for k in as_tuple(axes[1])])
    else:
        if axes > a.ndim or axes > b.ndim:
            raise ValueError("tuple index out of range")
        of_a = tuple([a.ndim - axes + k for k in range(axes)])
        of_b = tuple([k for k in range(axes)])
    for one, other in zip(of_a, of_b, strict=True):
        if a.shape[one] != b.shape[other]:
            raise ValueError("shape-mismatch for sum")
    rows = tuple([k for k in range(a.ndim) if k not in of_a])
    columns = tuple([k for k in range(b.ndim) if k not in of_b])
    shape = tuple([a.shape[k] for k in rows]) + tuple([b.shape[k] for k in columns])
    count = size_of(tuple([a.shape[k] for k in of_a]))
    n, m = size_of(tuple([a.shape[k] for k in rows])), size_of(tuple([b.shape[k] for k in columns]))
    left = np.reshape(np.transpose(a, (*rows, *of_a)) if a.ndim > 1 else a, (n, count))
    right = np.reshape(np.transpose(b, (*of_b, *columns)) if b.ndim > 1 else b, (count, m))
    if a.dtype != np.float64 and b.dtype != np.float64:
        refuse("a product of two arrays of ints", "convert one of them: x.astype(float)")
    return np.reshape(left @ right, shape)


def products_of_ints(a: Any, b: Any) -> Any:
    """`a @ b` of ints, of which there are no products of matrices in BLAS."""
    rows = a[None, :] if a.ndim == 1 else a
    columns = b[:, None] if b.ndim == 1 else b
    if rows.shape[-1] != columns.shape[-2]:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    made = np.sum(rows[..., :, :, None] * columns[..., None, :, :], axis=-2)
    if a.ndim == 1 and b.ndim == 1:
        return made[0, 0]
    if a.ndim == 1:
        return made[..., 0, :]
    return made[..., 0] if b.ndim == 1 else made


def dot_of_stacks(a: Any, b: Any) -> Any:
    """`np.dot` where one of the two has more than two axes."""
    return tensordot(a, b, (-1, -2 if b.ndim > 1 else -1))


def products_of_stacks(a: Any, b: Any) -> Any:
    """`a @ b` where one of the two has more than two axes: the last two are those of matrices."""
    if a.ndim == 1:
        return np.reshape(_of_stacks(a[None, :], b), (*b.shape[:-2], b.shape[-1]))
    return _of_stacks(a, b)


def _of_stacks(a: Any, b: Any) -> Any:
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    if b.ndim < 3:
        rows = np.reshape(a, (size_of(a.shape[:-1]), a.shape[-1]))
        return np.reshape(rows @ b, a.shape[:-1] + b.shape[1:])
    if a.ndim == 2:
        products = written_kernels.products_with(a, stack_of(b, b.shape[:-2]))
        return np.reshape(products, (*b.shape[:-2], a.shape[0], b.shape[-1]))
    shape = stretched_to(a, b)
    products = written_kernels.products_of_blocks(stack_of(a, shape), stack_of(b, shape))
    return np.reshape(products, (*shape, a.shape[-2], b.shape[-1]))


def kron(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim > 2 or b.ndim > 2:
        refuse("np.kron of an array of rank 3", "write a loop over its first axis")
    if a.ndim == 1 and b.ndim == 1:
        return np.ravel(outer(a, b))
    a = a[None, :] if a.ndim == 1 else a
    b = b[None, :] if b.ndim == 1 else b
    wide = repeat(repeat(a, b.shape[0], 0), b.shape[1], 1)
    return wide * tile(b, (a.shape[0], a.shape[1]))


def meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    vectors = [np.ravel(np.asarray(x)) for x in xi]
    rank = len(vectors)
    if indexing != "xy" and indexing != "ij":
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    swapped = indexing == "xy" and rank > 1
    order = tuple([1 - k if swapped and k < 2 else k for k in range(rank)])
    shape = tuple([len(vectors[k]) for k in order])
    found = [
        vector[(None,) * order[k] + (slice(None),) + (None,) * (rank - 1 - order[k])]
        for k, vector in enumerate(vectors)
    ]
    if sparse:
        return tuple([grid.copy() for grid in found])
    return tuple([np.broadcast_to(grid, shape).copy() for grid in found])


def polyval(p: Any, x: Any) -> Any:
    p, x = np.asarray(p), np.asarray(x)
    x = x * 1.0 if p.dtype == np.float64 else x
    y = x * 0
    for k in counting(len(p)):
        y = y * x + p[k]
    return y


def polyder(p: Any, m: Any = 1) -> Any:
    p = np.asarray(p)
    if p.ndim != 1:
        raise ValueError("p must be a one-dimensional array or sequence.")
    for _ in range(m):
        p = p[:-1] * counting(len(p))[::-1][:-1]
    return p


def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    p = np.asarray(p) * 1.0
    constants = np.zeros(1) if k is None else np.atleast_1d(k) * 1.0
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if len(constants) != 1 and len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for j in range(m):
        own = constants[:1] if len(constants) == 1 else constants[j : j + 1]
        p = np.concatenate((p / (counting(len(p)) + 1.0)[::-1], own))
    return p


def _longer(a: Any, b: Any) -> Any:
    return np.concatenate((np.zeros(max(len(b) - len(a), 0), dtype=a.dtype), a))


def polyadd(a1: Any, a2: Any) -> Any:
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    return _longer(a, b) + _longer(b, a)


def polysub(a1: Any, a2: Any) -> Any:
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    return _longer(a, b) - _longer(b, a)


def polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(np.atleast_1d(a1), np.atleast_1d(a2))


def poly(seq_of_zeros: Any) -> Any:
    zeros = np.asarray(seq_of_zeros) * 1.0
    if zeros.ndim != 1:
        refuse("np.poly of a matrix", "compute its eigenvalues and give it those")
    found = np.zeros(len(zeros) + 1)
    found[0] = 1.0
    for k in counting(len(zeros)):
        found[1 : k + 2] = found[1 : k + 2] - zeros[k] * found[: k + 1]
    return found


def series(x: Any, c: Any) -> Any:
    """`np.polynomial.polynomial.polyval`, with the constant first."""
    c = np.asarray(c)
    if c.ndim != 1:
        refuse("coefficients that are no vector", "evaluate one polynomial after the other")
    return polyval(c[::-1] * 1.0, x)


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = numbers(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = len(x) if N is None else N
    out = np.ones((len(x), count), dtype=x.dtype)
    for k in counting(max(count - 1, 0)):
        out[:, k + 1] = out[:, k] * x
    return out if increasing else out[:, ::-1]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    x = np.asarray(x) * 1.0
    known = ord in (1, 2, np.inf, "fro", "nuc")
    if ord is not None and axis is None and known and x.ndim > 0 and x.size == 0:
        return np.sum(x, keepdims=keepdims)
    if ord is not None and (x.ndim == 0 or (axis is None and x.ndim > 2)):
        raise ValueError("Improper number of dimensions to norm.")
    if ord in ("fro", "nuc") and (x.ndim == 1 or not (axis is None or is_sequence(axis))):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if axis is not None and not is_sequence(axis):
        axis = counted_from_zero(axis, x.ndim)
    if ord is None:
        return root_of_squares(np.sum(x * x, axis=axis, keepdims=keepdims))
    vectors = (x.ndim == 1) if axis is None else not is_sequence(axis)
    if vectors:
        return _norm_of_vectors(x, ord, axis, keepdims)
    row, column = (-2, -1) if axis is None else axis
    return norm_of_matrices(x, ord, row, column, keepdims)


def _norm_of_vectors(x: Any, order: Any, axis: Any, keepdims: Any) -> Any:
    if order == 2:
        return root_of_squares(np.sum(x * x, axis=axis, keepdims=keepdims))
    if order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if order == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if order == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum((x != 0.0) * 1.0, axis=axis, keepdims=keepdims)
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1.0 / order)
