"""Linear algebra of several matrices along the first axis: loops over those of one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.written_linalg import (
    determinant,
    inverse,
    sign_and_log,
    solution,
)

__all__ = [
    "determinants", "each_solved", "inverses", "pairs_solved", "signs_and_logs", "solved_for_each",
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
