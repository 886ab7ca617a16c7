"""`np.broadcast_to(x, ())` of a number is that number: it was a compiler bug."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def stretched(x, y):
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    return np.broadcast_to(x, shape) * np.broadcast_to(y, shape)


def test_the_shape_of_numbers() -> None:
    assert rg.grad(stretched)(2.0, 3.0) == 3.0
