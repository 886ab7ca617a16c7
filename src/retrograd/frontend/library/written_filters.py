"""Filters of images: loops over the weights or over the elements of a window.

Lines are the axes (outer, n) or (outer, n, inner), planes are three axes, the first of which may be
as short as 1. Both are extended first, so that every window lies inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.written_arrays import sorted_copy

__all__ = [
    "beyond", "extended", "extended_by", "extremes", "extremes_of_windows", "function_of_windows",
    "means", "ranked", "weighted", "weighted_windows",
]  # fmt: skip


def beyond(k: Any, n: Any, mode: Any) -> Any:
    """The place among 0 .. n - 1 of what a mode has at an index of any size."""
    if mode == "nearest":
        return min(max(k, 0), n - 1)
    if mode == "wrap":
        return k % n
    period = max(2 * n - 2, 1) if mode == "mirror" else 2 * n
    k = k % period
    return min(k, period - k) if mode == "mirror" else min(k, period - 1 - k)


def extended(x: Any, before: Any, after: Any, mode: Any) -> Any:
    """Lines that go on at both ends."""
    n = x.shape[1]
    out = np.zeros((x.shape[0], before + n + after, *x.shape[2:]))
    out[:, before : before + n] = x
    for k in range(before):
        out[:, k] = x[:, beyond(k - before, n, mode)]
    for k in range(before + n, before + n + after):
        out[:, k] = x[:, beyond(k - before, n, mode)]
    return out


def extended_by(x: Any, before: Any, after: Any, cval: Any) -> Any:
    """Lines with a number at both ends."""
    n = x.shape[1]
    out = np.full((x.shape[0], before + n + after, *x.shape[2:]), cval * 1.0)
    out[:, before : before + n] = x
    return out


def weighted(x: Any, weights: Any) -> Any:
    """The sums of neighbours along lines, by weights."""
    n = x.shape[1] - len(weights) + 1
    out = np.zeros((x.shape[0], n, *x.shape[2:]))
    for k in range(len(weights)):
        out += weights[k] * x[:, k : k + n]
    return out


def means(x: Any, size: Any) -> Any:
    """Of each `size` neighbours along lines: sums that go along, so that nan stays in them."""
    n = x.shape[1] - size + 1
    out = np.zeros((x.shape[0], n, *x.shape[2:]))
    total = np.zeros((x.shape[0], *x.shape[2:]))
    for k in range(size):
        total = total + x[:, k]
    for k in range(n):
        if k > 0:
            total = total + (x[:, k + size - 1] - x[:, k - 1])
        out[:, k] = total / size
    return out


def extremes(x: Any, size: Any, sign: Any) -> Any:
    """The largest of each `size` neighbours along lines with three axes, for the sign 1; for -1 the
    least. Of several the first, which has the derivative."""
    outer, n, inner = x.shape[0], x.shape[1] - size + 1, x.shape[2]
    out = np.zeros((outer, n, inner))
    for i in range(outer):
        for j in range(n):
            for c in range(inner):
                at = j
                for k in range(j + 1, j + size):
                    if sign * x[i, k, c] > sign * x[i, at, c]:
                        at = k
                out[i, j, c] = x[i, at, c]
    return out


def _left(x: Any, window: Any) -> Any:
    (a, b, c), (p, q, r) = x.shape, window
    return a - p + 1, b - q + 1, c - r + 1


def weighted_windows(x: Any, weights: Any) -> Any:
    """The sums over windows of planes, by weights."""
    p, q, r = weights.shape
    a, b, c = _left(x, (p, q, r))
    out = np.zeros((a, b, c))
    for i in range(p):
        for j in range(q):
            for k in range(r):
                out += weights[i, j, k] * x[i : i + a, j : j + b, k : k + c]
    return out


def extremes_of_windows(x: Any, chosen: Any, sign: Any) -> Any:
    """The largest, or least, of what is chosen of windows of planes."""
    p, q, r = chosen.shape
    a, b, c = _left(x, (p, q, r))
    out = np.zeros((a, b, c))
    for i in range(a):
        for j in range(b):
            for k in range(c):
                best, du, dv, dw = -np.inf, 0, 0, 0
                for u in range(p):
                    for v in range(q):
                        for w in range(r):
                            here = sign * x[i + u, j + v, k + w]
                            if chosen[u, v, w] and here > best:
                                best, du, dv, dw = here, u, v, w
                out[i, j, k] = x[i + du, j + dv, k + dw]
    return out


def _window(x: Any, i: Any, j: Any, k: Any, chosen: Any, count: Any) -> Any:
    """What is chosen of the window that begins at an element."""
    p, q, r = chosen.shape
    found = np.zeros(count)
    at = 0
    for u in range(p):
        for v in range(q):
            for w in range(r):
                if chosen[u, v, w]:
                    found[at] = x[i + u, j + v, k + w]
                    at += 1
    return found


def ranked(x: Any, chosen: Any, rank: Any) -> Any:
    """The number in that place of what is chosen of each window of planes, in order."""
    count = np.sum(chosen)
    a, b, c = _left(x, chosen.shape)
    out = np.zeros((a, b, c))
    for i in range(a):
        for j in range(b):
            for k in range(c):
                out[i, j, k] = sorted_copy(_window(x, i, j, k, chosen, count))[rank]
    return out


def function_of_windows(function: Any, x: Any, chosen: Any, more: Any) -> Any:
    """A function of what is chosen of each window of planes."""
    count = np.sum(chosen)
    a, b, c = _left(x, chosen.shape)
    out = np.zeros((a, b, c))
    for i in range(a):
        for j in range(b):
            for k in range(c):
                out[i, j, k] = function(_window(x, i, j, k, chosen, count), *more)
    return out
