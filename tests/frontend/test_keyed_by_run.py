"""Dicts and sets whose keys are known at run time only."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import slopes_of

X = np.array([0.7, -0.4, 1.3, 0.2])


def grown(x: Any) -> Any:
    table: dict[Any, Any] = {}
    for k in range(12):
        j = (k * k) % 7
        if j in table:
            table[j] = table[j] * 1.1 + x[k % 4]
        else:
            table[j] = x[k % 4]
    s = 0.0
    for key, value in table.items():
        s += value * (key + 1)
    return s + len(table) + sum(table.values()) + table.get(100, x[0])


def memo(x: Any) -> Any:
    found = {0: x[0], 1: x[1]}
    for k in range(2, 7):
        found[k] = found[k - 1] * x[2] + found[k - 2]
    return found[int(x[3] * 20 + 0.5)]


def comprehended(x: Any) -> Any:
    table = {k * k % 5: x[k % 4] * k for k in range(int(x[0] * 10 + 0.5))}
    popped = table.pop(1)
    del table[0]
    return sum(table.values()) + table[4] * popped + table.setdefault(9, x[1]) + len(table)


def counted(x: Any) -> Any:
    sums = collections.defaultdict(float)
    for v in x:
        sums[int(v * 3)] += v * v
    counts = collections.Counter(int(v * 2) for v in x)
    return sums[0] * 2 + sums[2] + sum(k * n for k, n in counts.items()) * x[0]


def visited(x: Any) -> Any:
    seen: set[Any] = set()
    todo, s = [(0, 0)], 0.0
    while todo:
        i, j = todo.pop()
        if (i, j) in seen or not (0 <= i < 2 and 0 <= j < 2):
            continue
        seen.add((i, j))
        s = s * 1.1 + x[2 * i + j] ** 2
        todo.append((i + 1, j))
        todo.append((i, j + 1))
    return s + len(seen)


def known(x: Any) -> Any:
    n = 4
    pinned, names = {0, n - 1}, {"a", "b"}
    y = x * x
    for p in pinned:
        y[p] = 0.5 * x[p]
    s = 0.0
    for name in sorted(names):
        s += x[0] * len(name)
    if 2 in {1, 2, 3} and "a" in names and "c" not in names and pinned <= {0, 1, 2, 3}:
        s += x[1]
    return np.sum(y) + s + max(pinned | {9}) + len(pinned & {0}) + len(pinned ^ {0, 5})


def in_order(x: Any) -> Any:
    places: set[Any] = {int(v * 10 + 0.5) for v in x}
    places.discard(13)
    t = 1.0
    for k in sorted(places):
        t = t * 1.5 + k * x[0]
    return t * len(places)


EVERY = [grown, memo, comprehended, counted, visited, known, in_order]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", EVERY)
def test_values_and_gradients_are_those_of_python(f: Any) -> None:
    slopes = slopes_of(f, X)
    assert np.all(np.isfinite(slopes))


def test_a_missing_key_raises_what_python_raises() -> None:
    def missing(x: Any) -> Any:
        return {k: x[0] for k in range(int(x[0] * 5))}[77]

    with pytest.raises(KeyError, match="77"):
        rg.jit(missing)(X)


def test_what_is_refused() -> None:
    def looped(x: Any) -> Any:
        t = 0.0
        for k in {int(v) for v in x}:
            t = t * 2 + k
        return t

    def changed(x: Any) -> Any:
        s = {1, 2}
        for k in s:
            s.add(k + 5)
        return x

    def given_back(x: Any) -> Any:
        return {int(v): v for v in x}

    def of_texts(x: Any) -> Any:
        table: dict[Any, Any] = {"a": 1.0}
        table[int(x[0])] = x[1]
        return table["a"]

    with pytest.raises(UserError, match="RG0101.*loop over a set") as refused:
        rg.jit(looped)(X)
    assert "sorted" in str(refused.value)
    assert rg.jit(of_texts)(X) == 1.0
    for f, said in ((changed, "RG0101"), (given_back, "RG0103")):
        with pytest.raises(UserError, match=said):
            rg.jit(f)(X)
