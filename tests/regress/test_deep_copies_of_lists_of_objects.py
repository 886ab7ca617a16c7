"""`copy.deepcopy` of a list of run-time length had the objects, and lists, of the list itself."""

from __future__ import annotations

import copy

import pytest

import retrograd as rg
from retrograd.errors import UserError


class _Point:
    def __init__(self, x):
        self.x = x


def of_objects(x):
    rows = []
    while len(rows) < 3 + (x > 9.0):
        rows.append(_Point(x))
    other = copy.deepcopy(rows)
    other[0].x = 9.0
    return rows[0].x


def of_lists(x):
    rows = []
    while len(rows) < 3 + (x > 9.0):
        row = []
        for _ in range(len(rows) + 1):
            row.append(x)
        rows.append(row)
    other = copy.deepcopy(rows)
    other[0].append(9.0)
    other[0][0] = 9.0
    return rows[0][0]


@pytest.mark.parametrize("f", [of_objects, of_lists])
def test_they_are_refused(f):
    assert f(2.0) == 2.0
    with pytest.raises(UserError, match="that a list of run-time length holds"):
        rg.jit(f)(2.0)
