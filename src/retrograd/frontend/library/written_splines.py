"""Curves and tables between places (`scipy.interpolate`), as functions that are given places."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import is_sequence

__all__ = ["curve", "table_at", "through_all"]

np: Any = numpy


def curve(places: Any, columns: Any, slopes: Any, q: Any, nu: Any) -> Any:
    """Cubic polynomials with these values and slopes, or their derivatives of order `nu`."""
    flat = np.ravel(q)
    at = np.clip(np.searchsorted(places, flat, side="right") - 1, 0, len(places) - 2)
    h = (places[at + 1] - places[at])[:, None]
    low, high, before, after = columns[at], columns[at + 1], slopes[at], slopes[at + 1]
    rise = (high - low) / h
    third = (before + after - 2.0 * rise) / (h * h)
    second = (3.0 * rise - 2.0 * before - after) / h
    t = (flat - places[at])[:, None]
    if nu == 0:
        return ((third * t + second) * t + before) * t + low
    if nu == 1:
        return (3.0 * third * t + 2.0 * second) * t + before
    if nu == 2:
        return 6.0 * third * t + 2.0 * second
    return 6.0 * third + 0.0 * t if nu == 3 else 0.0 * t * low


def through_all(places: Any, flat: Any) -> Any:
    """How much the polynomial through points has of each value, a row for each place."""
    out = np.ones((len(flat), len(places)))
    for p in range(len(flat)):
        for j in range(len(places)):
            for k in range(len(places)):
                if k != j:
                    out[p, j] *= (flat[p] - places[k]) / (places[j] - places[k])
    return out


def table_at(axes: Any, table: Any, bounds_error: Any, fill_value: Any, method: Any) -> Any:
    """The multilinear mean of the corners of the cell in which a place is, or the nearest one."""

    def call(xi: Any) -> Any:
        if is_sequence(xi) and len(xi) == len(axes) and len(axes) > 1:
            spread = np.broadcast_arrays(*xi)
            shape = np.asarray(spread[0]).shape
            parts = tuple([np.ravel(np.asarray(one) * 1.0) for one in spread])
        else:
            q = np.asarray(xi) * 1.0
            if q.ndim == 0 or (len(axes) == 1 and q.shape[-1] != 1):
                q = q[..., None]
            if q.shape[-1] != len(axes):
                raise ValueError("The requested sample points xi have another dimension")
            shape = q.shape[:-1]
            rows = np.reshape(q, (q.size // len(axes), len(axes)))
            parts = tuple([rows[:, k] for k in range(len(axes))])
        beyond = np.isnan(parts[0])
        for k in range(len(axes)):
            beyond = beyond | (parts[k] < axes[k][0]) | (parts[k] > axes[k][-1])
        if bounds_error and np.any(beyond):
            raise ValueError("One of the requested xi is out of bounds")
        if method == "nearest":
            found = table[tuple([_nearer(axes[k], parts[k]) for k in range(len(axes))])]
        else:
            found = _in_cells(axes, table, parts)
        if not bounds_error and fill_value is not None:
            found = np.where(beyond, fill_value, found)
        if isinstance(xi, tuple) and len(shape) == 0:
            return found[0]
        return np.reshape(found, shape if len(shape) > 0 else (1,))

    return call


def _in_cells(axes: Any, table: Any, parts: Any) -> Any:
    i, u = _cell(axes[0], parts[0])
    if len(axes) == 1:
        return _mean(table[i], table[i + 1], u)
    j, v = _cell(axes[1], parts[1])
    if len(axes) == 2:
        low = _mean(table[i, j], table[i + 1, j], u)
        return _mean(low, _mean(table[i, j + 1], table[i + 1, j + 1], u), v)
    k, w = _cell(axes[2], parts[2])
    near = _mean(
        _mean(table[i, j, k], table[i + 1, j, k], u),
        _mean(table[i, j + 1, k], table[i + 1, j + 1, k], u), v,
    )  # fmt: skip
    far = _mean(
        _mean(table[i, j, k + 1], table[i + 1, j, k + 1], u),
        _mean(table[i, j + 1, k + 1], table[i + 1, j + 1, k + 1], u), v,
    )  # fmt: skip
    return _mean(near, far, w)


def _cell(axis: Any, x: Any) -> Any:
    at = np.clip(np.searchsorted(axis, x, side="right") - 1, 0, len(axis) - 2)
    return at, (x - axis[at]) / (axis[at + 1] - axis[at])


def _nearer(axis: Any, x: Any) -> Any:
    """The nearest place, the lower one of two."""
    at, part = _cell(axis, x)
    return np.where(part <= 0.5, at, at + 1)


def _mean(low: Any, high: Any, part: Any) -> Any:
    return low * (1.0 - part) + high * part
