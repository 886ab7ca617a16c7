"""`obj[k] += v` where `__getitem__` gives an array or list that has another name: the sum was put
into the object, and the other name kept what it had been."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


class _Held:
    def __init__(self, x):
        self.d = {"p": np.array([x, x]), "l": [x]}

    def __getitem__(self, key):
        return self.d[key]

    def __setitem__(self, key, value):
        self.d[key] = value


def f(x):
    held = _Held(x)
    p, items = held["p"], held["l"]
    held["p"] += 1.0
    held["p"] *= x
    held["l"] += [2.0 * x]
    return np.sum(p) * x + len(items) * x


def test_other_names_see_it():
    assert rg.jit(f)(2.0) == f(2.0) == 28.0
    assert rg.grad(f)(2.0) == 34.0


def items_of_the_run(x):
    found = {}
    for i in range(4):
        key = (i * 7) % 3
        if key not in found:
            found[key] = np.array([x, 0.0])
        found[key] += np.array([1.0, x * i])
        found[key] *= 0.5
    return sum(np.sum(v) for v in found.values())


def test_items_that_are_found_at_run_time_are_changed():
    np.testing.assert_allclose(rg.jit(items_of_the_run)(2.0), items_of_the_run(2.0), rtol=1e-14)


def test_another_name_of_such_an_item_is_not_read():
    def f(x):
        queue = collections.deque([np.array([x, 1.0]), np.array([2.0, x])])
        first = queue[0]
        queue[0] += x
        return np.sum(first) + np.sum(queue[0])

    with pytest.raises(UserError, match="may be another name of one that was changed"):
        rg.jit(f)(2.0)
