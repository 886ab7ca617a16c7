"""Loops over sparse matrices: products, sums and changes of layout, compiled where they are used.

A matrix is what compressed rows have: the elements in the order of their rows, the column of each,
and where each row starts. Elements may be zero, in any order within a row, and several of one
place: they are added up.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = [
    "flat_product", "of_triplets", "row_of_each", "times_matrix", "times_sparse", "times_vector",
    "transposed", "vector_times",
]  # fmt: skip

np: Any = numpy


def row_of_each(columns: Any, starts: Any) -> Any:
    """The row of each element."""
    rows = np.zeros(len(columns), dtype=int)
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            rows[at] = row
    return rows


def times_vector(values: Any, columns: Any, starts: Any, x: Any) -> Any:
    found = np.zeros(len(starts) - 1)
    for row in range(len(starts) - 1):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * x[columns[at]]
        found[row] = total
    return found


def vector_times(values: Any, columns: Any, starts: Any, width: Any, x: Any) -> Any:
    """The product of a vector and the matrix, whose columns are `width`."""
    found = np.zeros(width)
    for row in range(len(starts) - 1):
        own = x[row]
        for at in range(starts[row], starts[row + 1]):
            found[columns[at]] += values[at] * own
    return found


def times_matrix(values: Any, columns: Any, starts: Any, x: Any) -> Any:
    found = np.zeros((len(starts) - 1, x.shape[1]))
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            found[row] += values[at] * x[columns[at]]
    return found


def transposed(values: Any, columns: Any, starts: Any, width: Any) -> Any:
    """The parts of the transpose, by counting."""
    begins = np.zeros(width + 1, dtype=int)
    for at in range(len(columns)):
        begins[columns[at] + 1] += 1
    for column in range(width):
        begins[column + 1] += begins[column]
    free = begins.copy()
    order, rows = np.zeros(len(columns), dtype=int), np.zeros(len(columns), dtype=int)
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            place = free[columns[at]]
            order[place], rows[place] = at, row
            free[columns[at]] = place + 1
    return values[order], rows, begins


def of_triplets(values: Any, rows: Any, columns: Any, height: Any, width: Any) -> Any:
    """The parts of a matrix of elements in any order; those of one place are added up."""
    if len(rows) > 0:
        if np.min(rows) < 0 or np.min(columns) < 0:
            raise ValueError("negative index found")
        if np.max(rows) >= height or np.max(columns) >= width:
            raise ValueError("index exceeds matrix dimension")
    order = np.argsort(rows * width + columns, kind="stable")
    place, count = np.zeros(len(order), dtype=int), 0
    starts = np.zeros(height + 1, dtype=int)
    for k in range(len(order)):
        at = order[k]
        if k > 0:
            before = order[k - 1]
            new = rows[at] != rows[before] or columns[at] != columns[before]
            count += 1 if new else 0
        place[k] = count
    number = count + 1 if len(order) > 0 else 0
    found, own = np.zeros(number), np.zeros(number, dtype=int)
    last = -1
    for k in range(len(order)):
        at = order[k]
        own[place[k]] = columns[at]
        if place[k] != last:
            starts[rows[at] + 1] += 1
            last = place[k]
    for row in range(height):
        starts[row + 1] += starts[row]
    np.add.at(found, place, values[order])
    return found, own, starts


def flat_product(values: Any, columns: Any, starts: Any, x: Any) -> Any:
    """Elements times those of a dense matrix or row at the same places."""
    rows = row_of_each(columns, starts)
    return values * x[rows, columns]


def times_sparse(one: Any, other: Any) -> Any:
    """The elements of a product of two, in any order, as triplets."""
    values, columns, starts = one
    more, inner, begins = other
    count = 0
    for at in range(len(columns)):
        count += begins[columns[at] + 1] - begins[columns[at]]
    found = np.zeros(count)
    rows, places = np.zeros(count, dtype=int), np.zeros(count, dtype=int)
    left, right = np.zeros(count, dtype=int), np.zeros(count, dtype=int)
    k = 0
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            for to in range(begins[columns[at]], begins[columns[at] + 1]):
                rows[k], places[k], left[k], right[k] = row, inner[to], at, to
                k += 1
    found = values[left] * more[right]
    return found, rows, places
