"""Lists in lists, dicts and objects, each of a length of its own and one under all its names."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


class Graph:
    def __init__(self, n):
        self.near = [[] for _ in range(n)]
        self.groups = {}

    def add(self, u, v, w):
        self.near[u].append((v, w))
        self.near[v].append((u, w))
        kind = "even" if (u + v) % 2 == 0 else "odd"
        if kind not in self.groups:
            self.groups[kind] = []
        self.groups[kind].append(w)

    def reach(self, u, seen):
        seen[u] = True
        return sum(w + self.reach(v, seen) for v, w in self.near[u] if not seen[v])


def graph(x, n):
    g = Graph(n)
    for i in range(n - 1):
        g.add(i, i + 1, x * (i + 1))
    g.add(0, 2, 0.5)
    lengths = sum(len(one) * k for k, one in enumerate(g.near))
    return g.reach(0, [False] * n) + lengths * x + sum(g.groups["odd"]) * 2 + g.groups["even"][0]


def triangle(x, n):
    rows = []
    for i in range(n):
        row = [1.0 * x] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] + rows[i - 1][j]
        rows.append(row)
    tree = [[0.0 for j in range(i + 1)] for i in range(n + 1)]
    for j in range(n + 1):
        tree[n][j] = x * j
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            tree[i][j] = 0.5 * tree[i + 1][j] + 0.4 * tree[i + 1][j + 1]
    return sum(rows[-1]) + len(rows[2]) + tree[0][0]


def names(x, n):
    """One list under several names, in several lists, and of two on one path each."""
    a = [[] for _ in range(n)]
    b = a[2]
    b.append(x)
    a[2].append(2 * x)
    c = a[:]
    c[2].append(3 * x)
    c[1] = [7.0 * x]
    d = [a[2]] * 3
    d[1].append(4 * x)
    r = a[0] if x > 0.5 else a[1]
    for i in range(n):
        if i % 2:
            r = a[i]
        r.append(x * i)
    same = 1.0 * (a[2] is b) + 2.0 * (a[1] == a[3]) + 3.0 * (a[4] == [])
    return sum(sum(v) * k for k, v in enumerate(a)) + len(a[1]) + len(d[2]) + sum(c[1]) + same


def methods(x, n):
    a = [[x], [2 * x, 1.0], [x, 5.0]]
    for i in range(n):
        b = a[i % 2]
        b.insert(0, x * i)
        b += [1.0, x]
        del b[1]
        b.remove(1.0)
        a[2].reverse()
        a[2].extend([x * i] * 2)
        a[2][1:3] = [x]
    a[0].sort(reverse=True)
    a[1].sort(key=lambda v: -v)
    last = a[2].pop() + a[2].pop(0) + a[2][-1] + a[2].index(x) + a[2].count(x) + (x in a[2])
    a[0], a[1] = a[1], a[0]
    a.append(a.pop(1))
    a[1].append(9.0 * x)
    return sum(v * (k + 1) for r in a for k, v in enumerate(r)) + last


def put(rows, k, x):
    rows[k].append(x)
    return rows[k]


def through_calls(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        put(rows, i % 2, x * i).append(1.0)
    for i in range(n):
        rows[i] += [x, 1.0] if i == 1 else rows[1][:2]
    table = np.array([r[:2] for r in rows])
    lists = np.array(rows[2:])
    return np.sum(table[:, 0] * table[:, 1]) + np.sum(lists) + sum(len(r) * sum(r) for r in rows)


def of_arrays(x, n):
    points, groups = np.arange(2.0 * n).reshape(n, 2) * x, {}
    for i in range(n):
        groups.setdefault(i % 3, []).append(points[i])
    return sum(np.sum(np.mean(g, axis=0)) * (k + 1) for k, g in groups.items()) + points[1][0]


def inside(x, n):
    def cost(y, k):
        rows = [[] for _ in range(k)]
        for i in range(k):
            rows[i % 2].append(y * i)
        return sum(rows[0]) * sum(rows[1])

    return rg.grad(cost)(x, n) * cost(x, n)


PROGRAMS = (graph, triangle, names, methods, through_calls, of_arrays, inside)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("f", PROGRAMS)
def test_lists_in_lists_are_lists(f):
    if f is not inside:
        for n in (5, 6):
            agree(f, 0.7, n)
    ours = rg.grad(f)(0.7, 6)
    assert abs(ours - (f(0.7 + 1e-6, 6) - f(0.7 - 1e-6, 6)) / 2e-6) < 1e-6 * max(1.0, abs(ours))
    assert ours == rg.grad(f, memory="200kB")(0.7, 6)
    assert abs(rg.jvp(f, (0.7, 6), (1.0, None))[1] - ours) < 1e-11 * max(1.0, abs(ours))


def grows_while_read(x, n):
    rows = [[x] for _ in range(n)]
    for row in rows:
        row.append(x)
        for v in row:
            row.append(v)
            if len(row) > 6:
                return sum(row)
    return 0.0


def outside(x, n):
    rows = [[x] for _ in range(n)]
    rows[1].append(x)
    return rows[0][1] + rows[2][n]


def given_back(x, n):
    rows = [[x] for _ in range(n)]
    rows[1].append(x)
    return rows


def test_what_lists_in_lists_do_not_do():
    with pytest.raises(RuntimeError, match="changes its length"):
        rg.jit(grows_while_read)(0.7, 4)
    agree(outside, 0.7, 4)
    with pytest.raises(UserError, match="RG0103"):
        rg.jit(given_back)(0.7, 4)
