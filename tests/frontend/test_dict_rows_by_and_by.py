"""Dicts that get their keys one by one before a list of run-time length is given them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.harness import agree, slopes_of

pytestmark = pytest.mark.thinned(2)


def record(k, v):
    row = dict(step=k)
    row["value"] = v
    row.setdefault("notes", [])
    row["notes"].append(v * v)
    return row


def recorded(x, n):
    rows = [record(k, x[0] * k) for k in range(n)]
    for row in rows:
        row["value"] += x[1]
        row["notes"].append(row["value"])
    return sum(sum(row["notes"]) * row["value"] for row in rows)


def names(x, n):
    """All names of the dict are one dict, before and after it is put into lists."""
    rows, others, current = [], [], {}
    for k in range(n):
        row = {}
        row["a"] = x[0] * k
        alias, pair = row, (row, k)
        row["b"] = x[1]
        current["row"] = row
        rows.append(row)
        if k % 2:
            others.append(alias)
        pair[0]["a"] += 1.0
        current["row"]["b"] *= alias["a"]
        others.append(row)
        others[-1]["a"] -= x[1]
    rows[0]["a"] = x[0] ** 2
    return sum(r["a"] * r["b"] for r in rows) + sum(r["a"] for r in others) + current["row"]["b"]


def one_of_before(x, n):
    rows, row = [], {}
    row["a"] = x[0]
    for k in range(n):
        if k != 1:
            rows.append(row)
        row["a"] *= x[1]
    return sum(r["a"] for r in rows) + row["a"]


def deleted(x, n):
    rows = []
    for k in range(n):
        row = {"temporary": x[0], "a": x[1]}
        row.update(b=row.pop("temporary") * k, best=None)
        if k > 1:
            row["best"] = x[0]
        rows.append(row)
    return sum(len(r) + (r["a"] if r["best"] is None else r["b"] * r["best"]) for r in rows)


def missing(x, n):
    rows = []
    for k in range(n):
        row = {}
        row["a"] = x[0] * k
        rows.append(row)
    return rows[0]["b"] if n > 2 else rows[-1]["a"]


def evaluated_before(x, n):
    rows, total = [], 0.0
    for k in range(n):
        row = {}
        row.update(a=x[0] * k)
        total += first(row, rows.append(row))
    return total + sum(row["a"] for row in rows)


def first(row, _):
    return row["a"]


ALL = [evaluated_before, recorded, names, one_of_before, deleted, missing]


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("n", [2, 5])
def test_the_value_is_that_of_python(f, n):
    agree(f, np.array([0.7, 1.6]), n)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [recorded, names, one_of_before, deleted])
def test_slopes_are_those_of_differences(f):
    assert slopes_of(lambda x: f(x, 4), np.array([0.7, 1.6])).shape == (2,)
