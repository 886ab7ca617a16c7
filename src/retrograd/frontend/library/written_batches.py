"""Linear algebra of several matrices along the first axis: loops over those of one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.written_factors import (
    count_above,
    count_over,
    reduced_qr,
    singular_values,
    symmetric_eigen,
)
from retrograd.frontend.library.written_functions import power
from retrograd.frontend.library.written_linalg import (
    determinant,
    inverse,
    sign_and_log,
    solution,
)

__all__ = [
    "determinants", "each_eigen", "each_matrix", "each_qr", "each_singular", "each_solved",
    "inverses", "pairs_solved", "powers", "ranks", "signs_and_logs", "solved_for_each",
]  # fmt: skip


def solved_for_each(a: Any, b: Any) -> Any:
    """One matrix, several right sides."""
    out = np.empty(b.shape)
    for k in range(len(b)):
        out[k] = solution(a, b[k].copy())
    return out


def each_solved(a: Any, b: Any) -> Any:
    """Several matrices, one right side."""
    out = np.empty((a.shape[0], b.shape[0], b.shape[1]))
    for k in range(len(a)):
        out[k] = solution(a[k].copy(), b)
    return out


def pairs_solved(a: Any, b: Any) -> Any:
    """As many of the one as of the other, or one of either."""
    if len(a) != len(b) and len(a) != 1 and len(b) != 1:
        raise ValueError("operands could not be broadcast together with remapped shapes")
    count = len(b) if len(a) == 1 else len(a)
    out = np.empty((count, b.shape[1], b.shape[2]))
    for k in range(count):
        i, j = min(k, len(a) - 1), min(k, len(b) - 1)
        out[k] = solution(a[i].copy(), b[j].copy())
    return out


def inverses(a: Any) -> Any:
    out = np.empty(a.shape)
    for k in range(len(a)):
        out[k] = inverse(a[k].copy())
    return out


def determinants(a: Any) -> Any:
    out = np.empty(len(a))
    for k in range(len(a)):
        out[k] = determinant(a[k].copy())
    return out


def signs_and_logs(a: Any) -> Any:
    signs, logs = np.empty(len(a)), np.empty(len(a))
    for k in range(len(a)):
        sign, log = sign_and_log(a[k].copy())
        signs[k] = sign
        logs[k] = log
    return signs, logs


def each_matrix(f: Any, a: Any, rows: Any, columns: Any) -> Any:
    """The matrix that f gives of each matrix."""
    out = np.empty((len(a), rows, columns))
    for k in range(len(a)):
        out[k] = f(a[k].copy())
    return out


def each_eigen(a: Any) -> Any:
    values, vectors = np.empty(a.shape[:2]), np.empty(a.shape)
    for k in range(len(a)):
        values[k], vectors[k] = symmetric_eigen(a[k].copy())
    return values, vectors


def each_singular(a: Any) -> Any:
    count, m, n = a.shape
    r = min(m, n)
    u, s, v = np.empty((count, m, r)), np.empty((count, r)), np.empty((count, n, r))
    for k in range(count):
        u[k], s[k], v[k] = singular_values(a[k].copy())
    return u, s, v


def each_qr(a: Any) -> Any:
    count, m, n = a.shape
    r = min(m, n)
    qs, rs = np.empty((count, m, r)), np.empty((count, r, n))
    for k in range(count):
        qs[k], rs[k] = reduced_qr(a[k].copy())
    return qs, rs


def ranks(s: Any, relative: Any, absolute: Any) -> Any:
    """How many singular values in each row count, above a part of the first or above a number."""
    out = np.zeros(len(s), dtype=int)
    for k in range(len(s)):
        row = s[k].copy()
        counted = count_above(row, relative) if absolute is None else count_over(row, absolute)
        out[k] = counted
    return out


def powers(a: Any, n: Any) -> Any:
    out = np.empty(a.shape)
    for k in range(len(a)):
        out[k] = power(a[k].copy(), n)
    return out
