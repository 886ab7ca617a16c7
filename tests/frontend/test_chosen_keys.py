"""Dicts of functions, objects and lists, looked up by a key that is known at run time only."""

from __future__ import annotations

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)


def best_path(x, n):
    states, path, v = ("h", "f"), {"h": ["h"], "f": ["f"]}, {"h": x, "f": 1.0}
    for _ in range(3):
        new, best_of = {}, {}
        for s in states:
            p, best = max((v[r] * (x if r == s else 0.4), r) for r in states)
            best_of[s] = p + 0.1 * n
            new[s] = path[best] + [s]
        path, v = new, best_of
    p, s = max((v[s], s) for s in states)
    return p + 0.1 * path[s].count("f")


def functions(x, n):
    table = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "sub": lambda a, b: a - b}
    names, v = ["add", "mul", "sub"], x
    for i in range(n):
        v = table[names[i % 3]](v, x)
    return v


def graph(x, n):
    successors = {"a": ["b", "c"], "b": ["c"], "c": []}
    order, todo = [], ["a"]
    while todo and len(order) < n:
        u = todo.pop()
        order.append(u)
        for w in successors[u]:
            if w not in order and w not in todo:
                todo.append(w)
    cost = {"a": x, "b": 2.0 * x, "c": x * x}
    return sum(cost[u] * (k + 1) for k, u in enumerate(order))


class Spring:
    def __init__(self, k):
        self.k = k

    def force(self, x):
        return self.k * x


def objects(x, n):
    springs, s = {0: Spring(1.0), 1: Spring(x), 2: Spring(3.0)}, 0.0
    for i in range(n):
        s += springs[i % 3].force(x)
        springs[i % 3].k += 0.1 * x
    return s + springs[1].k


def lists(x, n):
    rows, s = {0: [1.0, x], 1: [x], 2: [2.0 * x, x, 1.0]}, 0.0
    for i in range(n):
        row = rows[i % 3]
        s += sum(row) * len(row)
        if i % 4 in rows:
            s += x
        s += rows.get(i, [3.0])[0]
    return s + len(rows[0])


def missing(x, n):
    rows = {0: [1.0, x], 1: [x]}
    try:
        return sum(rows[n])
    except KeyError:
        return x * x


@pytest.mark.parametrize(
    "f",
    [
        functions,
        lists,
        *(pytest.param(f, marks=pytest.mark.slow) for f in (best_path, graph, objects, missing)),
    ],
)
def test_they_are_what_python_has(f):
    slope, less = rg.value_and_grad(f), rg.grad(f, memory="100kB")
    agree(f, 0.7, 5)
    for n in (1, 5):
        value, bar = slope(0.7, n)
        assert value == pytest.approx(f(0.7, n), rel=1e-14)
        assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-6)
        assert less(0.7, n) == bar == pytest.approx(rg.jvp(f, (0.7, n), (1.0, 0))[1], rel=1e-13)


def new_keys(x, n):
    rows = {0: [x], 1: [x, x]}
    rows[n % 3] = [x, 2.0 * x, 1.0]
    return sum(rows[n % 3]) + len(rows) * x + len(rows[0])


def test_numbers_that_may_be_new_keys():
    for n in range(3):
        agree(new_keys, 0.7, n)


def new_functions(x, n):
    table = {0: lambda v: v, 1: lambda v: v * v}
    table[n % 3] = lambda v: 2.0 * v
    return table[1](x)


def test_new_keys_of_functions_are_refused():
    with pytest.raises(UserError) as caught:
        rg.jit(new_functions)(0.7, 3)
    assert caught.value.way_out
