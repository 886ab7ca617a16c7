"""Copies, slices and comprehensions of other lengths in each iteration, in lists that grow."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false


def total(rows):
    return sum(len(r) for r in rows) + sum(sum(r) for r in rows)


def comprehensions(x, n):
    rows = []
    for i in range(n):
        rows.append([x * i + j for j in range(i)])
    found = []
    for i in range(n):
        found.append([k for k in range(i) if k % 2 == 0])
    return total(rows) + total(found)


def longer_each_time(x, n):
    rows, base = [], [1.0]
    for _ in range(n):
        base = base + [x]
        rows.append(base)
    return total(rows)


def kept(x, n):
    path, out = [x], []
    for i in range(n):
        path.append(x * i)
        out.append(list(path))
        out.append(path[:])
        out.append(path.copy())
    path[0] = 7.0
    out[1][0] = 5.0 * x
    return total(out) + out[2][0] * out[1][0]


def beginnings(x, n):
    xs = [x * i for i in range(n)]
    return total([xs[:k] for k in range(n)]) + total([xs[k:] for k in range(n)])


def back(x, n):
    out, path = [], []
    for i in range(n):
        path.append(x * i)
        if len(path) > 2:
            path.pop(0)
        out.append(list(path))
    return total(out)


def windows(x, n):
    xs = [x * i for i in range(n)]
    return np.sum(np.array([xs[k : k + 3] for k in range(n - 2)]) ** 2)


def states(x, n):
    y, every = [x * i for i in range(n)], []
    for _ in range(n):
        y = [1.1 * v for v in y]
        every.append(list(y))
    return np.sum(np.array(every) * x)


ALL = [comprehensions, longer_each_time, kept, beginnings, back, windows, states]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("n", [3, 6])
def test_as_in_python(f, n) -> None:
    agree(f, 1.5, n)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_gradients(f) -> None:
    step = (f(1.5 + 1e-6, 6) - f(1.5 - 1e-6, 6)) / 2e-6
    assert rg.grad(f)(1.5, 6) == pytest.approx(step, rel=1e-6)
