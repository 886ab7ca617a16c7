"""Iterators that run to their end where they are made: what they read may not change before use."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# ruff: noqa: RUF015, B905
X = np.array([0.7, -0.4, 0.9, 0.2])
Program = Callable[[Any], Any]


def live_list(x):
    items = [x[0], x[1]]
    it, back = iter(items), reversed(items)
    items[1] = 9.0
    return sum(it) - 2 * list(back)[0]


def live_pairs(x):
    items, y = [x[0], x[1], x[2]], x.copy()
    pairs, numbered, several = zip(items, items), enumerate(items), zip(y, y)
    items[1], y[1] = 9.0, 5.0
    total = 0.0
    for a, b in pairs:
        total += a * b
        items[2] = 4.0
    for k, a in numbered:
        total += k * a
    for a, b in several:
        total += a * b
    return total


def live_reversed(x):
    items, total = [x[0], x[1], x[2]], 0.0
    for a in reversed(items):
        total = 2 * total + a
        items[0] = 9.0
    return total


def into_others(x):
    out, more = np.zeros(4), []
    for k, v in enumerate(itertools.accumulate(x)):
        out[k] = v
        more.append(v * v)
    for a, b in itertools.pairwise(out):
        more.append(a * b)
    return sum(more) + sum(v * out[0] for v in itertools.chain(x, [1.0], out))


def run_to_its_end_first(x):
    y, total = x.copy(), 0.0
    for a in sorted(v * 2 for v in y):
        total = 2 * total + a
        y[0] = total
    for a in list(itertools.accumulate(y)):
        y[1] = a
    return total + y[0] * y[1]


class Held:
    def __init__(self, items):
        self.items = items


def inside_of_an_object(x):
    held = Held(itertools.chain(x, [1.0]))
    y = x.copy()
    y[0] = 2.0
    return sum(held.items) * y[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "f",
    [live_list, live_pairs, live_reversed, into_others, run_to_its_end_first, inside_of_an_object],
)
def test_as_python(f: Program) -> None:
    agree(f, X.copy())
    assert rg.check_grads(f, (X,), 1).ok


def chained(x):
    items = [x[0], x[1]]
    it = itertools.chain(items, [3.0])
    items.append(9.0)
    return sum(it)


def cumulated(x):
    items = [x[0], x[1]]
    it = itertools.accumulate(items)
    items[0] = 9.0
    return sum(it)


def sliced(x):
    y = x.copy()
    it = itertools.islice(y, 1, 3)
    y[1] = 9.0
    return sum(it)


def pairs(x):
    y = x.copy()
    it = itertools.pairwise(y)
    y[1] = 9.0
    return sum(a * b for a, b in it)


def by_a_function(x):
    y = x.copy()
    it = itertools.takewhile(lambda v: v < y[2], y)
    y[2] = -9.0
    return sum(it)


def by_a_captured_number(x):
    k = 2.0
    it = itertools.starmap(lambda a, b: a * b * k, [(x[0], 1.0)])
    k = 5.0
    return sum(it)


def on_one_path(x):
    y = x.copy()
    it = itertools.chain(y, [1.0])
    if x[0] > 0:
        y[0] = 2.0
    return sum(it)


def one_of_two(x):
    it = itertools.chain(x, [1.0]) if x[0] > 0 else itertools.chain(2 * x, [1.0])
    return sum(it)


def in_the_loop(x):
    y, total = x.copy(), 0.0
    for a in itertools.accumulate(y):
        total += a
        y[2] = 9.0
    return total


def of_a_generator(x):
    y, total = x.copy(), 0.0
    for k, a in enumerate(v * y[0] for v in y):
        total += k * a
        y[0] = total
    return total


def one_array_again(x):
    y, total = x.copy(), 0.0
    for a in itertools.repeat(y, 2):
        total += a[0]
        y[0] = 9.0
    return total


def in_a_callee(x):
    y = x.copy()

    def add(items):
        y[0] = 7.0
        return sum(items)

    return add(v * y[0] for v in y)


def in_a_callee_of_chained(x):
    y = x.copy()

    def add(items):
        y[0] = 7.0
        return sum(items)

    return add(itertools.chain(y, [1.0]))


def returned(x):
    y = x.copy()

    def both():
        return itertools.chain(y, [1.0])

    it = both()
    y[0] = 2.0
    return sum(it)


def rows_at_run_time(x):
    items = [x[0], x[1]]
    for k in range(int(5 * x[0])):
        items.append(x[k % 3])
    total = 0.0
    for v in reversed(items):
        total = 2 * total + v
        items[0] = 7.0
    return total


CHANGED = [
    chained, cumulated, sliced, pairs, by_a_function, by_a_captured_number, on_one_path, one_of_two,
    in_the_loop, of_a_generator, in_a_callee_of_chained, returned,
    rows_at_run_time,
]  # fmt: skip


@pytest.mark.parametrize("f", CHANGED)
def test_what_changes_before_it_is_used_is_refused(f: Program) -> None:
    with pytest.raises(UserError, match="RG0101") as caught:
        rg.jit(f)(X)
    assert "list(" in str(caught.value)


def test_a_generator_expression_begins_where_its_items_are_taken() -> None:
    assert rg.jit(in_a_callee)(X) == in_a_callee(X)


def test_one_array_again_may_not_be_written_meanwhile() -> None:
    with pytest.raises(UserError, match="RG0106"):
        rg.jit(one_array_again)(X)


def of_mappings(x):
    counts = Counter({"a": 2, "b": 3})
    more = Counter("aa", a=2)
    return counts["a"] * x[0] + counts["b"] * x[1] + more["a"] * x[2] + counts["none"]


def equal(x):
    found = defaultdict(float)
    found["a"] += x[0]
    one, two = deque([1, 2]), deque([1, 2])
    three = deque([1, 3])
    same = (found == {"a": x[0]}) + 2 * ({"a": x[0]} == found) + 4 * (found != {"a": x[1]})
    same += 8 * (one == two) + 16 * (one != three) + 32 * (one == [1, 2]) + 64 * ([1, 2] != one)
    same += 128 * (Counter("ab") == Counter({"a": 1, "b": 1, "c": 0}))
    return x[0] * (same + 256 * (Counter("ab") == {"a": 1, "b": 1, "c": 0}))


@pytest.mark.parametrize("f", [of_mappings, equal])
def test_containers_count_and_compare_as_pythons(f: Program) -> None:
    agree(f, X.copy())
