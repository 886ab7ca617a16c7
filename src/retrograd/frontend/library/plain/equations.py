"""Systems of linear equations, inverses and determinants: NumPy's and SciPy's functions."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_batches as batches
from retrograd.frontend.library import written_linalg as one
from retrograd.frontend.library.plain.told import refuse

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


def _square_for_scipy(a: Any, check_finite: Any) -> Any:
    a = finite_matrix(a, check_finite)
    if a.ndim == 1:
        raise ValueError(f"Expected square matrix, got a1.shape=(1, {a.shape[0]})")
    if a.shape[-2] != a.shape[-1]:
        raise ValueError(f"Expected square matrix, got a1.shape=({a.shape[-2]}, {a.shape[-1]})")
    return a


def scipy_solve(
    a: Any, b: Any, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
    transposed: Any = False,
) -> Any:  # fmt: skip
    a, b = _square_for_scipy(a, check_finite), finite(b, check_finite)
    rows = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if a.shape[-1] != rows:
        raise ValueError(f"incompatible shapes: {a.shape[-1]} columns of a, {rows} rows of b")
    return solve(np.swapaxes(a, -1, -2) if transposed else a, b)


def scipy_inv(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return inv(_square_for_scipy(a, check_finite))


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
