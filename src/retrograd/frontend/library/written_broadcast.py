"""`np.broadcast` as an object of the program: the shape that arrays have together."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["Broadcast"]

np: Any = numpy


class Broadcast:
    """Arrays that are as one, element by element."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        self.shape = np.broadcast_shapes(*[np.shape(one) for one in arrays])
        self.ndim = len(self.shape)
        self.nd = len(self.shape)
        self.numiter = len(arrays)
        size = 1
        for extent in self.shape:
            size = size * extent
        self.size = size

    def __iter__(self) -> Any:
        shape = self.shape
        return zip(*[np.broadcast_to(one, shape).ravel() for one in self.arrays], strict=True)
