"""A snapshot that could not be put back for want of room was gone on from, and the process died."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import retrograd as rg


def tree(x, depth):
    if depth == 0:
        return math.cos(x)
    return tree(x * 0.9, depth - 1) + tree(x * 1.1, depth - 1) * x


def test_budgets_that_are_nearly_enough() -> None:
    want = rg.grad(tree)(0.3, 9)
    budgets = [rg.grad(tree, memory=budget) for budget in range(1_200, 4_900, 50)]
    found = [outcome(gradient) for gradient in budgets]
    assert set(found) == {want, "RG4004"}


def outcome(gradient: Callable[..., Any]) -> float | str:
    try:
        return gradient(0.3, 9)
    except rg.UserError as error:
        return error.code
