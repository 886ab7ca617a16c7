"""`obj in objs`, `index`, `count` and `remove` found no object in lists of run-time length."""

from __future__ import annotations

import retrograd as rg


class _Equal:
    def __init__(self, x, n):
        self.x = x
        self.n = n

    def __eq__(self, other):
        return self.x == other.x and self.n == other.n


class _Plain:
    def __init__(self, x, n):
        self.x = x
        self.n = n


def _program(cls):
    def f(x):
        rows = []
        while len(rows) < 3 + (x > 9.0):
            rows.append(cls(x, len(rows)))
        other, own = cls(x, 1), rows[2]
        found = 1.0 * (other in rows) + 2.0 * (own in rows) + 4.0 * (other not in rows)
        found = found + 8.0 * rows.index(own) + 32.0 * rows.count(own)
        rows.remove(own)
        return x * found + 64.0 * len(rows) + 256.0 * (own in rows)

    return f


def test_by_what_their_class_says():
    f = _program(_Equal)
    assert rg.jit(f)(2.0) == f(2.0) == 230.0


def test_by_what_they_are():
    f = _program(_Plain)
    assert rg.jit(f)(2.0) == f(2.0) == 236.0
