"""`np.mgrid` and `np.ogrid`: the coordinates of the points of a grid."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import counting

__all__ = ["dense", "line", "opened"]

np: Any = numpy


def line(start: Any, stop: Any, step: Any, count: Any) -> Any:
    """The coordinates along one axis: `count` of them, both ends included, or by steps."""
    if count is None:
        n = max(int(np.ceil((stop - start) / (step * 1.0))), 0)
        return counting(n) * step + start
    width = (stop - start) / (count - 1.0) if count != 1 else 1.0
    return counting(count) * width + start


def opened(lines: Any) -> Any:
    """Each line along an axis of its own."""
    rank = len(lines)
    same = any([x.dtype == np.float64 for x in lines])
    lines = [x * 1.0 if same else x for x in lines]
    return tuple(
        [x[(None,) * k + (slice(None),) + (None,) * (rank - k - 1)] for k, x in enumerate(lines)]
    )


def dense(lines: Any) -> Any:
    """The coordinates of all points, those along each axis after each other."""
    shape = tuple([len(x) for x in lines])
    return np.stack([np.broadcast_to(x, shape) for x in opened(lines)])
