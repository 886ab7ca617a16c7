"""`zip(*rows)`, `groupby`, `chain.from_iterable`, `tee`, `[*rows]`, texts by a run-time index."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree


def grouped(x, n):
    rows = [x * i for i in range(n)]
    s = sum(k * sum(group) for k, group in itertools.groupby(rows, key=lambda v: int(v)))
    pairs = [("a", x), ("a", 2.0 * x), ("b", 3.0 * x)]
    by_name = {k: sum(v for _, v in g) for k, g in itertools.groupby(pairs, key=lambda p: p[0])}
    for k, group in itertools.groupby([1, 1, 2, 1]):
        s += k * len(list(group)) * x
    return s + by_name["a"] + 10.0 * by_name["b"]


def flat(x, n):
    rows = [[x * i, 1.0 * j] for i in range(n) for j in range(3)]
    a, b = itertools.tee(rows[0] if n > 100 else [x, 2.0, 3.0 * x])
    next(b, None)
    return sum(itertools.chain.from_iterable(rows)) + sum(u * v for u, v in zip(a, b, strict=False))


def columns(x, n):
    rows = [[x * i, 1.0, 2.0 * i] for i in range(n)]
    s = 0.0
    for k, column in enumerate(zip(*rows, strict=False)):
        s += k * sum(column) * x
    turned = [list(column) for column in zip(*rows)]  # noqa: B905
    turned[0][1] = 5.0
    back = list(map(list, zip(*turned)))  # noqa: B905
    return s + back[1][0] + sum(turned[0]) + rows[1][0]


def named_columns(x, n):
    rows = []
    for i in range(n):
        rows.append(("a" if i % 2 else "b", x * i, i))
    names, xs, ids = zip(*rows)  # noqa: B905
    rows.append(("b", x, 3))
    return sum(xs) + sum(ids) + len(names) + (5.0 if names[0] == "b" else 0.0)


def starred(x, n):
    rows = [x * i for i in range(n)]
    padded = [0.5, *rows, 1.0, *[v * v for v in rows if v > 1.0], 2.0 * x]
    padded.append(x)
    other = [*padded]
    other[0] = 5.0
    points = [np.array([x, i]) for i in range(n)]
    path = [points[0], *points]
    return sum(v * k for k, v in enumerate(padded)) + sum(other) + sum(p @ p for p in path)


def looked_up(x, n):
    names, kept = ["a", "b", "c"], [i for i in range(3) if i != 1]
    pairs = [(names[i % 3], x * i) for i in range(n)]
    found = {names[i]: v for i, v in zip(kept, np.ones(n) * x, strict=False)}
    return sum(v for name, v in pairs if name != "b") + 7.0 * found["c"] + len(kept)


@pytest.mark.parametrize(
    "f",
    [
        grouped,
        columns,
        starred,
        *(pytest.param(f, marks=pytest.mark.slow) for f in (flat, named_columns, looked_up)),
    ],
)
def test_they_are_what_python_has(f):
    agree(f, 0.7, 5)
    value, bar = rg.value_and_grad(f)(0.7, 5)
    assert value == pytest.approx(f(0.7, 5), rel=1e-14)
    assert bar == pytest.approx((f(0.7 + 1e-6, 5) - f(0.7 - 1e-6, 5)) / 2e-6, rel=1e-6)
    assert rg.grad(f, memory="100kB")(0.7, 5) == bar


def test_columns_of_nothing():
    with pytest.raises(ValueError, match="without rows"):
        rg.jit(named_columns)(0.7, 0)
