"""Sparse matrices of `scipy.sparse`: what a program has of them, and their methods as programs.

Each is kept by compressed rows, whatever its layout in SciPy is. `SparseArray` multiplies by
elements, as SciPy's arrays do, `SparseMatrix` as its matrices do. Of a layout other than `csr` the
parts and their number are not there to be read (`LaidOutArray`, `LaidOutMatrix`). Sums, products
and diagonals have all elements that may be there (`FullArray`, `FullMatrix`): SciPy leaves out
those that happen to be zero, whose derivatives need not be.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from retrograd.frontend.identity import sparse_kernels as kernels
from retrograd.frontend.identity.refusing import refuse

__all__ = [
    "MODULE", "FullArray", "FullMatrix", "LaidOutArray", "LaidOutMatrix", "SparseArray",
    "SparseMatrix", "in_scipy", "is_of_layout", "of_scipy", "parts_in",
    "why_not",
]  # fmt: skip

MODULE = __name__
np: Any = numpy


@dataclass(frozen=True, eq=False)
class SparseArray:
    """The elements, the column of each, where rows start, and the shape."""

    values: Any
    columns: Any
    starts: Any
    shape: Any

    __array_ufunc__ = None

    @property
    def data(self) -> Any:
        return self.values

    @property
    def indices(self) -> Any:
        return self.columns

    @property
    def indptr(self) -> Any:
        return self.starts

    @property
    def nnz(self) -> Any:
        return len(self.values)

    @property
    def ndim(self) -> Any:
        return 2

    @property
    def T(self) -> Any:
        return self.transpose()

    @property
    def A(self) -> Any:
        return self.toarray()

    def transpose(self) -> Any:
        height, width = self.shape
        parts = kernels.transposed(self.values, self.columns, self.starts, width)
        return self._laid_out(parts, (width, height))

    def _same(self, parts: Any, shape: Any) -> Any:
        return type(self)(parts[0], parts[1], parts[2], shape)

    def _laid_out(self, parts: Any, shape: Any) -> Any:
        return LaidOutArray(parts[0], parts[1], parts[2], shape)

    def _full(self, parts: Any, shape: Any) -> Any:
        return FullArray(parts[0], parts[1], parts[2], shape)

    def _parts(self) -> Any:
        return self.values, self.columns, self.starts

    def _with(self, values: Any) -> Any:
        return self._same((values, self.columns, self.starts), self.shape)

    def _rows(self) -> Any:
        return kernels.row_of_each(self.columns, self.starts)

    def __getitem__(self, place: Any) -> Any:
        several: Any = place
        one = isinstance(place, tuple) and not isinstance(several[0], slice)
        if one and np.ndim(several[0]) == 0 and np.ndim(several[1]) == 0:
            return self._element(several[0], several[1])
        return refuse("a part of a sparse matrix", "use elements A[i, j], or A.toarray()")

    def _element(self, row: Any, column: Any) -> Any:
        height, width = self.shape
        if row < -height or row >= height or column < -width or column >= width:
            raise IndexError("index out of range")
        row, column = row % height, column % width
        total = 0.0
        for at in range(self.starts[row], self.starts[row + 1]):
            if self.columns[at] == column:
                total += self.values[at]
        return total

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, SparseArray):
            if self.shape[1] != other.shape[0]:
                raise ValueError("matmul: dimension mismatch")
            found = kernels.times_sparse(self._parts(), other._parts())
            height, width = self.shape[0], other.shape[1]
            parts = kernels.of_triplets(found[0], found[1], found[2], height, width)
            return self._full(parts, (height, width))
        x = np.asarray(other)
        if len(x) != self.shape[1]:
            raise ValueError("matmul: dimension mismatch")
        if x.ndim == 1:
            return kernels.times_vector(self.values, self.columns, self.starts, x)
        return kernels.times_matrix(self.values, self.columns, self.starts, x)

    def __rmatmul__(self, other: Any) -> Any:
        x = np.asarray(other)
        if x.shape[-1] != self.shape[0]:
            raise ValueError("matmul: dimension mismatch")
        if x.ndim == 1:
            width = self.shape[1]
            return kernels.vector_times(self.values, self.columns, self.starts, width, x)
        return (self.transpose() @ x.T).T

    def dot(self, other: Any) -> Any:
        if not isinstance(other, SparseArray) and np.ndim(other) == 0:
            return self.multiply(other)
        return self @ other

    def multiply(self, other: Any) -> Any:
        """Product by elements, sparse unless both are dense."""
        if isinstance(other, SparseArray):
            found = self.values * other._at(self._rows(), self.columns)
            return self._full((found, self.columns, self.starts), self.shape)
        if np.ndim(other) == 0:
            return self._with(self.values * other)
        x = np.broadcast_to(np.atleast_2d(np.asarray(other)), self.shape)
        found = kernels.flat_product(self.values, self.columns, self.starts, x)
        return self._laid_out((found, self.columns, self.starts), self.shape)

    def _at(self, rows: Any, columns: Any) -> Any:
        """The elements at places, zero where there is none."""
        return self.toarray()[rows, columns]

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) > 0:
            refuse("a sparse matrix divided by an array", "use A.multiply(1.0 / x)")
        return self._with(self.values / other)

    def __neg__(self) -> Any:
        return self._with(-self.values)

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1.0, 1.0)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, 1.0, 1.0)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, 1.0, -1.0)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(other, -1.0, 1.0)

    def _sum(self, other: Any, own: Any, its: Any) -> Any:
        if not isinstance(other, SparseArray):
            if np.ndim(other) == 0:
                refuse("a number that is added to a sparse matrix", "add it to A.toarray()")
            return own * self._dense("a sum with a dense matrix") + its * np.asarray(other)
        height, width = self.shape
        if height != other.shape[0] or width != other.shape[1]:
            raise ValueError("inconsistent shapes")
        found = kernels.of_triplets(
            np.concatenate((own * self.values, its * other.values)),
            np.concatenate((self._rows(), other._rows())),
            np.concatenate((self.columns, other.columns)),
            height, width,
        )  # fmt: skip
        return self._full(found, self.shape)

    def __eq__(self, other: object) -> Any:
        return refuse(*_COMPARED)

    def __ne__(self, other: object) -> Any:
        return refuse(*_COMPARED)

    def __lt__(self, other: Any) -> Any:
        return refuse(*_COMPARED)

    def __gt__(self, other: Any) -> Any:
        return refuse(*_COMPARED)

    def _once(self) -> Any:
        """The same with the elements of one place added up, which what is not linear takes."""
        height, width = self.shape
        parts = kernels.of_triplets(self.values, self._rows(), self.columns, height, width)
        return self._same(parts, self.shape)

    def power(self, n: Any) -> Any:
        found = self._once()
        return found._with(found.values**n)

    def __abs__(self) -> Any:
        found = self._once()
        return found._with(np.abs(found.values))

    def toarray(self) -> Any:
        height, width = self.shape
        found = np.zeros((height, width))
        for row in range(height):
            for at in range(self.starts[row], self.starts[row + 1]):
                found[row, self.columns[at]] += self.values[at]
        return found

    def todense(self) -> Any:
        return self._dense("todense")

    def _dense(self, what: Any) -> Any:
        """As an array; of a matrix SciPy makes `np.matrix`, whose operators are others."""
        return self.toarray()

    def diagonal(self, k: Any = 0) -> Any:
        height, width = self.shape
        first = max(-k, 0)
        found = np.zeros(max(min(height - first, width - max(k, 0)), 0))
        for row in range(first, first + len(found)):
            for at in range(self.starts[row], self.starts[row + 1]):
                if self.columns[at] == row + k:
                    found[row - first] += self.values[at]
        return found

    def trace(self, offset: Any = 0) -> Any:
        return np.sum(self.diagonal(offset))

    def sum(self, axis: Any = None) -> Any:
        if axis is None:
            return np.sum(self.values)
        self._along()
        if axis == 1 or axis == -1:
            return self @ np.ones(self.shape[1])
        return np.ones(self.shape[0]) @ self

    def _along(self) -> Any:
        """Whether sums along an axis are arrays: of a matrix they are `np.matrix` in SciPy."""
        return True

    def mean(self, axis: Any = None) -> Any:
        if axis is None:
            return self.sum() / (self.shape[0] * self.shape[1])
        return self.sum(axis) / (self.shape[1] if axis == 1 or axis == -1 else self.shape[0])

    def getnnz(self) -> Any:
        return len(self.values)

    def copy(self) -> Any:
        return self._with(self.values.copy())

    def conj(self) -> Any:
        return self

    def tocsr(self, copy: Any = False) -> Any:
        return self

    def tocsc(self, copy: Any = False) -> Any:
        return self._laid_out(self._parts(), self.shape)

    def tocoo(self, copy: Any = False) -> Any:
        return self._laid_out(self._parts(), self.shape)

    def tolil(self, copy: Any = False) -> Any:
        return refuse("a sparse matrix that is changed", "make it of its elements: csr_matrix")

    def asformat(self, format: Any, copy: Any = False) -> Any:
        return self.tocsr() if format == "csr" else self.tocsc()


class SparseMatrix(SparseArray):
    """As `SparseArray`; `*` is the product of matrices."""

    def _laid_out(self, parts: Any, shape: Any) -> Any:
        return LaidOutMatrix(parts[0], parts[1], parts[2], shape)

    def _full(self, parts: Any, shape: Any) -> Any:
        return FullMatrix(parts[0], parts[1], parts[2], shape)

    def __mul__(self, other: Any) -> Any:
        return self.dot(other)

    def __rmul__(self, other: Any) -> Any:
        return self.multiply(other) if np.ndim(other) == 0 else self.__rmatmul__(other)

    def _dense(self, what: Any) -> Any:
        return refuse(f"{what} of a sparse matrix, which is an np.matrix", "use A.toarray()")

    def _along(self) -> Any:
        return refuse(
            "sums of a sparse matrix along an axis, which are an np.matrix",
            "use A @ np.ones(n), or csr_array(A)",
        )


class _LaidOut:
    """Parts that are not those of compressed rows."""

    @property
    def data(self) -> Any:
        return refuse(*_PARTS)

    @property
    def indices(self) -> Any:
        return refuse(*_PARTS)

    @property
    def indptr(self) -> Any:
        return refuse(*_PARTS)

    @property
    def nnz(self) -> Any:
        return refuse(*_NUMBER)

    def getnnz(self) -> Any:
        return refuse(*_NUMBER)


class LaidOutArray(_LaidOut, SparseArray):
    """An array of another layout."""

    def tocsr(self, copy: Any = False) -> Any:
        return SparseArray(self.values, self.columns, self.starts, self.shape)


class LaidOutMatrix(_LaidOut, SparseMatrix):
    """A matrix of another layout."""

    def tocsr(self, copy: Any = False) -> Any:
        return SparseMatrix(self.values, self.columns, self.starts, self.shape)


class _Full(_LaidOut):
    """Elements that may be zero, which SciPy leaves out where it adds or converts."""

    def tocsr(self, copy: Any = False) -> Any:
        return self


class FullArray(_Full, SparseArray):
    """An array with such elements."""

    def _laid_out(self, parts: Any, shape: Any) -> Any:
        return self._full(parts, shape)


class FullMatrix(_Full, SparseMatrix):
    """A matrix with such elements."""

    def _laid_out(self, parts: Any, shape: Any) -> Any:
        return self._full(parts, shape)


_PARTS = (
    "parts of a sparse matrix that is not known to be of compressed rows",
    "use A @ x, A.toarray() or A.diagonal(), or A.tocsr() of one that no sum has made",
)
_COMPARED = ("a comparison of a sparse matrix", "compare A.toarray() or A.data")
_NUMBER = (
    "the number of elements of a sparse matrix that is not known to be of compressed rows",
    "ask A.tocsr() of one that no sum has made, or np.count_nonzero(A.toarray())",
)


_CLASSES = (SparseArray, SparseMatrix, LaidOutArray, LaidOutMatrix, FullArray, FullMatrix)


def is_of_layout(cls: type[Any], kind: type) -> bool | None:
    """Whether a matrix of one of these classes is an object of a class of SciPy's; None where its
    layout is not known here."""
    if cls not in _CLASSES or not kind.__module__.startswith("scipy.sparse"):
        return False
    name, matrix = kind.__name__, issubclass(cls, SparseMatrix)
    if name in ("spmatrix", "sparray"):
        return (name == "spmatrix") == matrix
    if name.endswith("matrix") != matrix:
        return False
    if cls in (SparseArray, SparseMatrix):
        return name.startswith("csr_")
    return None


def of_scipy(value: object) -> type[Any] | None:
    """The class that stands for a sparse matrix of SciPy's; None of anything else."""
    sparse: Any = sys.modules.get("scipy.sparse")
    if sparse is None or not sparse.issparse(value):
        return None
    found: Any = value
    if isinstance(value, sparse.spmatrix):
        return SparseMatrix if found.format == "csr" else LaidOutMatrix
    return SparseArray if found.format == "csr" else LaidOutArray


def why_not(value: Any) -> str | None:
    """What a sparse matrix of SciPy's is that is not accepted; None where it is."""
    if value.ndim != 2:
        return f"a sparse array with {value.ndim} axes"
    if value.format in ("csr", "csc") and value.indices.min(initial=0) < 0:
        return "a sparse matrix with negative indices"
    accepted = value.dtype.kind in "iub" or value.dtype == numpy.float64
    return None if accepted else f"a sparse matrix of {value.dtype.name}"


def parts_in(value: Any) -> tuple[Any, ...]:
    """The elements, columns, starts and shape of a sparse matrix of SciPy's."""
    rows = value.tocsr()
    height, width = (int(n) for n in rows.shape)
    starts = rows.indptr.astype(numpy.int64)
    used = slice(int(starts[-1]))
    values = rows.data[used].astype(float, copy=False)
    return values, rows.indices[used].astype(numpy.int64), starts, (height, width)


def in_scipy(cls: type[Any], items: Sequence[Any]) -> Any:
    """A matrix of SciPy's of the parts of one of these, by rows; None of another class, and where
    parts are not there, as in gradients."""
    if cls not in _CLASSES or any(item is None for item in items):
        return None
    import scipy.sparse

    values, columns, starts, shape = items
    sparse: Any = scipy.sparse
    made = sparse.csr_matrix if issubclass(cls, SparseMatrix) else sparse.csr_array
    return made((values, columns, starts), shape=shape)
