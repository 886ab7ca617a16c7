"""`==` of lists of run-time length was that of arrays of their items: an array, or ValueError."""

from __future__ import annotations

import operator
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError


def of_one_length(u: Any, n: int) -> Any:
    x, y = [u * k for k in range(n)], [u * k for k in range(n)]
    y[0] += 0.0
    return 1.0 * (x == y) + 2.0 * (x != y) + 4.0 * operator.eq(x, y)


def of_others(u: Any, n: int) -> Any:
    x, y = [u * k for k in range(n)], [u * k for k in range(n + 1)]
    known = 4.0 * (x == [0.0, u]) + 8.0 * ([] != x) + 16.0 * (x == (0.0, u))
    return 1.0 * (x == y) + 2.0 * (x == y[:-1]) + known


def of_rows(u: Any, n: int) -> Any:
    rows = [[u, 1.0] for _ in range(n)]
    total = 0.0
    for row in rows:
        if row == rows[-1]:
            total += u
    return total + 2.0 * (rows == [[u, 1.0], [u, 1.0]]) + 4.0 * any(row == [u, 1.0] for row in rows)


def of_what_may_be_none(u: Any, n: int) -> Any:
    x = [u * k for k in range(n)]
    y = [u * k for k in range(2)] if n > 1 else None
    z = x if n > 2 else None
    return 1.0 * (x == y) + 2.0 * (z == x) + 4.0 * (y != z) + 8.0 * (z == z)


@pytest.mark.parametrize("f", [of_one_length, of_others, of_rows, of_what_may_be_none])
def test_it_is_one_truth_value(f: Any) -> None:
    for n in (1, 2, 3):
        assert rg.jit(f)(1.5, n) == f(1.5, n)


def test_what_is_refused() -> None:
    with pytest.raises(UserError, match="the order of lists"):
        rg.jit(lambda u, n: 1.0 * ([u * k for k in range(n)] < [u, u]))(1.5, 2)
    with pytest.raises(UserError, match="looked for in a list of lists"):
        rg.jit(lambda u, n: 1.0 * ([u, 1.0] in [[u, 1.0] for _ in range(n)]))(1.5, 2)


class Point:
    """Equal by its number."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.v == other.v


class Plain:
    """Equal to itself only."""

    def __init__(self, v: Any) -> None:
        self.v = v


def of_tuples(u: Any, n: Any) -> Any:
    a = [(u * k, k) for k in range(n)]
    b = [(u * k, k) for k in range(n)]
    total = 1.0 if a == b else 2.0
    b.append((u, 9))
    total += 10.0 if a != b else 20.0
    b.pop()
    b[0] = (2.0 * u, 0)
    return total + (100.0 if a == b else 200.0) + (1e3 if a == [(0.0, 0), (u, 1)] else 2e3)


def of_objects(u: Any, n: Any) -> Any:
    a, b, c, d = [], [], [], []
    for k in range(n):
        a.append(Point(u * k))
        b.append(Point(u * k))
        c.append(Plain(u * k))
        d.append(c[k])
    total = (1.0 if a == b else 2.0) + (10.0 if c == d else 20.0)
    b[0].v = u
    d[n - 1] = Plain(u * (n - 1))
    total += (100.0 if a == b else 200.0) + (1e3 if c != d else 2e3)
    return total + (1e4 if a == [Point(0.0), Point(u)] else 2e4)


def of_texts(u: Any, n: Any) -> Any:
    a = ["uv"[k % 2] for k in range(n)]
    b = ["uv"[k % 2] for k in range(n)]
    total = 1.0 if a == b else 2.0
    b[0] = "w"
    return total + (10.0 if a == b else 20.0) + u


def of_different_lengths(u: Any, n: Any) -> Any:
    a, b = [], []
    for k in range(n):
        a.append([u] * k)
        b.append([u] * k)
    total = 1.0 if a == b else 2.0
    b[n - 1].append(u)
    return total + (10.0 if a == b else 20.0)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [of_tuples, of_objects, of_texts, of_different_lengths])
def test_lists_of_other_items(f: Any) -> None:
    for n in (1, 2, 3):
        assert rg.jit(f)(1.5, n) == f(1.5, n)
