"""Systems of linear equations, inverses and determinants: NumPy's and SciPy's functions."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_batches as batches
from retrograd.frontend.library import written_linalg as one
from retrograd.frontend.library.lapack import tri_solve
from retrograd.frontend.library.plain.stacks import stack_of, stretched_to
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_factors import factor_of_positive

__all__ = [
    "at_least_two", "det", "finite", "finite_matrix", "inv", "scipy_det", "scipy_inv",
    "scipy_solve", "slogdet", "solve", "square",
]  # fmt: skip

np: Any = numpy

_SlogdetResult: Any = type(numpy.linalg.slogdet(numpy.eye(1)))


def at_least_two(a: Any) -> Any:
    """A matrix of floats, or several along the first axis; NumPy's error for others."""
    a = np.asarray(a) * 1.0
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return a


def square(a: Any) -> Any:
    """A square matrix of floats, or several along the first axis; NumPy's errors for others."""
    a = at_least_two(a)
    if a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def solve(a: Any, b: Any) -> Any:
    a, b = square(a), np.asarray(b) * 1.0
    if b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with "
            "signature (m,m),(m,n)->(m,n) requires 2)"
        )
    if b.ndim == 1:
        if a.shape[-1] != b.shape[0]:
            raise ValueError(
                "solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                f"signature (m,m),(m)->(m) (size {b.shape[0]} is different from {a.shape[-1]})"
            )
        found = _solved(a, np.reshape(b, (b.shape[0], 1)))
        return np.reshape(found, found.shape[:-1])
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(m,m),(m,n)->(m,n) (size {b.shape[-2]} is different from {a.shape[-1]})"
        )
    return _solved(a, b)


def _solved(a: Any, b: Any) -> Any:
    if a.ndim > 3 or b.ndim > 3:
        shape = stretched_to(a, b)
        found = batches.pairs_solved(stack_of(a, shape), stack_of(b, shape))
        return np.reshape(found, (*shape, *b.shape[-2:]))
    if a.ndim == 2 and b.ndim == 2:
        return one.solution(a, b)
    if a.ndim == 2:
        return batches.solved_for_each(a, b)
    return batches.each_solved(a, b) if b.ndim == 2 else batches.pairs_solved(a, b)


def inv(a: Any) -> Any:
    a = square(a)
    return one.inverse(a) if a.ndim == 2 else batches.inverses(a)


def det(a: Any) -> Any:
    a = square(a)
    return one.determinant(a) if a.ndim == 2 else batches.determinants(a)


def slogdet(a: Any) -> Any:
    a = square(a)
    sign, log = one.sign_and_log(a) if a.ndim == 2 else batches.signs_and_logs(a)
    return _SlogdetResult(sign, log)


def finite(x: Any, check_finite: Any) -> Any:
    """As an array of floats, which SciPy looks through unless it is told not to."""
    x = np.asarray(x) * 1.0
    if check_finite and not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    return x


def finite_matrix(a: Any, check_finite: Any) -> Any:
    """The same of a matrix, which SciPy makes of a number, too."""
    a = finite(a, check_finite)
    if a.ndim == 0:
        refuse("a number as a matrix of scipy.linalg", "make it a matrix: np.array([[x]])")
    return a


def _square_for_scipy(a: Any) -> Any:
    if a.ndim == 1:
        raise ValueError(f"Expected square matrix, got a1.shape=(1, {a.shape[0]})")
    if a.shape[-2] != a.shape[-1]:
        raise ValueError(f"Expected square matrix, got a1.shape=({a.shape[-2]}, {a.shape[-1]})")
    return a


_GENERAL = ("gen", "general", "banded", "tridiagonal")
_SYMMETRIC = ("sym", "symmetric", "her", "hermitian")
_POSITIVE = ("pos", "positive definite")
_TRIANGLES = ("upper triangular", "lower triangular")


def scipy_solve(
    a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False,
    check_finite: Any = True, assume_a: Any = None, transposed: Any = False,
) -> Any:  # fmt: skip
    known = (*_GENERAL, *_SYMMETRIC, *_POSITIVE, *_TRIANGLES, "diagonal")
    if assume_a is not None and assume_a not in known:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    a, b = finite_matrix(a, check_finite), np.atleast_1d(finite(b, check_finite))
    if a.ndim <= 2 and a.size == 1:  # which SciPy takes for a number, whatever b's rows are
        return _divided(b, np.reshape(a, (1,))[0])
    a = _square_for_scipy(a)
    rows = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if a.shape[-1] != rows:
        raise ValueError(f"incompatible shapes: {a.shape[-1]} columns of a, {rows} rows of b")
    if assume_a is None or assume_a in _GENERAL:
        return solve(np.swapaxes(a, -1, -2) if transposed else a, b)
    if a.ndim != 2 or b.ndim > 2:
        refuse("assume_a of several matrices", "solve with one after the other in a loop")
    right = np.reshape(b, (b.shape[0], 1)) if b.ndim == 1 else b
    x = _with_structure(a, right, assume_a, lower, transposed)
    return np.reshape(x, b.shape)


def _divided(b: Any, a: Any) -> Any:
    if a == 0.0:
        raise np.linalg.LinAlgError("A singular matrix detected.")
    return b / a


def _with_structure(a: Any, right: Any, assume_a: Any, lower: Any, transposed: Any) -> Any:
    """The solution with what is said of a matrix; only that part of it is read."""
    if assume_a == "diagonal":
        diagonal = np.diag(a)
        if np.any(diagonal == 0.0):
            raise np.linalg.LinAlgError("A singular matrix detected.")
        return right / diagonal[:, None]
    if assume_a in _TRIANGLES:
        if np.any(np.diag(a) == 0.0):
            raise np.linalg.LinAlgError("A singular matrix detected.")
        return tri_solve(a, right, assume_a == "lower triangular", transposed, False)
    half = a if lower else a.T
    if assume_a in _SYMMETRIC:
        return one.solution(np.tril(half) + np.tril(half, -1).T, right)
    factor = factor_of_positive(half)
    return tri_solve(factor, tri_solve(factor, right, True, False, False), True, True, False)


def scipy_inv(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return inv(_square_for_scipy(finite_matrix(a, check_finite)))


def scipy_det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = finite_matrix(a, check_finite)
    if a.ndim == 1:
        raise ValueError("The input array must be at least two-dimensional.")
    if a.shape[-2] != a.shape[-1]:
        raise ValueError(
            "Last 2 dimensions of the array must be square but received shape "
            f"({a.shape[-2]}, {a.shape[-1]})."
        )
    return det(a)
