"""Addresses of arrays, read where NumPy keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from retrograd.runtime.arrays import address_of

PLAIN = np.arange(24.0).reshape(4, 6)

ARRAYS = {
    "plain": PLAIN,
    "part": PLAIN[1:, 2:],
    "backwards": PLAIN[::-1, ::-1],
    "transposed": PLAIN.T,
    "unaligned": np.zeros(17, np.uint8)[1:].view(np.float64),
    "bools": np.zeros(3, np.bool_),
    "other byte order": np.arange(3, dtype=">i8"),
    "read-only": np.broadcast_to(np.float64(1.0), (2, 3)),
    "rank 0": np.array(2.0),
    "subclass": np.ones(3).view(np.recarray),
    "without elements": np.zeros((0, 3)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_numpy_says(name: str) -> None:
    array: NDArray[Any] = ARRAYS[name]
    assert address_of(array) == array.ctypes.data
