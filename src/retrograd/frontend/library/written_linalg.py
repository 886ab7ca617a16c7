"""Linear algebra of one matrix, written out in Python over the factorisations.

What branches or loops on the way, and what has a derivative rule of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.lapack import lu, lu_solve
from retrograd.frontend.library.plain.told import WithRule

__all__ = ["determinant", "inverse", "log_of_size", "sign_and_log", "solution"]


def _regular(factors: Any) -> None:
    for k in range(factors.shape[1]):
        if factors[k, k] == 0.0:
            raise np.linalg.LinAlgError("Singular matrix")


def solution(a: Any, b: Any) -> Any:
    """The matrix x with a @ x = b."""
    factors = lu(a)
    _regular(factors)
    return lu_solve(a, factors, b, False)


def inverse(a: Any) -> Any:
    factors = lu(a)
    _regular(factors)
    return lu_solve(a, factors, np.eye(len(a)), False)


def _signed(factors: Any) -> Any:
    """The sign that the swaps of rows give, and the pivots."""
    n = factors.shape[1]
    sign = 1.0
    pivots = np.empty(n)
    for k in range(n):
        pivots[k] = factors[k, k]
        if factors[n, k] != k:
            sign = -sign
    return sign, pivots


def _log_of_size(a: Any, factors: Any) -> Any:
    pivots = _signed(factors)[1]
    return np.sum(np.log(np.abs(pivots)))


def _log_rule(primals: Any, tangents: Any) -> Any:
    a, factors = primals
    moved = lu_solve(a, factors, tangents[0], False)
    slope = 0.0
    for k in range(len(a)):
        slope += moved[k, k]
    return log_of_size(a, factors), slope


log_of_size = WithRule("jvp", _log_of_size, (), _log_rule)
"""The logarithm of the determinant's size, of a matrix and its factors."""


def sign_and_log(a: Any) -> Any:
    """The sign of the determinant and the logarithm of its size."""
    factors = lu(a)
    sign, pivots = _signed(factors)
    for k in range(len(pivots)):
        if pivots[k] < 0.0:
            sign = -sign
        if pivots[k] == 0.0:
            sign = 0.0
    return sign, log_of_size(a, factors)


def determinant(a: Any) -> Any:
    """The product of the pivots; derivatives are those of the logarithm where it is not zero."""
    factors = lu(a)
    value, pivots = _signed(factors)
    regular = True
    for k in range(len(pivots)):
        value = value * pivots[k]
        if pivots[k] == 0.0:
            regular = False
    if not regular:
        return _of_singular(a)
    log = log_of_size(a, factors)
    return value * np.exp(log - _constant_log(factors))


def _constant_log(factors: Any) -> Any:
    """As `log_of_size`, to the bit; factors are constants to derivatives, and so is this."""
    return np.sum(np.log(np.abs(_signed(factors)[1])))


def _of_singular(a: Any) -> Any:
    """The determinant by elimination with complete pivoting as long as pivots are not negligible.

    What is left is next to nothing, so its determinant is calculated without a division. Each step
    is a polynomial, or divides by a pivot that is no zero: derivatives of any order are those of
    the determinant.
    """
    rest = a.copy()
    n = len(a)
    least = 1e-13 * n * np.max(np.abs(a))
    value = 1.0
    done = 0
    going = True
    while going and done < n:
        i, j = _largest(rest, done)
        if abs(rest[i, j]) <= least:
            going = False
        else:
            value = value * _eliminated(rest, done, i, j)
            done += 1
    return value * _without_division(rest[done:, done:].copy())


def _largest(rest: Any, first: Any) -> Any:
    """Where the largest element from `first` on is."""
    row, column = first, first
    for i in range(first, len(rest)):
        for j in range(first, len(rest)):
            if abs(rest[i, j]) > abs(rest[row, column]):
                row, column = i, j
    return row, column


def _eliminated(rest: Any, k: Any, i: Any, j: Any) -> Any:
    """A step with the pivot at (i, j), in place; the pivot with the sign of what was swapped."""
    sign = 1.0
    if i != k:
        row = rest[i].copy()
        rest[i] = rest[k]
        rest[k] = row
        sign = -sign
    if j != k:
        column = rest[:, j].copy()
        rest[:, j] = rest[:, k]
        rest[:, k] = column
        sign = -sign
    pivot = rest[k, k]
    for row in range(k + 1, len(rest)):
        factor = rest[row, k] / pivot
        for column in range(k + 1, len(rest)):
            rest[row, column] = rest[row, column] - factor * rest[k, column]
    return sign * pivot


def _without_division(a: Any) -> Any:
    """The determinant as a polynomial.

    Source: Bird, A simple division-free algorithm for computing determinants (2011).
    """
    n = len(a)
    if n == 0:
        return 1.0
    f = a.copy()
    for _ in range(n - 1):
        below = 0.0
        upper = np.zeros((n, n))
        for k in range(n - 1, -1, -1):
            upper[k, k] = below
            below = below - f[k, k]
            upper[k, k + 1 :] = f[k, k + 1 :]
        f = upper @ a
    return f[0, 0] if n % 2 == 1 else -f[0, 0]
