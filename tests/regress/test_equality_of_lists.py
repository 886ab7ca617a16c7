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
    with pytest.raises(UserError, match="do not hold numbers alone"):
        rg.jit(lambda u, n: 1.0 * ([(u, k) for k in range(n)] == [(u, 0)]))(1.5, 1)
