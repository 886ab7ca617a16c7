"""Constructors of `scipy.sparse`, as programs that make matrices of compressed rows."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.identity import sparse_kernels as kernels
from retrograd.frontend.identity.sparse_matrices import (
    FullArray,
    FullMatrix,
    LaidOutArray,
    LaidOutMatrix,
    SparseArray,
    SparseMatrix,
)
from retrograd.frontend.library.plain.axes import is_sequence

__all__ = [
    "block_diag", "coo_array", "coo_matrix", "csc_array", "csc_matrix", "csr_array", "csr_matrix",
    "diags", "diags_array", "eye", "eye_array", "hstack", "identity", "issparse", "kron", "kronsum",
    "spdiags", "vstack",
]  # fmt: skip

np: Any = numpy


def _of(cls: Any, parts: Any, shape: Any) -> Any:
    values, columns, starts = parts
    return cls(values, columns, starts, shape)


def _several(x: Any) -> Any:
    return is_sequence(x) or np.ndim(x) > 0


def _whole(places: Any) -> Any:
    """Places as ints: fractions are cut off, before anything is checked."""
    return np.asarray(places).astype(int)


def _extents(rows: Any, columns: Any, shape: Any) -> Any:
    if shape is not None:
        return shape[0], shape[1]
    height, width = np.max(rows) + 1, np.max(columns) + 1
    if np.result_type(height, width, 0) != np.int64:
        raise TypeError("'numpy.float64' object cannot be interpreted as an integer")
    return height, width


def _compressed(given: Any) -> Any:
    """Elements, places and starts as arrays, of as many elements as the starts say."""
    values, places, starts = np.asarray(given[0]) * 1.0, _whole(given[1]), _whole(given[2])
    if len(values) != len(places):
        raise ValueError("indices and data should have the same size")
    if len(starts) == 0 or starts[0] != 0:
        raise ValueError("index pointer should start with 0")
    if starts[-1] > len(places):
        raise ValueError("Last value of index pointer should be less than the size of index arrays")
    return values[: starts[-1]], places[: starts[-1]], starts


def _check(places: Any, starts: Any, size: Any, count: Any) -> Any:
    """What SciPy checks of compressed rows or columns."""
    if len(starts) != count + 1:
        raise ValueError("index pointer size does not fit the shape")
    if np.any(np.diff(starts) < 0):
        raise ValueError("index pointer values must form a non-decreasing sequence")
    if len(places) > 0 and (np.min(places) < 0 or np.max(places) >= size):
        raise ValueError("index arrays must be within the shape")


def _by_columns(given: Any, shape: Any) -> Any:
    """Of the parts by columns: those by rows of what they would be by rows, transposed."""
    values, rows, starts = _compressed(given)
    height = np.max(rows) + 1 if shape is None else shape[0]
    width = len(starts) - 1
    _check(rows, starts, height, width if shape is None else shape[1])
    return *kernels.transposed(values, rows, starts, height), (height, width)


def _parts(given: Any, shape: Any, by_columns: Any) -> Any:
    """Elements, columns, starts and shape of what a constructor is given."""
    if isinstance(given, SparseArray):
        return given.values, given.columns, given.starts, given.shape
    several: Any = given
    if isinstance(given, tuple) and len(several) == 3:
        if by_columns:
            return _by_columns(given, shape)
        values, columns, starts = _compressed(given)
        width = np.max(columns) + 1 if shape is None else shape[1]
        _check(columns, starts, width, len(starts) - 1 if shape is None else shape[0])
        return values, columns, starts, (len(starts) - 1, width)
    if isinstance(given, tuple) and not _several(several[1]):
        height, width = several[0], several[1]
        empty = np.zeros(0, dtype=int)
        return np.zeros(0), empty, np.zeros(height + 1, dtype=int), (height, width)
    if isinstance(given, tuple):
        rows, columns = np.asarray(given[1][0]), np.asarray(given[1][1])
        size = _extents(rows, columns, shape)
        values = np.asarray(given[0]) * 1.0
        places = _whole(rows), _whole(columns)
        return *kernels.of_triplets(values, *places, size[0], size[1]), size
    x = np.atleast_2d(np.asarray(given)) * 1.0
    height, width = x.shape[0], x.shape[1]
    columns = np.ravel(np.broadcast_to(np.arange(width), x.shape))
    return np.ravel(x), columns, np.arange(height + 1) * width, (height, width)


def _is_full(given: Any) -> Any:
    """Whether elements may be there that are zero, which SciPy leaves out."""
    if isinstance(given, SparseArray):
        return isinstance(given, (FullArray, FullMatrix))
    return not isinstance(given, tuple)


def _made(full: Any, plain: Any, given: Any, shape: Any, by_columns: Any) -> Any:
    parts = _parts(given, shape, by_columns)
    return _of(full if _is_full(given) else plain, parts[:3], parts[3])


def csr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullMatrix, SparseMatrix, arg1, shape, False)


def csc_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullMatrix, LaidOutMatrix, arg1, shape, True)


def coo_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullMatrix, LaidOutMatrix, arg1, shape, False)


def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullArray, SparseArray, arg1, shape, False)


def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullArray, LaidOutArray, arg1, shape, True)


def coo_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return _made(FullArray, LaidOutArray, arg1, shape, False)


def _in_format(parts: Any, shape: Any, format: Any, matrix: Any) -> Any:
    if format == "csr":
        return _of(SparseMatrix, parts, shape) if matrix else _of(SparseArray, parts, shape)
    return _of(LaidOutMatrix, parts, shape) if matrix else _of(LaidOutArray, parts, shape)


def _nothing() -> Any:
    """Elements, rows and columns of no matrix yet."""
    none = (np.zeros(0, dtype=int),)
    return (np.zeros(0),), none, none


def _of_diagonals(diagonals: Any, offsets: Any, shape: Any, matrix: Any) -> Any:
    single = not _several(offsets)
    given = diagonals if not single or _several(diagonals[0]) else (diagonals,)
    places = (offsets,) if single else offsets
    if len(given) != len(places):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        height = len(given[0]) + abs(places[0])
        width = height
    else:
        height, width = shape
    values, rows, columns = _nothing()
    for diagonal, k in zip(given, places, strict=True):
        above, below = max(k, 0), max(-k, 0)
        count = min(height - below, width - above)
        line = np.atleast_1d(diagonal) * 1.0
        if len(line) != count and len(line) != 1:
            raise ValueError("Diagonal length does not agree with array size.")
        values = (*values, np.broadcast_to(line, (count,)) + np.zeros(count))
        rows = (*rows, np.arange(count) + below)
        columns = (*columns, np.arange(count) + above)
    parts = kernels.of_triplets(
        np.concatenate(values), np.concatenate(rows), np.concatenate(columns), height, width
    )
    return _of(FullMatrix if matrix else FullArray, parts, (height, width))


def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    return _of_diagonals(diagonals, offsets, shape, True)


def diags_array(
    diagonals: Any, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    return _of_diagonals(diagonals, offsets, shape, False)


def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    """Element j of a line is in column j, wherever the diagonal begins."""
    height, width = m if n is None else (m, n)
    lines, places = np.atleast_2d(data), np.atleast_1d(diags)
    values, rows, columns = _nothing()
    for j in range(len(places)):
        above, below = max(places[j], 0), max(-places[j], 0)
        count = max(min(height - below, width - above, lines.shape[1] - above), 0)
        values = (*values, lines[j, above : above + count] * 1.0)
        rows = (*rows, np.arange(count) + below)
        columns = (*columns, np.arange(count) + above)
    parts = kernels.of_triplets(
        np.concatenate(values), np.concatenate(rows), np.concatenate(columns), height, width
    )
    return _of(FullMatrix, parts, (height, width))


def _eye(m: Any, n: Any, k: Any, format: Any, matrix: Any) -> Any:
    width = m if n is None else n
    above, below = max(k, 0), max(-k, 0)
    count = max(min(m - below, width - above), 0)
    at = np.arange(count)
    parts = kernels.of_triplets(np.ones(count), at + below, at + above, m, width)
    return _in_format(parts, (m, width), format, matrix)


def eye(m: Any, n: Any = None, k: Any = 0, dtype: Any = float, format: Any = None) -> Any:
    return _eye(m, n, k, format, True)


def eye_array(m: Any, n: Any = None, *, k: Any = 0, dtype: Any = float, format: Any = None) -> Any:
    return _eye(m, n, k, format, False)


def identity(n: Any, dtype: Any = "d", format: Any = None) -> Any:
    return _eye(n, None, 0, format, True)


def _sparse(x: Any) -> Any:
    return (
        x
        if isinstance(x, SparseArray)
        else _of(SparseMatrix, _parts(x, None, False)[:3], np.asarray(x).shape)
    )


def _like(one: Any, other: Any, parts: Any, shape: Any, format: Any) -> Any:
    """An array where one of them is an array, a matrix of two matrices."""
    if isinstance(one, SparseMatrix) and isinstance(other, SparseMatrix):
        return _of(FullMatrix, parts, shape)
    return _of(FullArray, parts, shape)


def kron(A: Any, B: Any, format: Any = None) -> Any:
    a, b = _sparse(A), _sparse(B)
    rows, more = kernels.row_of_each(a.columns, a.starts), kernels.row_of_each(b.columns, b.starts)
    values = np.ravel(a.values[:, None] * b.values[None, :])
    height, width = b.shape
    shape = (a.shape[0] * height, a.shape[1] * width)
    lines = np.ravel(rows[:, None] * height + more[None, :])
    columns = np.ravel(a.columns[:, None] * width + b.columns[None, :])
    return _like(a, b, kernels.of_triplets(values, lines, columns, *shape), shape, format)


def kronsum(A: Any, B: Any, format: Any = None) -> Any:
    a, b = _sparse(A), _sparse(B)
    left = kron(
        _like(a, b, _eye(b.shape[0], None, 0, "csr", True)._parts(), b.shape, "csr"), a, "csr"
    )
    right = kron(
        b, _like(a, b, _eye(a.shape[0], None, 0, "csr", True)._parts(), a.shape, "csr"), "csr"
    )
    found = left + right
    return _like(a, b, found._parts(), found.shape, format)


def _stacked(blocks: Any, below: Any, aside: Any, format: Any) -> Any:
    """Matrices beside, below or aslant of each other."""
    values, rows, columns = _nothing()
    height, width, array = 0, 0, False
    for block in blocks:
        own = _sparse(block)
        array = array or not isinstance(own, SparseMatrix)
        values = (*values, own.values)
        rows = (*rows, kernels.row_of_each(own.columns, own.starts) + (height if below else 0))
        columns = (*columns, own.columns + (width if aside else 0))
        if not below and height > 0 and own.shape[0] != height:
            raise ValueError("incompatible row dimensions")
        if not aside and width > 0 and own.shape[1] != width:
            raise ValueError("incompatible column dimensions")
        height = height + own.shape[0] if below else own.shape[0]
        width = width + own.shape[1] if aside else own.shape[1]
    parts = kernels.of_triplets(
        np.concatenate(values), np.concatenate(rows), np.concatenate(columns), height, width
    )
    return (
        _of(FullArray, parts, (height, width)) if array else _of(FullMatrix, parts, (height, width))
    )


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return _stacked(blocks, False, True, format)


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return _stacked(blocks, True, False, format)


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    return _stacked(mats, True, True, format)


def issparse(x: Any) -> Any:
    return isinstance(x, SparseArray)
