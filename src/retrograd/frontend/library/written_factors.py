"""Factorisations of one matrix with the rules for their derivatives, written out in Python.

Where a rule divides by a difference of eigenvalues (or singular values) that is zero, a numerator
that is zero too counts for nothing (`ratio`): functions of the values alone have their derivatives
at any matrix, and those of vectors that are not determined are infinite.

Sources: Giles, Collected matrix derivative results (2008); Murray, Differentiation of the Cholesky
decomposition (2016); Walter, Lehmann and Lamour, On evaluating higher-order derivatives of the QR
decomposition of tall matrices (2012); Golub and Pereyra, The differentiation of pseudo-inverses
(1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.lapack import (
    cholesky_of,
    eigen_of,
    qr_of,
    ratio,
    singular_of,
    tri_solve,
)
from retrograd.frontend.library.plain.told import WithRule

__all__ = [
    "cholesky", "count_above", "count_over", "eigen", "factor_of_positive", "pseudo_inverse", "qr",
    "reduced_qr", "regular_triangle", "scipy_factor", "singular", "singular_values",
    "symmetric_eigen",
]  # fmt: skip


def _cholesky(a: Any) -> Any:
    return cholesky_of(a)


def _cholesky_rule(primals: Any, tangents: Any) -> Any:
    factor = cholesky(primals[0])
    half = tri_solve(factor, _from_below(tangents[0]), True, False, False)
    whole = tri_solve(factor, half.T, True, False, False)
    return factor, factor @ _half_of_lower(whole)


def _from_below(x: Any) -> Any:
    """The symmetric matrix with this lower triangle."""
    out = np.empty(x.shape)
    for i in range(len(x)):
        for j in range(len(x)):
            out[i, j] = x[i, j] if j <= i else x[j, i]
    return out


def _half_of_lower(x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    out = np.zeros(x.shape)
    for i in range(len(x)):
        for j in range(i):
            out[i, j] = x[i, j]
        out[i, i] = 0.5 * x[i, i]
    return out


cholesky = WithRule("jvp", _cholesky, (), _cholesky_rule)
"""The lower factor of a matrix, of which the lower triangle is read."""


def factor_of_positive(a: Any) -> Any:
    """The lower factor, with NumPy's error where there is none."""
    factor = cholesky(a)
    if len(a) > 0 and factor[0, 0] < 0.0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return factor


def scipy_factor(a: Any) -> Any:
    """The lower factor, with SciPy's error where there is none."""
    factor = cholesky(a)
    if len(a) > 0 and factor[0, 0] < 0.0:
        order = int(-factor[0, 0])
        raise np.linalg.LinAlgError(
            f"{order}-th leading minor of the array is not positive definite"
        )
    return factor


def regular_triangle(a: Any) -> None:
    """Raises SciPy's error unless all elements of the diagonal are other than zero."""
    for k in range(len(a)):
        if a[k, k] == 0.0:
            raise np.linalg.LinAlgError(f"singular matrix: resolution failed at diagonal {k}")


def _eigen(a: Any) -> Any:
    found = eigen_of(a)
    return found[0].copy(), found[1:].T.copy()


def _eigen_rule(primals: Any, tangents: Any) -> Any:
    values, vectors = eigen(primals[0])
    moved = vectors.T @ (_from_below(tangents[0]) @ vectors)
    slopes, turned = _of_diagonal(moved), _without_diagonal(moved)
    gaps = _gaps(values)
    return (values, vectors), (slopes, vectors @ ratio(turned, gaps))


def _gaps(values: Any) -> Any:
    """Differences of values; ones on the diagonal, where nothing is divided."""
    out = np.ones((len(values), len(values)))
    for i in range(len(values)):
        for j in range(len(values)):
            if i != j:
                out[i, j] = values[j] - values[i]
    return out


def _of_diagonal(x: Any) -> Any:
    out = np.empty(len(x))
    for k in range(len(x)):
        out[k] = x[k, k]
    return out


def _without_diagonal(x: Any) -> Any:
    out = x.copy()
    for k in range(len(x)):
        out[k, k] = 0.0
    return out


eigen = WithRule("jvp", _eigen, (), _eigen_rule)
"""Eigenvalues and eigenvectors of a symmetric matrix, of which the lower triangle is read."""


def symmetric_eigen(a: Any) -> Any:
    """The same, with NumPy's error where they are not found."""
    values, vectors = eigen(a)
    if len(a) > 0 and vectors[0, 0] < -1.5:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return values, vectors


def _singular(a: Any) -> Any:
    found = singular_of(a)
    n = a.shape[1]
    return found[n + 1 :].copy(), found[0].copy(), found[1 : n + 1].copy()


def _singular_rule(primals: Any, tangents: Any) -> Any:
    a, a_dot = primals[0], tangents[0]
    u, s, v = singular(a)
    from_left, from_right = u.T @ a_dot, a_dot @ v
    moved = from_left @ v
    slopes, turned = _of_diagonal(moved), _without_diagonal(moved)
    gaps = _gaps(s) * (s[None, :] + s[:, None])
    u_dot = u @ ratio(turned * s[None, :] + s[:, None] * turned.T, gaps)
    v_dot = v @ ratio(s[:, None] * turned + turned.T * s[None, :], gaps)
    if a.shape[0] > a.shape[1]:
        u_dot = u_dot + ratio(from_right - u @ (u.T @ from_right), s[None, :])
    if a.shape[0] < a.shape[1]:
        v_dot = v_dot + ratio(from_left.T - v @ (from_left @ v).T, s[None, :])
    return (u, s, v), (u_dot, slopes, v_dot)


singular = WithRule("jvp", _singular, (), _singular_rule)
"""U, the singular values and V (not transposed) of any matrix."""


def singular_values(a: Any) -> Any:
    """The same, with NumPy's error where they are not found."""
    u, s, v = singular(a)
    if len(s) > 0 and s[0] < 0.0:
        raise np.linalg.LinAlgError("SVD did not converge")
    return u, s, v


def _qr(a: Any) -> Any:
    found = qr_of(a)
    n = a.shape[1]
    return found[n:].copy(), found[:n].T.copy()


def _qr_rule(primals: Any, tangents: Any) -> Any:
    q, r = qr(primals[0])
    _of_full_rank(r, len(q))
    scaled = tri_solve(r, tangents[0].T, False, True, False).T
    inside = q.T @ scaled
    turned = _skew_of_lower(inside)
    return (q, r), (q @ (turned - inside) + scaled, (inside - turned) @ r)


def _of_full_rank(r: Any, rows: Any) -> None:
    largest = 0.0
    for k in range(len(r)):
        largest = max(largest, abs(r[k, k]))
    for k in range(len(r)):
        if abs(r[k, k]) <= 2e-16 * rows * largest:
            raise np.linalg.LinAlgError(
                "QR has no derivative here: the columns of the matrix are linearly dependent"
            )


def _skew_of_lower(x: Any) -> Any:
    """The antisymmetric matrix with this lower triangle."""
    out = np.zeros(x.shape)
    for i in range(len(x)):
        for j in range(i):
            out[i, j] = x[i, j]
            out[j, i] = -x[i, j]
    return out


qr = WithRule("jvp", _qr, (), _qr_rule)
"""Q and R of a matrix with no more columns than rows."""


def reduced_qr(a: Any) -> Any:
    """Q and R of any matrix: the columns beyond the rows have no part in Q."""
    m = a.shape[0]
    if a.shape[1] <= m:
        return qr(a)
    q, r = qr(a[:, :m].copy())
    whole = np.empty(a.shape)
    whole[:, :m] = r
    whole[:, m:] = q.T @ a[:, m:]
    return q, whole


def count_over(s: Any, least: Any) -> Any:
    """How many are larger."""
    count = 0
    for k in range(len(s)):
        if s[k] > least:
            count += 1
    return count


def count_above(s: Any, cutoff: Any) -> Any:
    """How many singular values are more than this part of the largest."""
    return count_over(s, cutoff * s[0]) if len(s) > 0 else 0


def _pseudo_inverse(a: Any, cutoff: Any) -> Any:
    u, s, v = singular_values(a)
    least = 0.0 if len(s) == 0 else cutoff * s[0]
    inverses = np.zeros(len(s))
    for k in range(len(s)):
        if s[k] > least:
            inverses[k] = 1.0 / s[k]
    return (v * inverses) @ u.T


def _pseudo_inverse_rule(primals: Any, tangents: Any) -> Any:
    a, cutoff = primals
    a_dot = tangents[0]
    found = pseudo_inverse(a, cutoff)
    inner = found @ (found.T @ (a_dot.T - (a_dot.T @ a) @ found))
    outer = (a_dot.T - found @ (a @ a_dot.T)) @ (found.T @ found)
    return found, inner + outer - found @ (a_dot @ found)


pseudo_inverse = WithRule("jvp", _pseudo_inverse, (), _pseudo_inverse_rule)
"""The pseudo-inverse; singular values up to `cutoff` of the largest count as zero, with what is
near the matrix of the same rank."""
