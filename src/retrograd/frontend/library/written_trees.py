"""Nearest points, as objects of the program: `scipy.spatial.KDTree`, which looks at all points."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant, refuse

__all__ = ["NearestValue", "Points", "distance"]

np: Any = numpy


def distance(one: Any, other: Any, p: Any) -> Any:
    """The distance of two points."""
    off = np.abs(one - other)
    if p == 2.0:
        return np.sqrt(np.sum(off * off))
    if p == 1.0:
        return np.sum(off)
    return np.max(off) if p == np.inf else np.sum(off**p) ** (1.0 / p)


def _nearest(data: Any, x: Any, p: Any, k: Any, most: Any) -> Any:
    """Which points are nearest, in the order of their distances; their number beyond `most`."""
    n = len(data)
    away = np.zeros(n)
    for j in range(n):
        away[j] = constant(distance(data[j], x, p))
    order = np.argsort(away, kind="stable")
    found = np.full(k, n)
    for j in range(min(k, n)):
        if away[order[j]] < most:
            found[j] = order[j]
    return found


class Points:
    """`scipy.spatial.KDTree`"""

    def __init__(self, data: Any) -> None:
        if data.ndim != 2:
            raise ValueError("data must be of shape (n, m), where there are n points")
        self.data = data
        self.n, self.m = data.shape

    def _rows(self, x: Any) -> Any:
        given = np.asarray(x) * 1.0
        if given.shape[-1] != self.m:
            raise ValueError("x must consist of vectors of the length of the points")
        if not np.all(np.isfinite(given)):
            raise ValueError("'x' must be finite, check for nan or inf values")
        return given, np.reshape(given, (given.size // self.m, self.m))

    def query(
        self, x: Any, k: Any = 1, eps: Any = 0.0, p: Any = 2.0,
        distance_upper_bound: Any = np.inf, workers: Any = 1,
    ) -> Any:  # fmt: skip
        if np.ndim(k) > 0:
            last = max(k)
            away, places = self.query(x, last, eps, p, distance_upper_bound)
            if last == 1:
                return away[..., None], places[..., None]
            chosen = np.array(k) - 1
            return away[..., chosen], places[..., chosen]
        if k < 1:
            raise ValueError("k must be an integer >= 1")
        given, rows = self._rows(x)
        away, places = np.full((len(rows), k), np.inf), np.full((len(rows), k), self.n)
        for i in range(len(rows)):
            places[i] = _nearest(self.data, rows[i], p, k, distance_upper_bound)
            for j in range(k):
                if places[i, j] < self.n:
                    away[i, j] = distance(self.data[places[i, j]], rows[i], p)
        shape = given.shape[:-1]
        if k == 1:
            return np.reshape(away, shape), np.reshape(places, shape)
        return np.reshape(away, (*shape, k)), np.reshape(places, (*shape, k))

    def _inside(self, x: Any, r: Any, p: Any) -> Any:
        """Whether each point is as near as that."""
        near = np.zeros(self.n, dtype=bool)
        for j in range(self.n):
            near[j] = distance(self.data[j], x, p) <= r
        return near

    def query_ball_point(
        self, x: Any, r: Any, p: Any = 2.0, eps: Any = 0.0, workers: Any = 1,
        return_sorted: Any = None, return_length: Any = False,
    ) -> Any:  # fmt: skip
        given, rows = self._rows(x)
        if given.ndim > 1 and not return_length:
            refuse(
                "query_ball_point of several points at once",
                "ask for one after the other: for point in points: ..",
            )
        if return_length:
            counts = np.zeros(len(rows), dtype=int)
            for i in range(len(rows)):
                counts[i] = np.sum(self._inside(rows[i], r, p))
            return np.reshape(counts, given.shape[:-1])
        near = self._inside(rows[0], r, p)
        return [j for j in range(self.n) if near[j]]

    def query_pairs(self, r: Any, p: Any = 2.0, eps: Any = 0.0, output_type: Any = "set") -> Any:
        count = 0
        for i in range(self.n):
            for j in range(i + 1, self.n):
                if distance(self.data[i], self.data[j], p) <= r:
                    count += 1
        pairs = np.zeros((count, 2), dtype=int)
        count = 0
        for i in range(self.n):
            for j in range(i + 1, self.n):
                if distance(self.data[i], self.data[j], p) <= r:
                    pairs[count, 0], pairs[count, 1] = i, j
                    count += 1
        if output_type == "ndarray":
            return pairs
        found: set[Any] = set()
        for k in range(count):
            found.add((pairs[k, 0], pairs[k, 1]))
        return found

    def count_neighbors(self, other: Any, r: Any, p: Any = 2.0) -> Any:
        count = 0
        for i in range(self.n):
            count += np.sum(other._inside(self.data[i], r, p))
        return count


class NearestValue:
    """`scipy.interpolate.NearestNDInterpolator`"""

    def __init__(self, points: Any, values: Any, middle: Any, width: Any) -> None:
        self.points, self.values = points, values
        self.middle, self.width = middle, width

    def __call__(self, *args: Any) -> Any:
        if len(args) == 1:
            given = np.stack(args[0], axis=-1) if isinstance(args[0], tuple) else args[0]
        else:
            given = np.stack(np.broadcast_arrays(*args), axis=-1)
        wanted = np.asarray(given) * 1.0
        if wanted.ndim == 1 and self.points.shape[1] == 1:
            wanted = wanted[:, None]
        rows = np.reshape(wanted, (wanted.size // self.points.shape[1], self.points.shape[1]))
        found = np.zeros(len(rows), dtype=self.values.dtype)
        for k in range(len(rows)):
            place = (rows[k] - self.middle) / self.width
            found[k] = self.values[_nearest(self.points, place, 2.0, 1, np.inf)[0]]
        return np.reshape(found, wanted.shape[:-1])
