"""`x[((0, 1),)]` was taken for `x[0, 1]`: a number, where NumPy gives two rows."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def test_it_is_one_array_of_indices() -> None:
    x = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(rg.jit(lambda x: x[((0, 1),)])(x), x[((0, 1),)])
