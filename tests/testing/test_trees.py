"""Nested tuples of numbers and arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from retrograd.errors import UserError
from retrograd.testing.trees import bits, copy, flat, is_float, leaves, map_tree, paths


class Pair(NamedTuple):
    left: float
    right: tuple[int, float]


TREE = (1.0, Pair(2.0, (3, 4.0)), np.array([5.0, 6.0]))


def test_mapping_keeps_the_structure() -> None:
    doubled = map_tree(lambda x, y: x + y, TREE, TREE)
    assert isinstance(doubled[1], Pair)
    assert doubled[1] == Pair(4.0, (6, 8.0))
    np.testing.assert_array_equal(doubled[2], [10.0, 12.0])


def test_leaves_and_paths_go_together() -> None:
    places = paths(TREE, "y")
    assert places == ["y[0]", "y[1][0]", "y[1][1][0]", "y[1][1][1]", "y[2]"]
    assert len(leaves(TREE)) == len(places)
    assert eval(places[3], {"y": TREE}) == 4.0


def test_only_floats_are_flattened() -> None:
    np.testing.assert_array_equal(flat(TREE), [1, 2, 4, 5, 6])
    np.testing.assert_array_equal(flat(TREE, floats_only=False), [1, 2, 3, 4, 5, 6])
    assert flat(3).shape == (0,)


def test_copies_share_nothing() -> None:
    other = copy(TREE)
    other[2][0] = 7.0
    assert TREE[2][0] == 5.0
    assert bits(other[2]) != bits(TREE[2])


@pytest.mark.parametrize(("leaf", "yes"), [(1.0, True), (1, False), (True, False)])
def test_floats_have_tangents(leaf: object, yes: bool) -> None:
    assert is_float(leaf) is yes
    assert is_float(np.array([leaf])) is yes


@dataclass(frozen=True)
class Box:
    width: float
    sides: list[float]


def test_dataclasses_and_lists_are_trees() -> None:
    box = Box(1.0, [2.0, 3.0])
    assert map_tree(lambda x: 2 * x, box) == Box(2.0, [4.0, 6.0])
    assert paths((box,), "y") == ["y[0].width", "y[0].sides[0]", "y[0].sides[1]"]


def test_functions_have_no_leaves() -> None:
    assert leaves((leaves, 1.0)) == [1.0]
    assert copy((leaves, None)) == (leaves, None)


def test_anything_else_is_refused() -> None:
    with pytest.raises(UserError, match="bytes") as caught:
        leaves((1.0, b"word"))
    assert caught.value.code == "RG0103"
