"""The cotangent of an array that is both operands of a sum was added to itself in one statement."""

from __future__ import annotations

import numpy as np

from tests.random.calculus import Interpreted
from tests.random.derivatives import second_order


def squares(x):
    y = x * x
    return np.sum(y / y)


def test_checked_after_every_pass() -> None:
    assert second_order(squares, (np.array([0.3, -0.7]),), Interpreted()) is None
