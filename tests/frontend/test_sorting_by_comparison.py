"""`functools.cmp_to_key`, and objects that compare by their `__lt__` in lists of any length."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


class Item:
    def __init__(self, w, n):
        self.w = w
        self.n = n

    def __lt__(self, other):
        return self.w < other.w


def few(x):
    xs = [3.0, x, 2.0]
    xs.sort(key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))
    return xs, max(xs, key=functools.cmp_to_key(lambda a, b: b - a))


def many(x, n=20):
    xs = [(x * i * 7.0) % 5.0 for i in range(n)]
    up = sorted(xs, key=functools.cmp_to_key(lambda a, b: -1 if a < b else 1))
    xs.sort(key=functools.cmp_to_key(lambda a, b: a - b), reverse=True)
    return up, xs


def pairs(x, n=20):
    def compared(a, b):
        return b[0] - a[0] if a[0] != b[0] else (a[1] > b[1]) - (a[1] < b[1])

    return sorted([(i % 3, x * i) for i in range(n)], key=functools.cmp_to_key(compared))


def ties(x, n=40):
    xs = [(i * 37 % 11, i) for i in range(n)]
    up = sorted(xs, key=functools.cmp_to_key(lambda a, b: a[0] - b[0]))
    down = sorted(xs, key=functools.cmp_to_key(lambda a, b: a[0] - b[0]), reverse=True)
    return [p[1] for p in up], [p[1] for p in down], x


def objects(x, n=9):
    items = [Item((x * i * 7.0) % 5.0, i) for i in range(n)]
    items.sort()
    down = sorted(items, reverse=True)
    return [p.n for p in items], [p.w for p in down], min(items).n, max(items).w


@pytest.mark.parametrize("f", [few, many, pairs, ties, objects])
def test_as_in_python(f) -> None:
    agree(f, 1.3)


@pytest.mark.parametrize("n", [0, 1, 2, 17])
def test_any_length(n) -> None:
    agree(many, 1.3, n)
    agree(ties, 1.3, n)


def test_gradient() -> None:
    f = lambda x, n: np.sum(np.array(many(x, n)[0]) * np.arange(n))  # noqa: E731
    step = (f(1.3 + 1e-6, 7) - f(1.3 - 1e-6, 7)) / 2e-6
    assert rg.grad(f)(1.3, 7) == pytest.approx(step, rel=1e-6)
