"""`operator.neg` asked no class what it gives."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import retrograd as rg


@dataclass
class Vector:
    x: float
    y: float

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y)


def loss(x: float) -> float:
    turned = operator.neg(Vector(x, x * x))
    return turned.x * turned.y


def test_operator_neg_asks_the_class() -> None:
    assert rg.jit(loss)(2.0) == 8.0
    assert rg.grad(loss)(2.0) == 12.0
