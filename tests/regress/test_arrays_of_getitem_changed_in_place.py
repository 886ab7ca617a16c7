"""`obj[k] += v` where `__getitem__` gives an array or list that has another name: the sum was put
into the object, and the other name kept what it had been."""

from __future__ import annotations

import numpy as np

import retrograd as rg


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
