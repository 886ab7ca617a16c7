"""A search tree into which a loop puts nodes took a minute to compile.

As a loop it is refused, for each iteration may add leaves, and unrolled. That was found after
twelve attempts with twice the objects of the one before each. The unrolled one joins hundreds of
numbers after its branches, for which LLVM's SLP vectoriser takes time by the square.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm.jit import pass_options
from retrograd.frontend.syntax import loops
from tests.frontend.harness import agree


class Node:
    def __init__(self, key: float, value: float) -> None:
        self.key = key
        self.value = value
        self.left: Any = None
        self.right: Any = None

    def insert(self, key: float, value: float) -> None:
        if key < self.key:
            if self.left is None:
                self.left = Node(key, value)
            else:
                self.left.insert(key, value)
        elif self.right is None:
            self.right = Node(key, value)
        else:
            self.right.insert(key, value)

    def lookup(self, key: float) -> float:
        if key == self.key:
            return self.value
        below = self.left if key < self.key else self.right
        return 0.0 if below is None else below.lookup(key)


def squares(x: Any) -> Any:
    root = Node(x[0], x[0])
    for i in range(1, 4):
        root.insert(x[i], x[i] * x[i])
    return root.lookup(x[1]) * root.lookup(x[3])


def endless(x: Any) -> Any:
    root, i = Node(x[0], x[0]), 1
    while i < x.shape[0]:
        root.insert(x[i], x[i] * x[i])
        i += 1
    return root.lookup(x[1])


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many objects' attributes each attempt to translate a loop began with."""
    seen: list[int] = []
    attempt = vars(loops)["_attempt"]

    def counted(t: Any, loop: Any, entry: Any, carried: Any, *more: Any) -> Any:
        seen.append(len(carried.cells))
        return attempt(t, loop, entry, carried, *more)

    monkeypatch.setattr(loops, "_attempt", counted)
    return seen


def test_a_loop_over_a_tree_is_given_up_after_few_attempts(attempts: list[int]) -> None:
    x = np.array([3.0, 1.0, 2.0, 5.0])
    value, slopes = rg.value_and_grad(squares)(x)
    assert value == squares(x) == 25.0
    assert slopes.tolist() == [0.0, 50.0, 0.0, 10.0]
    assert len(attempts) <= 5
    assert max(attempts) < 150


def test_in_a_loop_that_cannot_be_unrolled_the_leaves_are_rows(attempts: list[int]) -> None:
    agree(endless, np.array([3.0, 1.0, 2.0]))
    assert len(attempts) <= 30  # it is translated a few times
    assert max(attempts) < 150


def test_many_joined_numbers_are_not_compared_for_vectors() -> None:
    few, many = ("".join(f"  %s{k} = alloca double\n" for k in range(n)) for n in (8, 600))
    assert pass_options(f"define void @f() {{\n{few}}}\n", 3).slp_vectorization
    assert not pass_options(f"define void @f() {{\n{many}}}\n", 3).slp_vectorization
    assert not pass_options(f"define void @f() {{\n{few}}}\n", 1).slp_vectorization


def test_loops_of_huge_functions_are_not_unrolled() -> None:
    few, many = ("  call void @g()\n" * n for n in (100, 8100))
    assert pass_options(f"define void @f() {{\n{few}}}\n", 3).loop_unrolling
    assert not pass_options(f"define void @f() {{\n{many}}}\n", 3).loop_unrolling
