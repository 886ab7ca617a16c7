"""Dicts in lists of run-time length that get keys later, or on some paths only."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, slopes_of

X = np.array([0.5, -1.5, 2.5])


def rows_of(x, n):
    return [{"a": x[k % 3] * (k + 1)} for k in range(n)]


def score(row, s):
    row["score"] = row["a"] * s


def in_loops(x, n):
    rows = rows_of(x, n)
    for k, row in enumerate(rows):
        row["k"] = k
        row.update(square=row["a"] ** 2)
        score(row, x[1])
    total = sum(row["square"] for row in rows)
    for row in rows:
        row["share"] = row["square"] / total
    rows.sort(key=lambda row: row["score"])
    best = max(rows, key=lambda row: row["share"])
    best["rank"] = 1
    alias = rows[1]
    alias["share"] *= 2.0
    ranked = sum(row["score"] for row in rows if "rank" in row)
    return sum(row["share"] * row["k"] for row in rows) + rows[1]["share"] + ranked


def on_some_paths(x, n):
    rows = []
    for k in range(n):
        row = {"a": x[k % 3]}
        if row["a"] > 0.0:
            row["up"] = row["a"] ** 2
        rows.append(row)
    for k in range(1, n):
        rows[k]["rise"] = rows[k]["a"] - rows[k - 1]["a"]
    rows[0].setdefault("rise", x[2])
    rows[1].setdefault("rise", 100.0)
    lengths = sum(len(row) for row in rows)
    ups = sum(row["up"] if "up" in row else 3.0 * row["a"] for row in rows)
    return lengths + ups + sum(row["rise"] ** 2 + row.get("up", 0.5) for row in rows)


def only_later(x, n):
    rows = []
    for k in range(n):
        row = {}
        if k % 2:
            row["odd"] = x[k % 3]
        else:
            row["even"] = x[k % 3] ** 2
        rows.append(row)
    return sum(row["odd"] if "odd" in row else row["even"] for row in rows)


def gone(x, n):
    rows = rows_of(x, n)
    for row in rows:
        row["b"] = row["a"]
    del rows[0]["b"]
    taken = rows[1].pop("b") + rows[2].pop("none", 3.0)
    same = 5.0 * (rows[0] == rows[1]) + 7.0 * (rows[2] == {"b": rows[2]["a"], "a": rows[2]["b"]})
    return taken + same + sum(row.get("b", x[2]) for row in rows) + len(rows[0])


def of_other_kinds(x, n):
    rows = rows_of(x, n)
    for k, row in enumerate(rows):
        row["notes"] = []
        row["best"] = None
        row["label"] = "even" if k % 2 == 0 else "odd"
        row["v"] = np.array([row["a"], 1.0])
    for row in rows:
        row.setdefault("notes", []).append(row["a"])
        row["notes"].append(x[0])
    rows[1]["best"] = x[0]
    s = sum(np.sum(row["v"] ** 2) * len(row["notes"]) + sum(row["notes"]) for row in rows)
    s = s + sum(1.0 if row["best"] is None else row["best"] ** 3 for row in rows)
    return s + sum(row["a"] for row in rows if row["label"] == "odd")


def linked(x, n):
    rows = rows_of(x, n)
    for row in rows:
        row["next"] = None
    for k in range(n - 1):
        rows[k]["next"] = rows[k + 1]
    s, row = 0.0, rows[0]
    while row is not None:
        s = s * x[0] + row["a"]
        row = row["next"]
    return s


def caught(x, n):
    rows = rows_of(x, n)
    for _ in range(2):
        for row in rows[1:]:
            try:
                row["b"] *= 3.0
            except KeyError:
                row["b"] = row["a"]
    return sum(row["b"] for row in rows[1:]) + ("b" in rows[0])


def missing(x, n):
    rows = rows_of(x, n)
    for row in rows[1:]:
        row["b"] = row["a"]
    return sum(row["b"] for row in rows)


def deleted_twice(x, n):
    rows = rows_of(x, n)
    for row in rows:
        row["b"] = row["a"]
        del row["b"]
    del rows[0]["b"]
    return x[0]


ALL = [in_loops, on_some_paths, only_later, gone, of_other_kinds, linked, caught]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", [*ALL, missing, deleted_twice])
def test_the_value_is_that_of_python(f):
    agree(f, X, 4)
    agree(f, -X, 3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [pytest.param(in_loops, marks=pytest.mark.slow), *ALL[1:]])
def test_slopes_are_those_of_differences(f):
    assert slopes_of(lambda x: f(x, 4), X).shape == (3,)


def test_a_missing_key_raises_in_derivatives():
    for run in (rg.grad(missing), rg.grad(missing, memory="1MB")):
        with pytest.raises(KeyError, match="b"):
            run(X, 3)


@pytest.mark.parametrize(
    "use", [list, dict, lambda row: {**row}, lambda row: sum(row.values()), lambda row: row.copy()]
)
def test_what_needs_the_order_is_refused_at_its_line(use):
    def f(x, n):
        rows = rows_of(x, n)
        for row in rows:
            row["b"] = row["a"]
        use(rows[0])
        return x[0]

    with pytest.raises(UserError, match="an order that is known at run time only"):
        rg.jit(f)(X, 3)
