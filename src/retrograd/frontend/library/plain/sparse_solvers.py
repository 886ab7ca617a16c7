"""Linear equations with sparse matrices: `scipy.sparse.linalg`, as programs.

The factors are those of Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988), column by column
and with rows exchanged, in the order of columns that the matrix has. Derivatives take them for
constants. Steps that add the solution for what is left of the right-hand side follow: they change
nothing but roundings, and each gives one order of derivatives, so that there are three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from retrograd.frontend.identity import sparse_kernels as kernels
from retrograd.frontend.library.plain.sparse import csr_matrix
from retrograd.frontend.library.plain.told import constant

__all__ = ["cg", "factorized", "splu", "spsolve"]

np: Any = numpy

_KEPT = 0.1
"""The diagonal is taken where it is at least this part of the largest element."""
_STEPS = 3


def _pivot(x: Any, step_of: Any, j: Any, low: Any, high: Any) -> Any:
    """The row of step j, of those without a step."""
    chosen, largest = -1, 0.0
    for row in range(low, high + 1):
        if step_of[row] < 0 and abs(x[row]) > largest:
            chosen, largest = row, abs(x[row])
    if chosen < 0:
        raise RuntimeError("Factor is exactly singular")
    return j if step_of[j] < 0 and abs(x[j]) >= _KEPT * largest else chosen


def _factors(values: Any, rows: Any, starts: Any) -> Any:
    """The lower factor by columns, the upper one without its diagonal, the diagonal, and the row
    of each step."""
    n = len(starts) - 1
    below, lower, begins = np.zeros(0, dtype=int), np.zeros(0), np.zeros(n + 1, dtype=int)
    above, upper, firsts = np.zeros(0, dtype=int), np.zeros(0), np.zeros(n + 1, dtype=int)
    diagonal, row_of = np.zeros(n), np.zeros(n, dtype=int)
    step_of = np.full(n, -1)
    x = np.zeros(n)
    for j in range(n):
        first, low, high = j, n, -1
        for at in range(starts[j], starts[j + 1]):
            row = rows[at]
            x[row] += values[at]
            low, high = min(low, row), max(high, row)
            first = min(first, step_of[row]) if step_of[row] >= 0 else first
        if firsts[j] + j - first > len(above):
            above = np.concatenate((above, np.zeros(len(above) + j - first, dtype=int)))
            upper = np.concatenate((upper, np.zeros(len(above) - len(upper))))
        count = firsts[j]
        for k in range(first, j):
            part = x[row_of[k]]
            if part != 0.0:
                above[count], upper[count] = k, part
                count += 1
                for at in range(begins[k], begins[k + 1]):
                    row = below[at]
                    x[row] -= lower[at] * part
                    low, high = min(low, row), max(high, row)
        firsts[j + 1] = count
        chosen = _pivot(x, step_of, j, low, high)
        step_of[chosen], row_of[j], diagonal[j] = j, chosen, x[chosen]
        room = high + 1 - low
        if begins[j] + room > len(below):
            below = np.concatenate((below, np.zeros(len(below) + room, dtype=int)))
            lower = np.concatenate((lower, np.zeros(len(below) - len(lower))))
        count = begins[j]
        for row in range(low, high + 1):
            if step_of[row] < 0 and x[row] != 0.0:
                below[count], lower[count] = row, x[row] / diagonal[j]
                count += 1
            x[row] = 0.0
        begins[j + 1] = count
    return below, lower, begins, above, upper, firsts, diagonal, row_of


def _by_factors(factors: Any, b: Any) -> Any:
    below, lower, begins, above, upper, firsts, diagonal, row_of = factors
    n = len(diagonal)
    y, z = b * 1.0, np.zeros(n)
    for k in range(n):
        part = y[row_of[k]]
        z[k] = part
        for at in range(begins[k], begins[k + 1]):
            y[below[at]] -= lower[at] * part
    for i in range(n):
        j = n - 1 - i
        part = z[j] / diagonal[j]
        z[j] = part
        for at in range(firsts[j], firsts[j + 1]):
            z[above[at]] -= upper[at] * part
    return z


def _solution(matrix: Any, factors: Any, b: Any) -> Any:
    x = constant(_by_factors(factors, constant(b)))
    for _ in range(_STEPS):
        x = x + _by_factors(factors, b - matrix @ x)
    return x


@dataclass(frozen=True)
class Solver:
    """What `splu` and `factorized` give."""

    matrix: Any
    factors: Any

    def __call__(self, b: Any) -> Any:
        return self.solve(b)

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        if trans == "N":
            return _solutions(self.matrix, self.factors, np.asarray(rhs))
        turned = self.matrix.T
        return _solutions(turned, _factors_of(turned), np.asarray(rhs))


def _solutions(matrix: Any, factors: Any, b: Any) -> Any:
    """Of one right-hand side, or of each column."""
    if b.ndim == 1:
        return _solution(matrix, factors, b)
    found = np.zeros(b.shape)
    for k in range(b.shape[1]):
        found[:, k] = _solution(matrix, factors, b[:, k])
    return found


def _factors_of(matrix: Any) -> Any:
    n = matrix.shape[0]
    if n != matrix.shape[1]:
        raise ValueError("can only factor square matrices")
    values = constant(matrix.values)
    return _factors(*kernels.transposed(values, matrix.columns, matrix.starts, n))


def splu(A: Any) -> Any:
    matrix = csr_matrix(A)
    return Solver(matrix, _factors_of(matrix))


def factorized(A: Any) -> Any:
    return splu(A)


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    matrix, rhs = csr_matrix(A), np.asarray(b)
    if rhs.shape[0] != matrix.shape[0]:
        raise ValueError("matrix - rhs dimension mismatch")
    found = _solutions(matrix, _factors_of(matrix), rhs)
    return np.ravel(found) if found.ndim == 2 and found.shape[1] == 1 else found


def cg(
    A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None
) -> Any:
    """Conjugate gradients; derivatives are those of the iteration."""
    b = np.asarray(b) * 1.0
    n = len(b)
    x = np.zeros(n) if x0 is None else np.asarray(x0) * 1.0
    enough = max(atol, rtol * np.sqrt(b @ b))
    most = n * 10 if maxiter is None else maxiter
    r = b - A @ x
    p = r.copy()
    rho = r @ r
    done, info = 0, most
    if np.sqrt(rho) <= enough:
        return x, 0
    while done < most:
        q = A @ p
        step = rho / (p @ q)
        x = x + step * p
        r = r - step * q
        done += 1
        before, rho = rho, r @ r
        if np.sqrt(rho) <= enough:
            info = 0
            break
        p = r + rho / before * p
    return x, info
