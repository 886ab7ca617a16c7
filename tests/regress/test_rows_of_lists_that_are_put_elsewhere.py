"""Rows of a list of lists that were exchanged, or put into a list twice, gave wrong numbers.

The rows are parts of one array. The first assignment of an exchange changed what the second was
to write; a row that is in two places, or in the list that a comprehension makes, was written in
one of them.
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


def rows(x, n):
    return [[x * j + i for j in range(3)] for i in range(n)]


def determinant(x, n):
    a = [[np.cos(i * j + x * i) for j in range(n)] for i in range(n)]
    out = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        a[k], a[p] = a[p], a[k]
        if p != k:
            out = -out
        out *= a[k][k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
    return out


def exchanged(x, n):
    a = rows(x, n)
    a[1], a[2] = a[2], a[1]
    a[1][1] += 5.0
    a[2][1] *= 3.0
    return a[2][1] + 10.0 * a[1][1]


def exchanged_arrays(x, n):
    a = [np.array([x, 1.0 * i]) for i in range(n)]
    a[1], a[2] = a[2], a[1]
    a[1] += 1.0
    return a[1] + 2.0 * a[2]


def moved(x, n):
    a = rows(x, n)
    a[1], a[2] = a[2], a[3]
    return a[2][1] + 10.0 * a[1][1] + a[3][1]


@pytest.mark.parametrize("f", [determinant, exchanged, exchanged_arrays, moved])
def test_an_exchange(f) -> None:
    agree(f, 0.7, 5)


def test_its_derivative() -> None:
    slope = (determinant(0.700001, 5) - determinant(0.699999, 5)) / 2e-6
    assert rg.grad(determinant)(0.7, 5) == pytest.approx(slope, rel=1e-6)
    assert rg.jvp(lambda x: determinant(x, 5), (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)


def moved_and_written(x, n):
    a = rows(x, n)
    a[1], a[2] = a[2], a[3]
    a[2][1] = 7.0
    return a[3][1]


def appended(x, n):
    a = rows(x, n)
    a.append(a[1])
    a[n][0] = 50.0
    return a[1][0]


def replaced(x, n):
    a = rows(x, n)
    a[2] = a[1]
    a[2][0] = 50.0
    return a[1][0]


def one_row(x, n):
    row = [0.0] * 3
    a = [row for _ in range(n)]
    a[1][0] = x
    return a[2][0]


def one_row_in_a_loop(x, n):
    row, a = [0.0] * 3, []
    for _ in range(n):
        a.append(row)
    a[1][0] = x
    return a[2][0]


def by_a_function(x, n):
    def again(rows):
        rows.append(rows[0])

    a = rows(x, n)
    again(a)
    a[n][0] = 50.0
    return a[0][0]


def rows_of_an_array(x, n):
    m = np.ones((n, 2)) * x
    parts = [r for r in m]
    parts[1][0] = 50.0
    return m[1, 0]


def rows_of_a_list(x, n):
    a = rows(x, n)
    parts = [r for r in a]
    parts[1][0] = 50.0
    return a[1][0]


@pytest.mark.parametrize("f", [
    moved_and_written, appended, replaced, one_row, one_row_in_a_loop, by_a_function,
    rows_of_a_list,
])  # fmt: skip
def test_a_row_in_two_places_is_one_list(f) -> None:
    agree(f, 0.7, 5)


def test_a_row_of_an_array_is_not_read_after_a_write() -> None:
    with pytest.raises(UserError, match="RG0106"):
        rg.jit(rows_of_an_array)(0.7, 5)
