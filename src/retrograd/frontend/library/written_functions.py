"""What is calculated with factorisations of one matrix, written out in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from retrograd.frontend.library.lapack import lu, tri_solve
from retrograd.frontend.library.plain.told import WithRule, constant
from retrograd.frontend.library.written_factors import (
    cholesky,
    factor_of_positive,
    symmetric_eigen,
)
from retrograd.frontend.library.written_linalg import inverse as inverse_of
from retrograd.frontend.library.written_linalg import solution

__all__ = [
    "banded_solution", "exponential", "exponentials", "factor_of_covariance", "general_eigen",
    "lu_and_swaps", "lu_of", "power", "solved_by_lu", "solved_by_transposed_lu", "square_root",
    "three_dot",
]  # fmt: skip


def factor_of_covariance(cov: Any) -> Any:
    """The lower factor, with the error of `scipy.stats` where there is none."""
    factor = cholesky(cov)
    if len(cov) > 0 and factor[0, 0] < 0.0:
        raise np.linalg.LinAlgError(
            "When `allow_singular is False`, the input matrix must be symmetric positive definite."
        )
    return factor


def general_eigen(a: Any, b: Any) -> Any:
    """The values and vectors with a @ v = b @ v * w; b is positive definite."""
    factor = factor_of_positive(b)
    whole = np.tril(a) + np.tril(a, -1).T
    half = tri_solve(factor, whole, True, False, False)
    values, vectors = symmetric_eigen(tri_solve(factor, half.T, True, False, False))
    return values, tri_solve(factor, vectors, True, True, False)


# LU.


def _exchange(rows: Any, k: int, other: int) -> None:
    if other != k:
        row = rows[k].copy()
        rows[k] = rows[other]
        rows[other] = row


def _swapped(x: Any, swaps: Any) -> Any:
    """The rows as the swaps leave them."""
    out = x.copy()
    for k in range(len(swaps)):
        _exchange(out, k, int(swaps[k]))
    return out


def _swapped_back(x: Any, swaps: Any) -> Any:
    out = x.copy()
    for k in range(len(swaps) - 1, -1, -1):
        _exchange(out, k, int(swaps[k]))
    return out


def _lu_of(a: Any, factors: Any) -> Any:
    return factors[: len(a)].T.copy()


def _lu_rule(primals: Any, tangents: Any) -> Any:
    a, factors = primals
    both = lu_of(a, factors)
    moved = _swapped(tangents[0], factors[len(a)].copy())
    left = tri_solve(both, moved, True, False, True)
    inside = tri_solve(both, left.T, False, True, False).T
    lower = np.tril(both, -1) + np.eye(len(a))
    return both, lower @ np.tril(inside, -1) + np.triu(inside) @ np.triu(both)


lu_of = WithRule("jvp", _lu_of, (), _lu_rule)
"""Both factors in one matrix, of a matrix and what `lu` gives of it."""


def lu_and_swaps(a: Any) -> Any:
    factors = lu(a)
    return lu_of(a, factors), factors[len(a)].astype(int)


def solved_by_lu(both: Any, swaps: Any, b: Any) -> Any:
    half = tri_solve(both, _swapped(b, swaps), True, False, True)
    return tri_solve(both, half, False, False, False)


def solved_by_transposed_lu(both: Any, swaps: Any, b: Any) -> Any:
    half = tri_solve(both, b, False, True, False)
    return _swapped_back(tri_solve(both, half, True, True, True), swaps)


# Powers and exponentials.


def power(a: Any, n: Any) -> Any:
    """a to the n-th power, by squares."""
    out = np.eye(len(a))
    base = a.copy()
    while n > 0:
        if n % 2 == 1:
            out = out @ base
        n = n // 2
        if n > 0:
            base = base @ base
    return out


def three_dot(a: Any, b: Any, c: Any) -> Any:
    """The product of three, in the order that takes fewer multiplications."""
    n, k = a.shape
    m, p = c.shape
    if n * k * m + n * m * p < k * m * p + n * k * p:
        return (a @ b) @ c
    return a @ (b @ c)


def square_root(a: Any) -> Any:
    """By Newton's iteration in its product form, from which derivatives converge with the value.

    Source: Cheng, Higham, Kenney and Laub, Approximating the logarithm of a matrix to specified
    accuracy (2001).
    """
    n = len(a)
    size = 0.0
    symmetric = True
    for i in range(n):
        size = max(size, a[i, i])
        for j in range(i):
            if abs(a[i, j] - a[j, i]) > 1e-12 * (abs(a[i, j]) + abs(a[j, i])):
                symmetric = False
    if symmetric:
        factor_of_positive(a)
    else:
        size = np.sqrt(np.sum(a * a) / n)
    size = constant(size)
    one = np.eye(n)
    x = a / size if n > 0 else a
    m = x
    off, left = 1.0, 60
    while left > 0 and n > 0:
        inverse = inverse_of(m)
        x = 0.5 * (x @ (one + inverse))
        m = 0.5 * (one + 0.5 * (m + inverse))
        off = constant(np.max(np.abs(m - one)))
        left -= 1
        if off < 1e-8 and left > 2:
            left = 2
    if not symmetric and not off < 1e-8:
        raise np.linalg.LinAlgError(
            "sqrtm and logm take a matrix here whose eigenvalues are positive or complex"
        )
    return x * math.sqrt(size)


def logarithm(a: Any) -> Any:
    """By square roots until it is close to the unit matrix, and the series of the inverse tangent.

    Source: Higham, Functions of Matrices (2008), chapter 11.
    """
    one = np.eye(len(a))
    near, count = a, 0
    while np.sum(np.abs(constant(near) - one)) > 0.3 and count < 60:
        near = square_root(near)
        count += 1
    z = (near - one) @ inverse_of(near + one)
    square = z @ z
    total = one / 23.0
    for k in range(11):
        total = one / (21.0 - 2.0 * k) + square @ total
    return 2.0 ** (count + 1.0) * (z @ total)


_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip


def exponential(a: Any) -> Any:
    """By scaling and squaring with the Pade approximant of degree 13.

    Source: Higham, The scaling and squaring method for the matrix exponential revisited (2005).
    """
    n = len(a)
    size = 0.0
    for j in range(n):
        total = 0.0
        for i in range(n):
            total += abs(a[i, j])
        size = max(size, total)
    size = constant(size)
    times = 0
    if size < np.inf and size > 5.371920351148152:
        times = math.ceil(math.log2(size / 5.371920351148152))
    x = a * 0.5**times
    one = np.eye(n)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    high = x6 @ (_PADE[13] * x6 + _PADE[11] * x4 + _PADE[9] * x2)
    odd = x @ (high + _PADE[7] * x6 + _PADE[5] * x4 + _PADE[3] * x2 + _PADE[1] * one)
    high = x6 @ (_PADE[12] * x6 + _PADE[10] * x4 + _PADE[8] * x2)
    even = high + _PADE[6] * x6 + _PADE[4] * x4 + _PADE[2] * x2 + _PADE[0] * one
    found = solution(even - odd, even + odd)
    for _ in range(times):
        found = found @ found
    return found


def exponentials(a: Any) -> Any:
    out = np.empty(a.shape)
    for k in range(len(a)):
        out[k] = exponential(a[k].copy())
    return out


# Banded matrices.


def _in_rows(below: Any, above: Any, ab: Any) -> Any:
    """Row i has the elements of row i of the matrix from column i - below on, with room for what
    exchanges of rows bring there."""
    n = ab.shape[1]
    band = np.zeros((n, below + above + below + 1))
    for i in range(n):
        for j in range(max(0, i - below), min(n, i + above + 1)):
            band[i, j - i + below] = ab[above + i - j, j]
    return band


def _exchanged(band: Any, x: Any, below: Any, k: Any, best: Any, end: Any) -> None:
    """Two rows of the system, from column k on, in place."""
    for j in range(k, end):
        value = band[k, j - k + below]
        band[k, j - k + below] = band[best, j - best + below]
        band[best, j - best + below] = value
    row = x[k].copy()
    x[k] = x[best]
    x[best] = row


def banded_solution(below: Any, above: Any, ab: Any, b: Any) -> Any:
    """By elimination with partial pivoting inside of the band, which grows upwards by `below`."""
    n = ab.shape[1]
    band = _in_rows(below, above, ab)
    x = b.copy()
    for k in range(n):
        last = min(n, k + below + 1)
        best = k
        for i in range(k + 1, last):
            if abs(band[i, k - i + below]) > abs(band[best, k - best + below]):
                best = i
        if band[best, k - best + below] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        end = min(n, k + below + above + 1)
        if best != k:
            _exchanged(band, x, below, k, best, end)
        for i in range(k + 1, last):
            factor = band[i, k - i + below] / band[k, below]
            for j in range(k + 1, end):
                band[i, j - i + below] = band[i, j - i + below] - factor * band[k, j - k + below]
            x[i] = x[i] - factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, min(n, k + below + above + 1)):
            x[k] = x[k] - band[k, j - k + below] * x[j]
        x[k] = x[k] / band[k, below]
    return x
