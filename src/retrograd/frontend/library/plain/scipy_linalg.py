"""Functions of `scipy.linalg` on matrices; the factorisations are those of `written_factors`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_factors as one
from retrograd.frontend.library import written_functions as functions
from retrograd.frontend.library.lapack import tri_solve
from retrograd.frontend.library.plain import factorisations
from retrograd.frontend.library.plain.equations import finite, finite_matrix
from retrograd.frontend.library.plain.told import pair, refuse

__all__ = [
    "block_diag", "cho_factor", "cho_solve", "cholesky", "eigh", "eigvalsh", "expm", "lstsq",
    "lu_factor", "lu_solve", "pinv", "pinvh", "qr",
    "solve_banded", "solve_triangular", "sqrtm", "svd", "svdvals", "toeplitz",
    "circulant", "hankel", "solve_continuous_lyapunov", "solve_discrete_lyapunov",
    "eig", "eigvals", "solve_toeplitz",
]  # fmt: skip

np: Any = numpy


def _matrix(a: Any, check_finite: Any) -> Any:
    a = finite_matrix(a, check_finite)
    if a.ndim != 2:
        raise ValueError("expected a matrix: in a loop, give one after the other")
    return a


def _square(a: Any, check_finite: Any) -> Any:
    a = finite_matrix(a, check_finite)
    if a.ndim != 2:
        raise ValueError("Input array needs to be 2D")
    if a.shape[0] != a.shape[1]:
        raise ValueError(
            f"Input array is expected to be square but has the shape: ({a.shape[0]}, {a.shape[1]})."
        )
    return a


def _right_side(a: Any, b: Any, check_finite: Any) -> Any:
    """The right side as a matrix."""
    b = finite(b, check_finite)
    if b.ndim not in (1, 2):
        raise ValueError("the right side must be a vector or a matrix")
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"shapes are incompatible: {a.shape[0]} and {b.shape[0]} rows")
    return np.reshape(b, (b.shape[0], 1)) if b.ndim == 1 else b


def _as_given(x: Any, b: Any) -> Any:
    """The solution with as many axes as the right side."""
    return np.reshape(x, (x.shape[0],)) if np.ndim(b) == 1 else x


def cholesky(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = _square(a, check_finite)
    return one.scipy_factor(a) if lower else one.scipy_factor(a.T).T


def cho_factor(
    a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True
) -> Any:
    a = _square(a, check_finite)
    if lower:
        return np.where(np.tri(len(a)) == 1.0, one.scipy_factor(a), a), lower
    return np.where(np.tri(len(a)).T == 1.0, one.scipy_factor(a.T).T, a), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    c = _square(c, check_finite)
    right = _right_side(c, b, check_finite)
    if lower:
        x = tri_solve(c, tri_solve(c, right, True, False, False), True, True, False)
    else:
        x = tri_solve(c, tri_solve(c, right, False, True, False), False, False, False)
    return _as_given(x, b)


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False,
    overwrite_b: Any = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    a = finite_matrix(a, check_finite)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    right = _right_side(a, b, check_finite)
    if not unit_diagonal:
        one.regular_triangle(a)
    flipped = trans not in (0, "N")
    return _as_given(tri_solve(a, right, lower, flipped, unit_diagonal), b)


def lu_factor(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = finite_matrix(a, check_finite)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("lu_factor takes a square matrix here")
    return functions.lu_and_swaps(a)


def lu_solve(
    lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    lu, piv = lu_and_piv
    right = _right_side(lu, b, check_finite)
    solve = functions.solved_by_lu if trans == 0 else functions.solved_by_transposed_lu
    return _as_given(solve(lu, piv, right), b)


def eigh(
    a: Any, b: Any = None, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False,
    overwrite_b: Any = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    a = _square(a, check_finite)
    a = a if lower else a.T
    if b is None:
        values, vectors = one.symmetric_eigen(a)
    else:
        b = _square(b, check_finite)
        values, vectors = functions.general_eigen(a, b if lower else b.T)
    return values if eigvals_only else (values, vectors)


def eigvalsh(
    a: Any, b: Any = None, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    return eigh(a, b, lower, True, check_finite=check_finite)


def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, overwrite_a: Any = False,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    a = _matrix(a, check_finite)
    found = factorisations.svd(a, full_matrices, compute_uv)
    return (found[0], found[1], found[2]) if compute_uv else found


def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return factorisations.svdvals(_matrix(a, check_finite))


def qr(
    a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full",
    check_finite: Any = True,
) -> Any:  # fmt: skip
    a = _matrix(a, check_finite)
    if mode == "r" or (mode == "full" and a.shape[0] > a.shape[1]):
        raise ValueError("write mode='economic': what it leaves out is not determined, or zero")
    q, r = factorisations.qr(a)
    return q, r


def pinv(a: Any, atol: Any = None, rtol: Any = None, check_finite: Any = True) -> Any:
    a = _matrix(a, check_finite)
    if atol is not None:
        refuse("scipy.linalg.pinv with 'atol'", "give rtol")
    given = max(a.shape[0], a.shape[1]) * 2.220446049250313e-16 if rtol is None else rtol
    return factorisations.pinv(a, given)


def pinvh(
    a: Any, atol: Any = None, rtol: Any = None, lower: Any = True, check_finite: Any = True
) -> Any:  # fmt: skip
    """Of the symmetric matrix with this triangle."""
    a = _square(a, check_finite)
    if atol is not None:
        refuse("scipy.linalg.pinvh with 'atol'", "give rtol")
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    given = len(a) * 2.220446049250313e-16 if rtol is None else rtol
    return factorisations.pinv(half + half.T + np.diag(np.diag(a)), given)


def lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False,
    check_finite: Any = True, lapack_driver: Any = None,
) -> Any:  # fmt: skip
    """The sum of squares for a vector is a number, nan where SciPy gives no number."""
    if lapack_driver not in (None, "gelsd", "gelss"):
        refuse("another driver than gelsd or gelss", "leave lapack_driver out")
    a, right = finite_matrix(a, check_finite), finite(b, check_finite)
    if a.ndim != 2:
        raise ValueError("Input array a should be 2D")
    if right.ndim not in (1, 2):
        refuse("a right side that is no vector and no matrix", "solve one after the other")
    if a.shape[0] != right.shape[0]:
        raise ValueError(
            "Shape mismatch: a and b should have the same number of rows "
            f"({a.shape[0]} != {right.shape[0]})."
        )
    cutoff = 2.220446049250313e-16 if cond is None else cond
    x, squares, rank, s = factorisations.lstsq(a, right, cutoff)
    if right.ndim == 1:
        return x, squares[0] if len(squares) > 0 else np.nan, rank, s
    return x, squares, rank, s


def sqrtm(A: Any) -> Any:
    a = finite_matrix(A, True)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("The input array must be square")
    return functions.square_root(a)


def expm(A: Any) -> Any:
    a = np.asarray(A) * 1.0
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("The input array must be square")
    if a.ndim == 2:
        return functions.exponential(a)
    return functions.exponentials(a)


def solve_banded(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    below, above = l_and_u
    ab, given = finite(ab, check_finite), finite(b, check_finite)
    if ab.shape[-1] != given.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if below + above + 1 != ab.shape[0]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({below} + "
            f"{above} + 1) does not equal ab.shape[0] ({ab.shape[0]})"
        )
    right = np.reshape(given, (given.shape[0], 1)) if given.ndim == 1 else given
    return _as_given(functions.banded_solution(below, above, ab, right), given)


def block_diag(*arrs: Any) -> Any:
    blocks = [np.atleast_2d(block) for block in arrs]
    rows, columns = 0, 0
    for block in blocks:
        if block.ndim > 2:
            refuse(
                "scipy.linalg.block_diag of stacks of matrices", "put one matrix of each together"
            )
        rows, columns = rows + block.shape[0], columns + block.shape[1]
    whole = np.zeros((rows, columns), dtype=np.result_type(*blocks))
    row, column = 0, 0
    for block in blocks:
        n, m = block.shape
        whole[row : row + n, column : column + m] = block
        row, column = row + n, column + m
    return whole


def toeplitz(c: Any, r: Any = None) -> Any:
    c = np.atleast_1d(c)
    r = c if r is None else np.atleast_1d(r)
    if c.ndim > 1 or r.ndim > 1:
        refuse("scipy.linalg.toeplitz of several matrices", "give it one column and one row")
    whole = np.empty((len(c), len(r)), dtype=np.result_type(c, r))
    for i in range(len(c)):
        for j in range(len(r)):
            whole[i, j] = c[i - j] if i >= j else r[j - i]
    return whole


def eigvals(a: Any, b: Any = None, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    if b is not None:
        refuse("scipy.linalg.eigvals of a pair of matrices", "give it solve(b, a)")
    return factorisations.eigvals(_square(a, check_finite))


def eig(
    a: Any, b: Any = None, left: Any = False, right: Any = True, overwrite_a: Any = False,
    overwrite_b: Any = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    if b is not None:
        refuse("scipy.linalg.eig of a pair of matrices", "give it solve(b, a)")
    if left:
        refuse("scipy.linalg.eig with left=True", "give it the transposed matrix")
    if not right:
        return eigvals(a, None, overwrite_a, check_finite)
    found = factorisations.eig(_square(a, check_finite))
    return pair(found.eigenvalues, np.zeros(len(found.eigenvalues))), found.eigenvectors


def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    """By elimination, not by Levinson's recursion."""
    apart = isinstance(c_or_cr, tuple)
    column = finite(c_or_cr[0] if apart else c_or_cr, check_finite)
    row = finite(c_or_cr[1], check_finite) if apart else column
    right = finite(b, check_finite)
    if column.size != row.size or right.shape[0] != column.size:
        raise ValueError("illegal c_or_cr argument: the matrix is not square, or b does not fit")
    return np.linalg.solve(toeplitz(np.ravel(column), np.ravel(row)), right)


def circulant(c: Any) -> Any:
    c = np.atleast_1d(c)
    if c.ndim > 1:
        refuse("scipy.linalg.circulant of several columns", "give it one")
    k = np.arange(len(c))
    return c[(k[:, None] - k[None, :]) % max(len(c), 1)]


def hankel(c: Any, r: Any = None) -> Any:
    c = np.asarray(c)
    row = np.zeros(c.shape, dtype=c.dtype) if r is None else np.asarray(r)
    if c.ndim != 1 or row.ndim != 1:
        refuse("scipy.linalg.hankel of several matrices", "give it one column and one row")
    values = np.concatenate((c, row[1:]))
    return values[np.arange(len(c))[:, None] + np.arange(len(row))[None, :]]


def _squares(a: Any, q: Any) -> Any:
    a, q = np.asarray(a) * 1.0, np.asarray(q) * 1.0
    if a.ndim != 2 or q.ndim != 2:
        refuse("a Lyapunov equation of several matrices", "write a loop over them")
    if a.shape[0] != a.shape[1] or q.shape[0] != q.shape[1] or len(a) != len(q):
        raise ValueError("Matrix a and q should be square and of the same shape.")
    return a, q


def _lyapunov(operator: Any, q: Any) -> Any:
    return np.reshape(np.linalg.solve(operator, np.ravel(q)), q.shape)


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    a, q = _squares(a, q)
    one = np.eye(len(a))
    return _lyapunov(np.kron(a, one) + np.kron(one, a), q)


def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    a, q = _squares(a, q)
    return _lyapunov(np.eye(len(a) * len(a)) - np.kron(a, a), q)
