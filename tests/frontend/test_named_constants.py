"""Extents that constants have are known of arguments, too; others stay those of any size."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import retrograd as rg
from retrograd.frontend.identity.named_constants import constant_extents
from tests.frontend import other_module

DIRECTIONS = np.arange(27.0).reshape(9, 3) / 10.0
LONG = np.ones(1000)
lower = np.ones(7)
NONE: set[int] = set()


def along(velocity: Any) -> Any:
    return DIRECTIONS @ velocity


def by_a_helper(cells: Any) -> Any:
    return np.sum(along(cells[0, :3]) * cells[:, 0][:9])


class Lattice:
    def density(self, cells: Any) -> Any:
        return np.sum(cells @ DIRECTIONS)


def with_an_object(cells: Any) -> Any:
    return Lattice().density(cells)


def in_a_comprehension(x: Any) -> Any:
    return [along(v) for v in x]


def made() -> Any:
    WEIGHTS = np.ones(5)

    def inside(x: Any) -> Any:
        return [np.sum(WEIGHTS * row) for row in x]

    return inside


def local(x: Any) -> Any:
    return np.sum(lower) + np.sum(LONG) + x


@pytest.mark.parametrize(
    ("fun", "extents"),
    [
        (along, {9, 3}), (by_a_helper, {9, 3}), (with_an_object, {9, 3}), (made(), {5}),
        (local, NONE), (rg.grad(by_a_helper), {9, 3}), (partial(along, 1.0), {9, 3}),
        (Lattice().density, {9, 3}), (np.sin, NONE), (3.0, NONE),
        (in_a_comprehension, {9, 3}),
    ],
)  # fmt: skip
def test_extents_of_arrays_in_capitals(fun: Any, extents: set[int]) -> None:
    assert constant_extents(fun) == extents


def test_modules_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_module, "TABLE", np.ones((6, 2)), raising=False)

    def looked_up(x: Any) -> Any:
        return cast("Any", other_module).TABLE @ x

    assert constant_extents(looked_up) == {6, 2}
    assert constant_extents(SimpleNamespace(f=looked_up)) == frozenset()


def energy(cells: Any) -> Any:
    momenta = cells @ DIRECTIONS[: cells.shape[1]]
    return np.sum(momenta * momenta)


def test_a_program_is_for_one_such_extent_and_another_one_for_all_others() -> None:
    slopes = rg.grad(energy)
    programs: list[int] = []
    for width in (5, 6, 9, 7, 9):
        cells = np.arange(2.0 * width).reshape(2, width)
        by_hand = 2.0 * (cells @ DIRECTIONS[:width]) @ DIRECTIONS[:width].T
        np.testing.assert_allclose(slopes(cells), by_hand, rtol=1e-13)
        programs.append(len(slopes.made))
    assert programs == [1, 1, 2, 2, 2]


def test_functions_and_what_they_enclose_are_not_kept() -> None:
    function = made()
    assert constant_extents(function) == {5}
    seen = weakref.ref(function)
    del function
    gc.collect()
    assert seen() is None
