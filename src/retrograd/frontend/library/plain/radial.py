"""Curves of radial functions through scattered points: `scipy.interpolate`.

G. E. Fasshauer, Meshfree approximation methods with Matlab, 2007: a function of the distance from
each point, and powers up to a degree.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse

__all__ = ["RBFInterpolator", "Rbf"]

np: Any = numpy

_DEGREES = {
    "multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2,
}  # fmt: skip
_WITHOUT_SCALE = ("linear", "thin_plate_spline", "cubic", "quintic")


def _squares(x: Any, y: Any) -> Any:
    """The squares of the distances of points."""
    off = x[:, None, :] - y
    return np.sum(off * off, axis=-1)


def _kernel(square: Any, kernel: Any) -> Any:
    if kernel == "gaussian":
        return np.exp(-square)
    if kernel == "inverse_quadratic":
        return 1.0 / (square + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(square + 1.0)
    if kernel == "multiquadric":
        return -np.sqrt(square + 1.0)
    some = square > 0.0
    safe = np.where(some, square, 1.0)
    if kernel == "thin_plate_spline":
        return np.where(some, 0.5 * safe * np.log(safe), 0.0)
    r = np.where(some, np.sqrt(safe), 0.0)
    if kernel == "linear":
        return -r
    return square * r if kernel == "cubic" else -square * square * r


def _powers(x: Any, degree: Any) -> Any:
    """Products of coordinates of at most this degree, for each point."""
    n, rank = x.shape
    ones = np.ones((n, 1))
    if degree == 0:
        return ones
    if degree == 1:
        return np.concatenate((ones, x), axis=1)
    pairs = np.zeros((n, rank * (rank + 1) // 2))
    at = 0
    for i in range(rank):
        for j in range(i, rank):
            pairs[:, at] = x[:, i] * x[:, j]
            at += 1
    return np.concatenate((ones, x, pairs), axis=1)


def RBFInterpolator(
    y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
    kernel: Any = "thin_plate_spline", epsilon: Any = None, degree: Any = None,
) -> Any:  # fmt: skip
    if neighbors is not None:
        refuse("RBFInterpolator with neighbors", "leave neighbors out")
    if epsilon is None and kernel not in _WITHOUT_SCALE:
        raise ValueError("`epsilon` must be specified for this kernel")
    order = max(_DEGREES.get(kernel, -1), 0) if degree is None else degree
    if order > 2:
        refuse("RBFInterpolator with powers above two", "degree is at most 2 here")
    points, values = np.asarray(y) * 1.0, np.asarray(d) * 1.0
    if points.ndim != 2:
        raise ValueError("`y` must be a 2-dimensional array.")
    n = len(points)
    if len(values) != n:
        raise ValueError("Expected the first axis of `d` to have length " + str(n) + ".")
    by: Any = 1.0 if epsilon is None else epsilon
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    middle, half = (high + low) / 2.0, (high - low) / 2.0
    half = np.where(half == 0.0, 1.0, half)
    left = _kernel(_squares(points * by, points * by), kernel) + np.diag(np.zeros(n) + smoothing)
    if order >= 0:
        own = _powers((points - middle) / half, order)
        corner = np.zeros((own.shape[1], own.shape[1]))
        left = np.concatenate(
            (np.concatenate((left, own), axis=1), np.concatenate((own.T, corner), axis=1))
        )
        values = np.concatenate((values, np.zeros((own.shape[1], *values.shape[1:]))))
    found = np.linalg.solve(left, values)

    def call(x: Any) -> Any:
        at = np.asarray(x) * 1.0
        if at.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        rows = _kernel(_squares(at * by, points * by), kernel)
        if order >= 0:
            rows = np.concatenate((rows, _powers((at - middle) / half, order)), axis=1)
        return rows @ found

    return call


def _function(square: Any, by: Any, function: Any) -> Any:
    if function in ("multiquadric", "inverse", "gaussian"):
        scaled = square / (by * by)
        if function == "gaussian":
            return np.exp(-scaled)
        root = np.sqrt(scaled + 1.0)
        return root if function == "multiquadric" else 1.0 / root
    kinds = {"linear": -1.0, "cubic": 1.0, "quintic": -1.0, "thin_plate": 1.0}
    if function not in kinds:
        refuse("Rbf with this function", "multiquadric, inverse, gaussian, linear, cubic are known")
    name = "thin_plate_spline" if function == "thin_plate" else function
    return kinds[function] * _kernel(square, name)


def Rbf(*args: Any, function: Any = "multiquadric", epsilon: Any = None, smooth: Any = 0.0) -> Any:
    points = np.stack([np.ravel(np.asarray(a) * 1.0) for a in args[:-1]], axis=1)
    values = np.ravel(np.asarray(args[-1]) * 1.0)
    if len(values) != len(points):
        raise ValueError("All arrays must be equal length.")
    by: Any = epsilon
    if epsilon is None:
        edges = np.max(points, axis=0) - np.min(points, axis=0)
        some = edges != 0.0
        whole = np.prod(np.where(some, edges, 1.0)) / len(values)
        by = whole ** (1.0 / np.sum(some))
    left = _function(_squares(points, points), by, function) - np.eye(len(points)) * smooth
    nodes = np.linalg.solve(left, values)

    def call(*places: Any) -> Any:
        at = np.stack([np.ravel(np.asarray(p) * 1.0) for p in places], axis=1)
        found = _function(_squares(at, points), by, function) @ nodes
        return np.reshape(found, np.shape(places[0]))

    return call
