"""A name that stands for one of two lists, dicts or deques, and is written to."""

from __future__ import annotations

from collections import deque

import pytest

import retrograd as rg
from tests.frontend.harness import agree


def lists(x, n):
    a, b = [x], [2.0 * x, 1.0]
    for k in range(n):
        m = a if k % 2 else b
        m.append(x * k)
        if len(m) > 3:
            m.pop(0)
        m[0] += x
    c = a if n > 2 else b
    c[-1] = 5.0 * x
    return sum(a) * 3.0 + sum(b) + len(a) + c[0]


class Book:
    def __init__(self):
        self.bids, self.asks = [], []

    def add(self, side, p):
        mine = self.bids if side == "buy" else self.asks
        mine.append(p)
        mine.sort()

    def best(self, side):
        mine = self.bids if side == "buy" else self.asks
        return mine[0] if mine else None


def books(x, n):
    book = Book()
    for k in range(n):
        book.add("buy" if (k * 7) % 3 else "sell", x * ((k * 5) % 7))
    p, q = book.best("buy"), book.best("sell")
    return sum(book.bids) * 2.0 + sum(book.asks) + (p if p is not None else 0.5) + (q or x)


def dicts(x, n):
    u, v = {"s": x}, {"s": 2.0 * x, "t": 1.0}
    for k in range(n):
        d = u if k % 2 else v
        d["s"] += x * k
    w = u if x > 0.0 else v
    w["s"] *= 2.0
    return u["s"] + 3.0 * v["s"]


def lanes(x, n):
    every, s = (deque(), deque()), 0.0
    for k in range(n):
        one, other = (every[0], every[1]) if k % 3 else (every[1], every[0])
        one.append(x * k)
        if other:
            s += other.popleft()
    return s + sum(every[0]) * 2.0


@pytest.mark.parametrize(
    "f", [books, *(pytest.param(f, marks=pytest.mark.slow) for f in (lists, dicts, lanes))]
)
def test_both_are_what_python_has(f):
    slope = rg.value_and_grad(f)
    agree(f, 0.7, 5)
    for n in (1, 5):
        value, bar = slope(0.7, n)
        assert value == pytest.approx(f(0.7, n), rel=1e-14)
        assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-6)
    assert rg.grad(f, memory="100kB")(0.7, 5) == bar
    assert rg.jvp(f, (0.7, 5), (1.0, 0))[1] == pytest.approx(bar, rel=1e-13)
