"""A snapshot that could not be put back for want of room was gone on from, and the process died."""

from __future__ import annotations

import math

import retrograd as rg


def tree(x, depth):
    if depth == 0:
        return math.cos(x)
    return tree(x * 0.9, depth - 1) + tree(x * 1.1, depth - 1) * x


def test_budgets_that_are_nearly_enough() -> None:
    want = rg.grad(tree)(0.3, 9)
    refused = 0
    for budget in range(4_500, 5_500, 50):
        try:
            assert rg.grad(tree, memory=budget)(0.3, 9) == want
        except rg.UserError as error:
            assert error.code == "RG4004"
            refused += 1
    assert 0 < refused < 20
