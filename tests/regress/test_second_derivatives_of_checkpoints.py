"""A tangent that the reverse sweep reads besides became a fused product where it was read no more.

A checkpoint so changed bits of second derivatives: which product of the tangents had one use only
was looked at once more after sweeps were made, and depends on what is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg


def block(x: Any) -> Any:
    for _ in range(3):
        x = np.sin(x) * x
    return x


def curvature(block: Callable[[Any], Any]) -> Any:
    def loss(x: Any) -> Any:
        return np.sum(block(x) * block(x * 0.5))

    return rg.grad(lambda x: np.sum(rg.grad(loss)(x) ** 2))(np.linspace(0.2, 1.3, 30))


def test_second_derivatives_have_the_same_bits() -> None:
    assert curvature(rg.checkpoint(block)).tobytes() == curvature(block).tobytes()
