"""Bools of a caller's list to which a float was appended became floats in that list."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def appended(items, x):
    items.append(x)
    return x


def replaced(items, x):
    items[0] = not items[0]
    return x


def test_what_has_not_changed_stays_what_it_was() -> None:
    for first in (True, np.bool_(True), 3):
        items = [first, first]
        rg.jit(appended)(items, 0.5)
        assert items == [first, first, 0.5]
        assert items[0] is items[1] is first


def test_what_has_changed_does_not() -> None:
    items = [True, False]
    rg.jit(replaced)(items, 0.5)
    assert items == [False, False]
    assert items[0] is False
