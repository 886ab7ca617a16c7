"""The loops of matching rows to columns."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["matched"]

np: Any = numpy


def _path(cost: Any, row: Any, u: Any, v: Any, of_column: Any) -> Any:
    """The cheapest path from a row to a column that is free: that column, its cost, the row before
    each column, what the columns cost, and which rows and columns have been met."""
    rows, columns = cost.shape
    before, costs = np.full(columns, -1), np.full(columns, np.inf)
    seen_rows, seen_columns = np.zeros(rows, dtype=bool), np.zeros(columns, dtype=bool)
    left = np.arange(columns)[::-1].copy()
    count, least, sink, i = columns, 0.0, -1, row
    while sink == -1:
        at, lowest = -1, np.inf
        seen_rows[i] = True
        for k in range(count):
            j = left[k]
            through = least + cost[i, j] - u[i] - v[j]
            if through < costs[j]:
                before[j], costs[j] = i, through
            if costs[j] < lowest or (costs[j] == lowest and of_column[j] == -1):
                lowest, at = costs[j], k
        least = lowest
        if least == np.inf:
            raise ValueError("cost matrix is infeasible")
        j = left[at]
        if of_column[j] == -1:
            sink = j
        else:
            i = of_column[j]
        seen_columns[j] = True
        count -= 1
        left[at] = left[count]
    return sink, least, before, costs, seen_rows, seen_columns


def matched(cost: Any) -> Any:
    """The column of each row, of a matrix that is at least as wide as high."""
    rows, columns = cost.shape
    u, v = np.zeros(rows), np.zeros(columns)
    of_row, of_column = np.full(rows, -1), np.full(columns, -1)
    for row in range(rows):
        sink, least, before, costs, seen_rows, seen_columns = _path(cost, row, u, v, of_column)
        u[row] += least
        for i in range(rows):
            if seen_rows[i] and i != row:
                u[i] += least - costs[of_row[i]]
        for j in range(columns):
            if seen_columns[j]:
                v[j] -= least - costs[j]
        j, i = sink, -1
        while i != row:
            i = before[j]
            of_column[j] = i
            other = of_row[i]
            of_row[i] = j
            j = other
    return of_row
