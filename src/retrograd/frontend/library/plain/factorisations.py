"""Factorisations of matrices, and what is calculated with them: NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_batches as batches
from retrograd.frontend.library import written_factors as one
from retrograd.frontend.library.plain.equations import at_least_two, square
from retrograd.frontend.library.plain.told import pair, refuse
from retrograd.frontend.library.written_eigenvalues import eigenvalues, real_eigen

__all__ = [
    "cholesky", "cond", "eig", "eigh", "eigvals", "eigvalsh", "lstsq", "matrix_rank", "pinv", "qr",
    "svd", "svdvals", "values_of",
]  # fmt: skip

np: Any = numpy

_EigResult: Any = type(numpy.linalg.eig(numpy.eye(1)))
_EighResult: Any = type(numpy.linalg.eigh(numpy.eye(1)))
_QRResult: Any = type(numpy.linalg.qr(numpy.eye(1)))
_SVDResult: Any = type(numpy.linalg.svd(numpy.eye(1)))
_EPS = 2.220446049250313e-16


def flipped(a: Any) -> Any:
    """Each matrix transposed."""
    return np.swapaxes(a, -1, -2)


def cholesky(a: Any, upper: Any = False) -> Any:
    a = square(a)
    if upper:
        return flipped(_lower(flipped(a)))
    return _lower(a)


def _lower(a: Any) -> Any:
    if a.ndim == 2:
        return one.factor_of_positive(a)
    return batches.each_matrix(one.factor_of_positive, a, a.shape[1], a.shape[2])


def _symmetric(a: Any, UPLO: Any) -> Any:
    a = square(a)
    if UPLO not in ("L", "l", "U", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if UPLO in ("L", "l") else flipped(a)


def _eigen(a: Any) -> Any:
    return one.symmetric_eigen(a) if a.ndim == 2 else batches.each_eigen(a)


def eigh(a: Any, UPLO: Any = "L") -> Any:
    values, vectors = _eigen(_symmetric(a, UPLO))
    return _EighResult(values, vectors)


def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return _eigen(_symmetric(a, UPLO))[0]


def _general(a: Any, name: Any) -> Any:
    a = np.asarray(a) * 1.0
    if a.ndim > 2:
        refuse(f"np.linalg.{name} of several matrices", "write a loop over them")
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    return a


def eig(a: Any) -> Any:
    """Real numbers and vectors; where NumPy's are complex, an exception says so."""
    values, vectors = real_eigen(_general(a, "eig"))
    return _EigResult(values, vectors)


def eigvals(a: Any) -> Any:
    """Complex numbers, whether they are real or not."""
    a = _general(a, "eigvals")
    real, imag = eigenvalues(a)
    if np.any(np.isnan(imag)):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return pair(real, imag)


def singular(a: Any) -> Any:
    """U, the singular values and V."""
    return one.singular_values(a) if a.ndim == 2 else batches.each_singular(a)


def values_of(a: Any) -> Any:
    return singular(a)[1]


def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    a = at_least_two(a)
    if compute_uv and full_matrices and a.shape[-1] != a.shape[-2]:
        raise ValueError(
            "svd of a matrix that is not square has full_matrices=True: that gives vectors which "
            "nothing determines; write full_matrices=False"
        )
    u, s, v = singular(a)
    return _SVDResult(u, s, flipped(v)) if compute_uv else s


def svdvals(x: Any) -> Any:
    return values_of(at_least_two(x))


def qr(a: Any, mode: Any = "reduced") -> Any:
    a = at_least_two(a)
    if mode not in ("reduced", "r"):
        raise ValueError("qr has the modes 'reduced' and 'r' here")
    q, r = one.reduced_qr(a) if a.ndim == 2 else batches.each_qr(a)
    return r if mode == "r" else _QRResult(q, r)


def pinv(a: Any, rcond: Any = None, rtol: Any = None) -> Any:
    a = at_least_two(a)
    given = rtol if rcond is None else rcond
    cutoff = 1e-15 if given is None else given * 1.0
    if a.ndim == 2:
        return one.pseudo_inverse(a, cutoff)

    def of_one(matrix: Any) -> Any:
        return one.pseudo_inverse(matrix, cutoff)

    return batches.each_matrix(of_one, a, a.shape[2], a.shape[1])


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = np.asarray(a) * 1.0, np.asarray(b) * 1.0
    if a.ndim != 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be two-dimensional"
        )
    if b.ndim not in (1, 2):
        raise np.linalg.LinAlgError(
            f"{b.ndim}-dimensional array given. Array must be two-dimensional"
        )
    if a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    cutoff = _EPS * max(a.shape[0], a.shape[1]) if rcond is None else rcond * 1.0
    s = values_of(a)
    x = one.pseudo_inverse(a, cutoff) @ b
    rank = one.count_above(s, cutoff)
    off = np.reshape(b - a @ x, (b.shape[0], 1)) if b.ndim == 1 else b - a @ x
    squares = np.sum(off * off, axis=0)
    count = len(squares) if rank == a.shape[1] and a.shape[0] > a.shape[1] else 0
    return x, squares[:count], rank, s


def matrix_rank(A: Any, tol: Any = None, rtol: Any = None) -> Any:
    a = np.asarray(A) * 1.0
    if a.ndim < 2:
        return int(np.any(a != 0.0))
    s = values_of(a)
    cutoff = max(a.shape[-2], a.shape[-1]) * _EPS if rtol is None else rtol * 1.0
    if a.ndim > 2:
        return batches.ranks(s, cutoff, tol)
    return one.count_above(s, cutoff) if tol is None else one.count_over(s, tol * 1.0)


def cond(x: Any, p: Any = None) -> Any:
    x = at_least_two(x)
    if x.size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p == 2 or p == -2:
        s = values_of(x)
        large, small = s[..., 0], s[..., -1]
        found = small / large if p == -2 else large / small
        anything = np.sum(np.isnan(x), axis=(-2, -1)) > 0
        return np.where(np.logical_or(anything, np.logical_not(np.isnan(found))), found, np.inf)
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))
