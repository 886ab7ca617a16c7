"""Texts in lists of run-time length, as keys of the run, and what is sorted with them."""

from __future__ import annotations

import functools
import heapq
import math
import operator
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.array([0.5, 1.2, -0.3, 2.0, 0.9, 1.7])


def names(x: Any) -> Any:
    """Texts that a loop appends, looks for, takes out and replaces."""
    found, stack, total = [], ["x"], 0.0
    for v in x:
        if v > 1:
            found.append("big")
            stack.append("y")
        elif v > 0:
            found.append("small")
            if stack[-1] == "y":
                stack.pop()
        else:
            found.append("negative")
            stack.append("z")
        total += v * len(stack) * (stack[-1] == "x")
    for name, v in zip(found, x, strict=True):
        if name == "big":
            total += v * v
        elif name == "negative":
            total -= 3 * v
    stack[0] = "q"
    found.sort()
    total += found.count("small") * x[0] + ("huge" in found) + ("big" in found) * x[1]
    return total + found.index("negative") * x[2] + (stack[0] == "q") * x[3] + (found[0] < "c")


def queue(x: Any) -> Any:
    """A queue of events that are tuples with texts."""
    events: list[Any] = []
    for i, v in enumerate(x):
        heapq.heappush(events, (v, "a" if v > 1 else "b", i))
    heapq.heappush(events, (x[0], "a", 9))
    total, k = 0.0, 0
    while events:
        v, kind, i = heapq.heappop(events)
        k += 1
        total += v * v * k if kind == "a" else -v * k * i
    return total


def keys(x: Any) -> Any:
    """Dicts whose keys are texts that data decide."""
    sums: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    signs: defaultdict[str, Any] = defaultdict(float)
    for v in x:
        key = "high" if v > 1 else "low"
        sums[key] = sums.get(key, 0.0) + v * v
        counts[key] += 1
        signs["+" if v > 0 else "-"] += v
    total = 0.0
    for key, n in counts.items():
        total += n * sums[key]
    for key in sorted(signs):
        total = total * 0.5 + signs[key]
    return total + sums["high"] * counts["low"] + signs["-"] * len(sums)


class Item(NamedTuple):
    name: str
    value: Any
    weight: Any

    @property
    def ratio(self) -> Any:
        return self.value / self.weight


@dataclass
class Body:
    mass: Any
    place: Any

    def __lt__(self, other: Any) -> Any:
        return self.place < other.place


def in_order(x: Any) -> Any:
    """Lists of records, objects, dicts and tuples by keys of the run."""
    items = [Item("a", x[0], x[1]), Item("b", x[3], 2.0), Item("c", x[4], x[5])]
    total = 0.0
    for k, item in enumerate(sorted(items, key=lambda one: one.ratio, reverse=True)):
        total += (k + 1) * item.value * (3.0 if item.name == "b" else 1.0)
    bodies = [Body(1.0, x[0]), Body(2.0, x[2]), Body(3.0, x[5]), Body(4.0, x[0])]
    for k, body in enumerate(sorted(bodies)):
        total += k * body.mass * body.place
    for k, body in enumerate(sorted(bodies, key=operator.attrgetter("mass"), reverse=True)):
        total += k * k * body.mass * body.place
    rows = [{"n": "p", "v": x[0]}, {"n": "q", "v": x[1]}, {"n": "r", "v": x[2]}]
    for k, row in enumerate(sorted(rows, key=operator.itemgetter("v"))):
        total += (k + 1) * row["v"] * (3.0 if row["n"] == "r" else 1.0)
    many = []
    for i, v in enumerate(x):
        many.append((i % 3, "u" if v > 0.8 else "d", v))
    first, last = sorted(many, key=operator.itemgetter(0), reverse=True), sorted(many)
    for k, (p, q) in enumerate(zip(first, last, strict=True)):
        total += k * p[2] - 0.3 * k * k * q[2] + (p[1] == "u") * p[2] * k
    many.sort(key=lambda one: (one[1], -one[2]))
    return total + many[1][2] * many[4][2]


def picked(x: Any) -> Any:
    """Texts at places that data say."""
    colours, total = ("red", "green", "blue"), 0.0
    for v in x:
        k = int(v > 1) + int(v > 0)
        colour, letter, other = colours[k], "aab"[k], ["p", "q", "r"][k - 1]
        total += v * (2 if colour == "green" else 1) * (3 if letter == "a" else -1)
        total += (other == "p") * v * v
    return total


def edited(x: Any) -> Any:
    """A table with as many rows as a text has letters."""
    one, other = "kitten", "sitting"
    table = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        table[i][0] = i * x[0]
    for j in range(len(other) + 1):
        table[0][j] = j * x[1]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            same = 0.0 if a == b else x[4]
            removed, added = table[i - 1][j] + x[0], table[i][j - 1] + x[1]
            table[i][j] = min(removed, added, table[i - 1][j - 1] + same)
    return table[-1][-1]


def composed(x: Any) -> Any:
    """Functions that functions make, decorators that remember, numbers in texts."""

    def compose(*functions: Any) -> Any:
        return functools.reduce(lambda f, g: lambda v: g(f(v)), functions)

    @functools.lru_cache(maxsize=64)
    def path(i: int, j: int) -> Any:
        before = []
        if i > 0:
            before.append(path(i - 1, j))
        if j > 0:
            before.append(path(i, j - 1))
        return x[i + j] ** 2 + (min(before) if before else 0.0)

    total = compose(math.sin, lambda v: v * x[1], math.exp)(x[0])
    for text in ("1.5", "", "none", "2"):
        try:
            total += float(text) * x[3]
        except ValueError:
            total += 0.1 * x[3] * x[3]
    return total + path(2, 2)


HEAVY = (pytest.param(f, marks=pytest.mark.slow) for f in (names, keys, edited))
PROGRAMS = (queue, in_order, picked, composed, *HEAVY)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f: Any) -> None:
    if f is not composed:  # sin and exp of the interpreter are NumPy's
        agree(f, X)
    assert rg.jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    slope = rg.grad(f)(X)
    for k in range(len(X)):
        h = np.zeros(len(X))
        h[k] = 1e-6
        assert slope[k] == pytest.approx((f(X + h) - f(X - h)) / 2e-6, rel=1e-5, abs=1e-6)
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), slope)


def as_an_array(x: Any) -> Any:
    found = []
    for v in x:
        found.append("a" if v > 0 else "b")
    return np.sum(np.array(found) == "a") * x[0]


def part_of_an_array(x: Any) -> Any:
    found = []
    for v in x:
        found.append("a" if v > 0 else "b")
    return np.sum(np.array(found)[1:] == "a") * x[0]


def written_after_it_was_sorted(x: Any) -> Any:
    bodies = [Body(1.0, x[0]), Body(2.0, x[2]), Body(3.0, x[5])]
    ordered = sorted(bodies)
    ordered[0].place = 10.0 * x[0]
    return sum(body.place * body.mass for body in bodies)


def test_objects_that_are_written_after_they_were_sorted() -> None:
    agree(written_after_it_was_sorted, X)


def test_an_array_of_the_texts_of_the_run() -> None:
    assert rg.jit(as_an_array)(X) == as_an_array(X)
    assert rg.grad(as_an_array)(X)[0] == np.sum(X > 0)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        rg.grad(part_of_an_array)(X)
    assert caught.value.span is not None
    assert caught.value.way_out
