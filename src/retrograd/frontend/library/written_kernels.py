"""Loops over elements that functions in `plain` call, compiled as functions of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library import quantile_places
from retrograd.frontend.library.plain.told import one_of_several
from retrograd.frontend.library.written_arrays import (
    argmax_of,
    argmin_of,
    argsorted,
    searched_right,
    sorted_copy,
)

__all__ = [
    "argmax_along", "argmin_along", "argsorted_along", "convolved", "convolved_inside",
    "convolved_planes", "ends", "every_interpolated", "fill_diagonal_with",
    "fill_diagonal_with_one", "filtered", "histogram_counts", "histogram_of_pairs",
    "histogram_weights", "interpolated", "known_medians", "known_quantiles", "mapped", "medians",
    "number_of_each", "products_of_blocks", "products_with", "quantiles", "reduced_at", "repeated",
    "row_of_each", "running", "simpson_along", "sorted_along", "taken", "tridiagonal",
    "write_where",
]  # fmt: skip


def repeated(x: Any, counts: Any) -> Any:
    """(outer, n, inner) with the k-th of the middle axis `counts[k]` times."""
    outer, n, inner = x.shape
    if len(counts) != n and len(counts) != 1:
        raise ValueError("operands could not be broadcast together")
    total = 0
    for k in range(n):
        count = counts[k if len(counts) == n else 0]
        if count < 0:
            raise ValueError("repeats may not contain negative values.")
        total += count
    out = np.zeros((outer, total, inner), dtype=x.dtype)
    at = 0
    for k in range(n):
        for _ in range(counts[k if len(counts) == n else 0]):
            out[:, at] = x[:, k]
            at += 1
    return out


def interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """As NumPy: on the last point at most `x`, by the slope from there."""
    n = len(xp)
    if x != x:
        return x
    if x > xp[n - 1]:
        return right
    if x < xp[0]:
        return left
    k = max(searched_right(xp, x) - 1, 0)
    if k == n - 1 or xp[k] == x:
        return fp[k]
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    return slope * (x - xp[k]) + fp[k]


def every_interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = interpolated(x[i], xp, fp, left, right)
    return out


def convolved(a: Any, v: Any) -> Any:
    n, m = len(a), len(v)
    out = np.zeros(n + m - 1, dtype=a.dtype)
    if m <= n:
        for k in range(m):
            out[k : k + n] += v[k] * a
    else:
        for k in range(n):
            out[k : k + m] += a[k] * v
    return out


def convolved_inside(a: Any, v: Any) -> Any:
    """Where the shorter of the two lies inside the longer one."""
    n, m = len(a), len(v)
    out = np.zeros(max(n, m) - min(n, m) + 1, dtype=a.dtype)
    if m <= n:
        for k in range(m):
            out += v[k] * a[m - 1 - k : n - k]
    else:
        for k in range(n):
            out += a[k] * v[n - 1 - k : m - k]
    return out


def fill_diagonal_with_one(a: Any, value: Any) -> Any:
    for i in range(min(a.shape[0], a.shape[1])):
        if a.ndim == 2:
            a[i, i] = value
        else:
            a[i, i, i] = value


def fill_diagonal_with(a: Any, values: Any) -> Any:
    """The values again and again, as far as they have to go."""
    for i in range(min(a.shape[0], a.shape[1])):
        if a.ndim == 2:
            a[i, i] = values[i % len(values)]
        else:
            a[i, i, i] = values[i % len(values)]


def _between(row: Any, count: Any, q: Any, method: Any) -> Any:
    """A quantile of the first `count` of a sorted row."""
    at = quantile_places.place(q, count, method)
    k = min(int(at), count - 1)
    low, high = row[k], row[min(k + 1, count - 1)]
    t = at - k
    # From the nearer side, as NumPy does it.
    return high - (high - low) * (1.0 - t) if t >= 0.5 else low + (high - low) * t


def quantiles(rows: Any, q: Any, method: Any) -> Any:
    """(quantiles, rows), by lines through the order statistics."""
    m, n = rows.shape
    if n == 0:
        raise IndexError("quantiles of nothing")
    out = np.zeros((len(q), m))
    for i in range(m):
        row = sorted_copy(rows[i])
        for j in range(len(q)):
            out[j, i] = _between(row, n, q[j], method)
            if row[n - 1] != row[n - 1]:
                out[j, i] = row[n - 1]
    return out


def known_quantiles(rows: Any, q: Any, method: Any) -> Any:
    """NaN, which are sorted to the end, left out."""
    m, n = rows.shape
    out = np.full(m, np.nan)
    for i in range(m):
        row = sorted_copy(rows[i])
        count = 0
        for k in range(n):
            if row[k] == row[k]:
                count += 1
        if count > 0:
            out[i] = _between(row, count, q, method)
    return out


def medians(rows: Any) -> Any:
    m, n = rows.shape
    out = np.full(m, np.nan)
    if n > 0:
        for i in range(m):
            row = sorted_copy(rows[i])
            out[i] = 0.5 * (row[(n - 1) // 2] + row[n // 2])
            if row[n - 1] != row[n - 1]:
                out[i] = row[n - 1]
    return out


def known_medians(rows: Any) -> Any:
    """NaN, which are sorted to the end, left out."""
    m, n = rows.shape
    out = np.full(m, np.nan)
    for i in range(m):
        row = sorted_copy(rows[i])
        count = 0
        for k in range(n):
            if row[k] == row[k]:
                count += 1
        if count > 0:
            out[i] = 0.5 * (row[(count - 1) // 2] + row[count // 2])
    return out


def ends(x: Any) -> Any:
    """The least and the largest number; 0 and 1 of none."""
    if len(x) == 0:
        return 0.0, 1.0
    return np.min(x), np.max(x)


def _bin_of(v: Any, edges: Any) -> Any:
    """The last bin has its end; -1 for none."""
    bins = len(edges) - 1
    if not (v >= edges[0] and v <= edges[bins]):
        return -1
    return min(searched_right(edges, v) - 1, bins - 1)


def histogram_counts(x: Any, edges: Any) -> Any:
    out = np.zeros(len(edges) - 1, dtype=int)
    for i in range(len(x)):
        k = _bin_of(x[i], edges)
        if k >= 0:
            out[k] += 1
    return out


def histogram_weights(x: Any, edges: Any, weights: Any) -> Any:
    if len(weights) != len(x):
        raise ValueError("weights should have the same shape as a.")
    out = np.zeros(len(edges) - 1)
    for i in range(len(x)):
        k = _bin_of(x[i], edges)
        if k >= 0:
            out[k] += weights[i]
    return out


def histogram_of_pairs(x: Any, y: Any, across: Any, down: Any, weights: Any) -> Any:
    out = np.zeros((len(across) - 1, len(down) - 1))
    for i in range(len(x)):
        k, m = _bin_of(x[i], across), _bin_of(y[i], down)
        if k >= 0 and m >= 0:
            out[k, m] += weights[i]
    return out


def reduced_at(op: Any, x: Any, at: Any) -> Any:
    """What an operator gives of each stretch of the middle axis, from one place to the next; of an
    empty one its first element."""
    n = x.shape[1]
    out = np.zeros((x.shape[0], len(at), x.shape[2]), dtype=x.dtype)
    for i in range(len(at)):
        if at[i] < 0 or at[i] >= n:
            raise IndexError("index out-of-bounds in reduceat")
        end = n
        if i + 1 < len(at):
            end = at[i + 1]
        out[:, i] = x[:, at[i]]
        for k in range(at[i] + 1, end):
            out[:, i] = op(out[:, i], x[:, k])
    return out


def running(op: Any, x: Any) -> Any:
    """What an operator gives of the first 1, 2, .. of the middle axis of (outer, n, inner)."""
    out = x.copy()
    for k in range(1, x.shape[1]):
        out[:, k] = op(out[:, k - 1], x[:, k])
    return out


def taken(x: Any, at: Any) -> Any:
    """(outer, n, inner) with those places of the middle axis."""
    out = np.zeros((x.shape[0], len(at), x.shape[2]), dtype=x.dtype)
    for k in range(len(at)):
        out[:, k] = x[:, at[k]]
    return out


def products_of_blocks(a: Any, b: Any) -> Any:
    out = np.zeros((a.shape[0], a.shape[1], b.shape[2]))
    for i in range(a.shape[0]):
        out[i] = one_of_several(a[i] @ b[i])
    return out


def products_with(a: Any, b: Any) -> Any:
    out = np.zeros((b.shape[0], a.shape[0], b.shape[2]))
    for i in range(b.shape[0]):
        out[i] = a @ b[i]
    return out


def mapped(function: Any, *xs: Any) -> Any:
    n = len(xs[0])
    out = np.full(n, function(*[x[0] for x in xs]))
    for i in range(1, n):
        out[i] = function(*[x[i] for x in xs])
    return out


def number_of_each(function: Any, x: Any) -> Any:
    """Of each line along the middle axis."""
    out = np.full((x.shape[0], x.shape[2]), function(x[0, :, 0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[2]):
            out[i, j] = function(x[i, :, j])
    return out


def row_of_each(function: Any, x: Any) -> Any:
    first = np.asarray(function(x[0, :, 0]))
    out = np.zeros((x.shape[0], len(first), x.shape[2]), dtype=first.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[2]):
            out[i, :, j] = function(x[i, :, j])
    return out


def write_where(out: Any, where: Any, function: Any, x: Any) -> Any:
    for i in range(len(out)):
        if where[i]:
            out[i] = function(x[i])
    return None


def argsorted_along(x: Any) -> Any:
    """For each line along the middle axis where its elements are, in order."""
    out = np.zeros(x.shape, dtype=int)
    for i in range(x.shape[0]):
        for k in range(x.shape[2]):
            out[i, :, k] = argsorted(x[i, :, k])
    return out


def sorted_along(x: Any) -> Any:
    out = x.copy()
    for i in range(x.shape[0]):
        for k in range(x.shape[2]):
            out[i, :, k] = sorted_copy(x[i, :, k])
    return out


def argmax_along(x: Any) -> Any:
    out = np.zeros((x.shape[0], x.shape[2]), dtype=int)
    for i in range(x.shape[0]):
        for k in range(x.shape[2]):
            out[i, k] = argmax_of(x[i, :, k])
    return out


def argmin_along(x: Any) -> Any:
    out = np.zeros((x.shape[0], x.shape[2]), dtype=int)
    for i in range(x.shape[0]):
        for k in range(x.shape[2]):
            out[i, k] = argmin_of(x[i, :, k])
    return out


def simpson_along(y: Any, h: Any) -> Any:
    """Simpson's rule along the middle axis, with distances `h`; Cartwright's for what is left."""
    n = y.shape[1]
    out = np.zeros((y.shape[0], y.shape[2]))
    for i in range(y.shape[0]):
        for k in range(y.shape[2]):
            total = 0.0
            for j in range(0, n - 2 + n % 2 - 1, 2):
                one, two = h[i, j, k], h[i, j + 1, k]
                width, ratio = one + two, one / two
                middle = y[i, j + 1, k] * (width * width / (one * two))
                ends = y[i, j, k] * (2.0 - 1.0 / ratio) + y[i, j + 2, k] * (2.0 - ratio)
                total = total + width / 6.0 * (ends + middle)
            if n == 2:
                total = total + 0.5 * h[i, 0, k] * (y[i, 0, k] + y[i, 1, k])
            elif n > 2 and n % 2 == 0:
                one, two = h[i, n - 3, k], h[i, n - 2, k]
                last = (2.0 * two * two + 3.0 * one * two) / (6.0 * (one + two))
                before = (two * two + 3.0 * one * two) / (6.0 * one)
                far = two * two * two / (6.0 * one * (one + two))
                total = (
                    total + last * y[i, n - 1, k] + before * y[i, n - 2, k] - far * y[i, n - 3, k]
                )
            out[i, k] = total
    return out


def filtered(b: Any, a: Any, x: Any, start: Any) -> Any:
    """A linear filter along the middle axis, in transposed direct form II, and the state at its
    end; `a[0]` is 1."""
    count = max(len(a), len(b))
    out = np.zeros(x.shape)
    end = np.zeros((x.shape[0], count - 1, x.shape[2]))
    for i in range(x.shape[0]):
        for k in range(x.shape[2]):
            state = np.zeros(count)
            state[: count - 1] = start[i, :, k]
            for j in range(x.shape[1]):
                new = b[0] * x[i, j, k] + state[0]
                out[i, j, k] = new
                for q in range(1, count):
                    later = state[q] if q < count - 1 or count == 1 else 0.0
                    if q < len(b):
                        later = later + b[q] * x[i, j, k]
                    if q < len(a):
                        later = later - a[q] * new
                    state[q - 1] = later
            end[i, :, k] = state[: count - 1]
    return out, end


def convolved_planes(a: Any, b: Any) -> Any:
    """The full convolution of two matrices."""
    (m, n), (p, q) = a.shape, b.shape
    out = np.zeros((m + p - 1, n + q - 1))
    for i in range(m):
        for j in range(n):
            for k in range(p):
                for r in range(q):
                    out[i + k, j + r] += a[i, j] * b[k, r]
    return out


def tridiagonal(lower: Any, middle: Any, upper: Any, right: Any) -> Any:
    """The solution, in columns, of a system whose rows are given by their three factors."""
    n, m = right.shape
    ratio, out = np.zeros(n), np.zeros((n, m))
    for i in range(n):
        before = ratio[i - 1] if i > 0 else 0.0
        pivot = middle[i] - lower[i] * before
        ratio[i] = upper[i] / pivot
        for j in range(m):
            last = out[i - 1, j] if i > 0 else 0.0
            out[i, j] = (right[i, j] - lower[i] * last) / pivot
    for k in range(1, n):
        i = n - 1 - k
        for j in range(m):
            out[i, j] -= ratio[i] * out[i + 1, j]
    return out
