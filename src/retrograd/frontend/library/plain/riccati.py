"""Algebraic equations of Riccati, and bases of ranges and kernels of matrices (`scipy.linalg`).

The solution is found as a constant: of the discrete equation by doubling (E. K.-W. Chu, H.-Y. Fan,
W.-W. Lin, C.-S. Wang, Structure-preserving algorithms for periodic discrete-time algebraic Riccati
equations, 2004), of the continuous one by the sign of a matrix (J. D. Roberts, Linear model
reduction and solution of the algebraic Riccati equation, 1980). Two of Kleinman's steps follow,
which are Newton's: so derivatives are right to order three.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import factorisations
from retrograd.frontend.library.plain.equations import finite_matrix
from retrograd.frontend.library.plain.scipy_linalg import (
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
)
from retrograd.frontend.library.plain.told import constant, refuse

__all__ = ["null_space", "orth", "solve_continuous_are", "solve_discrete_are"]

np: Any = numpy

_MOST = 100


def _given(a: Any, b: Any, q: Any, r: Any) -> Any:
    a, b = finite_matrix(a, True), finite_matrix(b, True)
    q, r = finite_matrix(q, True), finite_matrix(r, True)
    if a.ndim != 2 or b.ndim != 2 or q.ndim != 2 or r.ndim != 2:
        refuse("an equation of Riccati of what are no matrices", "give it four matrices")
    if a.shape[0] != a.shape[1] or q.shape[0] != q.shape[1] or r.shape[0] != r.shape[1]:
        raise ValueError("Matrix a, q and r should be square.")
    if a.shape != q.shape or b.shape[0] != a.shape[0] or b.shape[1] != r.shape[0]:
        raise ValueError("Matrices a, b, q and r should have the shapes of one equation.")
    for matrix in (q, r):
        far = np.sum(np.abs(matrix - matrix.T))
        if far > 1e-13 * np.sum(np.abs(matrix)):
            raise ValueError("Matrix q and r should be symmetric/hermitian.")
    sizes = np.linalg.svdvals(constant(r))
    if sizes[-1] < 2.220446049250313e-16 * sizes[0]:
        raise ValueError("Matrix r is numerically singular.")
    return a, b, q, r


def _found(x: Any, off: Any, stable: Any) -> Any:
    if not off <= 1e-8 or not stable:
        raise np.linalg.LinAlgError("Failed to find a finite solution.")
    return x


def solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    a, b, q, r = _given(a, b, q, r)
    one = np.eye(len(a))
    f, h = constant(a), constant(q)
    g = constant(b @ np.linalg.solve(r, b.T))
    off, left = 1.0, _MOST
    while off > 1e-15 and left > 0:
        inverse = np.linalg.inv(one + g @ h)
        more = f.T @ h @ inverse @ f
        g = g + f @ inverse @ g @ f.T
        f = f @ inverse @ f
        h = h + more
        size = np.sum(np.abs(h))
        off = np.sum(np.abs(more)) / size if size > 0.0 else 0.0
        left = left - 1
    x = constant(0.5 * (h + h.T))
    closed = constant(a) - constant(b @ np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a))
    x = _found(x, off, np.max(np.abs(np.linalg.eigvals(closed))) < 1.0)
    for _ in range(2):
        gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a)
        x = solve_discrete_lyapunov((a - b @ gain).T, q + gain.T @ r @ gain)
    return x


def solve_continuous_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    a, b, q, r = _given(a, b, q, r)
    n = len(a)
    g = constant(b @ np.linalg.solve(r, b.T))
    w = np.zeros((2 * n, 2 * n))
    w[:n, :n], w[:n, n:] = constant(a), -g
    w[n:, :n], w[n:, n:] = -constant(q), -constant(a).T
    off, left = 1.0, _MOST
    while off > 1e-15 and left > 0:
        inverse = np.linalg.inv(w)
        scale = np.sqrt(np.sqrt(np.sum(inverse * inverse) / np.sum(w * w)))
        scale = scale if off > 1e-2 else 1.0
        new = 0.5 * (scale * w + inverse / scale)
        size = np.sum(np.abs(new - w)) / np.sum(np.abs(new))
        # Where rounding errors are all that is left, steps no longer become smaller.
        off = 0.0 if size < 1e-8 and size >= 0.5 * off else size
        w, left = new, left - 1
    first = np.concatenate((w[:n, n:], w[n:, n:] + np.eye(n)))
    second = np.concatenate((w[:n, :n] + np.eye(n), w[n:, :n]))
    x = constant(np.linalg.solve(first.T @ first, -(first.T @ second)))
    x = 0.5 * (x + x.T)
    closed = constant(a) - g @ x
    x = _found(x, off, np.max(np.linalg.eigvals(closed).real) < 0.0)
    for _ in range(2):
        gain = np.linalg.solve(r, b.T @ x)
        x = solve_continuous_lyapunov((a - b @ gain).T, -(q + gain.T @ r @ gain))
    return x


def _rank(s: Any, shape: Any, rcond: Any) -> Any:
    least = 2.220446049250313e-16 * max(shape[0], shape[1]) if rcond is None else rcond
    return np.sum(s > least * np.max(s))


def orth(A: Any, rcond: Any = None) -> Any:
    a = finite_matrix(A, True)
    u, s, _ = factorisations.svd(a, full_matrices=False)
    return u[:, : _rank(constant(s), a.shape, rcond)].copy()


def null_space(
    A: Any, rcond: Any = None, overwrite_a: Any = False, check_finite: Any = True
) -> Any:  # fmt: skip
    a = finite_matrix(A, check_finite)
    if a.shape[0] < a.shape[1]:
        raise ValueError(
            "null_space takes a matrix here with at least as many rows as columns: give it A.T @ A"
        )
    _, s, vh = factorisations.svd(a, full_matrices=False)
    return vh[_rank(constant(s), a.shape, rcond) :].T.copy()
