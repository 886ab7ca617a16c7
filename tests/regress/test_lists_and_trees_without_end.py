"""A list that was put into itself in a loop was refused for its branches, and a recursion that
makes a tree was asked for a path that returns, which it has."""

from __future__ import annotations

import pytest

import retrograd as rg
from retrograd.errors import UserError


class Node:
    def __init__(self, v, below=None):
        self.v, self.below = v, below

    def total(self):
        return self.v if self.below is None else self.v + self.below.total()


def build(v, n):
    if n == 0:
        return Node(v)
    return Node(v, build(v * v, n - 1))


def tree(x, n):
    return build(x, n).total()


def test_a_tree_of_known_depth_is_built():
    found = rg.jit(tree, static_argnums=1)(0.7, 2)
    assert found == pytest.approx(tree(0.7, 2))
    assert rg.grad(lambda x: tree(x, 2))(0.7) == pytest.approx(1.0 + 1.4 + 4 * 0.7**3)


def test_the_depth_has_to_be_known():
    with pytest.raises(UserError, match=r"RG0111.*more parts the deeper(.|\n)*static_argnums"):
        rg.jit(tree)(0.7, 2)


def itself(x, n):
    parts = [x]
    for _ in range(n):
        parts.append(parts)
    return parts[0] * len(parts)


def test_a_list_that_contains_itself():
    with pytest.raises(UserError, match="RG0101: a list of run-time length that contains itself"):
        rg.jit(itself)(0.7, 2)
