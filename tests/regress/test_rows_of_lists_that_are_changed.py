"""Rows of lists of lists: what changed one was lost, or was a crash of the compiler.

A table of ints that was given a float stopped with RG9001. `rows[i].sort()` and `rows[i][:] = ..`
changed a copy, and so did a name that was one of two rows.
"""

from __future__ import annotations

from tests.frontend.harness import agree


def table(n, x):
    best = [[0] * n for _ in range(n)]
    best[1][2] = x
    return sum(sum(row) for row in best)


def ordered(n, x):
    rows = [[x * (n - j) for j in range(n)] for _ in range(2)]
    rows[1].sort()
    rows[0][:] = [x] * n
    return rows[1][0] * 3 + rows[0][0]


def one_of_two(n, x):
    rows, others = [[0.0] * n for _ in range(2)], [[0.0] * n for _ in range(2)]
    row = rows[1] if x > 0.5 else others[1]
    row[0] = x
    return sum(rows[1])


def test_a_row_is_part_of_its_list():
    agree(table, 3, 0.7)
    agree(ordered, 3, 0.7)
    agree(one_of_two, 3, 0.7)
