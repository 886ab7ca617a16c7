"""A budget that was too little for arrays was a MemoryError where a gradient needed no tape."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def valley(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] * x[i]) ** 2.0 + (1.0 - x[i]) ** 2.0
    return total


def test_what_is_said() -> None:
    x = np.linspace(-1.0, 1.0, 300)
    limited = rg.grad(valley, memory=500)
    for _ in range(2):
        with pytest.raises(UserError, match=r"RG4004: 500 B are too little (.*\n){3}.* 2\.\d+ kB"):
            limited(x)
    np.testing.assert_array_equal(rg.grad(valley, memory="3kB")(x), rg.grad(valley)(x))
