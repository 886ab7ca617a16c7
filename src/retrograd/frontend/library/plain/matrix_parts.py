"""Parts of matrices and equations of them: further functions of `scipy.linalg`.

Source of the derivative of the polar factor: Higham, Functions of Matrices (2008), chapter 8.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_factors as one
from retrograd.frontend.library import written_functions as functions
from retrograd.frontend.library.plain.equations import finite_matrix
from retrograd.frontend.library.plain.told import WithRule, constant, refuse

__all__ = ["expm_frechet", "logm", "lu", "polar", "solve_sylvester"]

np: Any = numpy


def lu(
    a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True,
    p_indices: Any = False,
) -> Any:  # fmt: skip
    a = finite_matrix(a, check_finite)
    if a.ndim != 2:
        refuse("scipy.linalg.lu of several matrices", "write a loop over them")
    if a.shape[0] != a.shape[1]:
        raise ValueError("lu takes a square matrix here")
    if p_indices:
        refuse("scipy.linalg.lu with p_indices=True", "leave it out: p is a matrix then")
    both, swaps = functions.lu_and_swaps(a)
    n = len(a)
    rows = np.arange(n)
    for k in range(n):
        kept, other = rows[k], swaps[k]
        rows[k] = rows[other]
        rows[other] = kept
    p = np.where(np.arange(n)[:, None] == rows[None, :], 1.0, 0.0)
    lower, upper = np.tril(both, -1) + np.eye(n), np.triu(both)
    return (p @ lower, upper) if permute_l else (p, lower, upper)


def _unitary(a: Any) -> Any:
    w, s, v = one.singular_values(a)
    if len(s) > 0 and s[-1] <= 2.220446049250313e-16 * max(a.shape[0], a.shape[1]) * s[0]:
        raise np.linalg.LinAlgError(
            "polar takes a matrix of full rank here: nothing else determines both factors"
        )
    return w @ v.T


def _unitary_rule(primals: Any, tangents: Any) -> Any:
    """What turns the vectors is a skew matrix, which the sums of singular values divide."""
    a, moved = primals[0], tangents[0]
    w, s, v = one.singular_values(a)
    inside = w.T @ moved @ v
    out = w @ ((inside - inside.T) / (s[:, None] + s[None, :])) @ v.T
    if a.shape[0] > a.shape[1]:
        rest = moved @ v
        out = out + (rest - w @ (w.T @ rest)) / s @ v.T
    if a.shape[0] < a.shape[1]:
        rest = moved.T @ w
        out = out + w @ ((rest - v @ (v.T @ rest)) / s).T
    return unitary_of(a), out


unitary_of = WithRule("jvp", _unitary, (), _unitary_rule)
"""The nearest matrix with orthonormal columns or rows, of a matrix of full rank."""


def polar(a: Any, side: Any = "right") -> Any:
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    a = np.asarray(a) * 1.0
    if a.ndim < 2:
        raise ValueError("`a` must be a 2-D array.")
    if a.ndim > 2:
        refuse("scipy.linalg.polar of several matrices", "write a loop over them")
    u = unitary_of(finite_matrix(a, True))
    return u, u.T @ a if side == "right" else a @ u.T


def expm_frechet(
    A: Any, E: Any, method: Any = None, compute_expm: Any = True, check_finite: Any = True
) -> Any:
    """A corner of the exponential of a matrix of blocks, with a direction of unit size."""
    a, e = finite_matrix(A, check_finite), finite_matrix(E, check_finite)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expected A to be a square matrix")
    if e.ndim != 2 or e.shape[0] != e.shape[1]:
        raise ValueError("expected E to be a square matrix")
    if a.shape != e.shape:
        raise ValueError("expected A and E to be the same shape")
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    n = len(a)
    size = constant(np.sum(np.abs(e)))
    size = np.where(size > 0.0, size, 1.0)
    blocks = np.concatenate(
        (np.concatenate((a, e / size), 1), np.concatenate((np.zeros((n, n)), a), 1)), 0
    )
    whole = functions.exponential(blocks)
    corner = whole[:n, n:] * size
    return (whole[:n, :n].copy(), corner) if compute_expm else corner


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    a, b, q = np.asarray(a) * 1.0, np.asarray(b) * 1.0, np.asarray(q) * 1.0
    if a.ndim != 2 or b.ndim != 2 or q.ndim != 2:
        refuse("scipy.linalg.solve_sylvester of what are no matrices", "give it three matrices")
    if a.shape[0] != a.shape[1] or b.shape[0] != b.shape[1]:
        raise ValueError("expected square matrices a and b")
    if q.shape != (len(a), len(b)):
        raise ValueError("q must have as many rows as a, and as many columns as b")
    operator = np.kron(a, np.eye(len(b))) + np.kron(np.eye(len(a)), b.T)
    return np.reshape(np.linalg.solve(operator, np.ravel(q)), q.shape)


def logm(A: Any) -> Any:
    a = finite_matrix(A, True)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expected a square matrix")
    return functions.logarithm(a)
