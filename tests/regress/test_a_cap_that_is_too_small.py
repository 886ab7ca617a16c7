"""A cap that was too small named itself as what would do: "60 kB are too little", "about 60 kB"."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def line(x):
    """What is known of a step that does not fit is that it takes more than there was."""
    y = x
    y = np.sin(y) * x + 0.1
    y = np.cos(y) * x + 0.2
    y = np.sin(y) * x + 0.3
    y = np.cos(y) * x + 0.4
    y = np.sin(y) * x + 0.5
    y = np.cos(y) * x + 0.6
    return np.sum(y * y)


def descent(x, slope):
    for _ in range(3):
        x = x - 0.05 * slope(x)
    return np.sum(x * x)


def test_the_cap_that_is_named_is_enough() -> None:
    x = np.linspace(-1.0, 1.0, 200)
    with pytest.raises(UserError, match="RG4004: 2 kB are too little") as caught:
        rg.jit(lambda x: descent(x, rg.grad(line, memory=2000)))(x)
    named = str(caught.value.way_out).removeprefix("give it more: ").removesuffix(" is enough")
    slope = rg.grad(line, memory=named)
    found = rg.jit(lambda x: descent(x, slope))(x)
    assert found == rg.jit(lambda x: descent(x, rg.grad(line)))(x)
