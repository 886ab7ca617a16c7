"""Loops in loops: a body that is run again, and that is as long as a run itself, in a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.api.killed import rows

pytestmark = pytest.mark.thinned(3)

X = np.array([0.5, -0.25, 1.0])


def counted(x, n, m):
    for _ in range(n):
        for _ in range(m):
            x = x + 0.001 * np.sin(x)
    return np.sum(x * x)


def unknown(x, n, m):
    """Inner loops of other lengths each time, found on the way."""
    i = 0
    while i < n:
        left = 1.0 + (i * 7919 % 5)
        while left > 0.0:
            x = x + 0.001 * np.sin(x)
            left -= 5.0 / m
        i += 1
    return np.sum(x * x)


def numbers(x, n, m):
    """No arrays but the one at the beginning, and a call in the body."""
    a, b = x[0], x[1]
    for _ in range(n):
        for _ in range(m):
            a, b = turned(a, b)
        b = b * 0.9
    return a * a + b


def turned(a, b):
    return a - 0.001 * math.sin(b), b + 0.001 * a


def weighted(x, n, m):
    """An array from outside gets its share from each inner iteration; three loops deep."""
    y = np.ones(3)
    for _ in range(2):
        for _ in range(n):
            for _ in range(m):
                y = y + 0.001 * np.sin(y * x)
            y = y * 0.5
    return np.sum(y * y)


def recurrent(x, n, m):
    """Weights from outside, of which there are more than of what the body begins with."""
    weights = np.outer(x, x)
    y = np.ones(3)
    for _ in range(n):
        for j in range(m):
            y = np.tanh(weights @ y) + 0.01 * j / m
        y = y * 0.9
    return np.sum(y)


def rows_in_rows(x, n, m):
    """A body that is not long in one that is."""
    y = x
    for _ in range(2):
        for _ in range(n):
            a = np.outer(y, x)
            for j in range(m):
                a[j % 3] = a[j % 3] + 0.001 * np.sin(a[j % 3] + a[(j + 1) % 3])
            y = y + 0.1 * a[0]
    return np.sum(y)


def early(x, n, m):
    """The inner loop is left in its middle."""
    for k in range(n):
        for j in range(2 * m):
            x = x + 0.001 * np.cos(x)
            if j > m + k:
                break
    return np.sum(x * x)


def failing(x, n, m):
    for k in range(n):
        for j in range(m):
            x = x + 0.001 * np.sin(x)
            if k == n - 1 and j == m - 7:
                x = x + x[j]
    return np.sum(x)


PROGRAMS = (counted, unknown, numbers, weighted, recurrent, rows, rows_in_rows, early)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize(("n", "m"), [(3, 4000), (60, 200)])
def test_the_bits_of_the_full_tape_in_less_than_a_body(
    f: Callable[..., Any], n: int, m: int
) -> None:
    full = rg.grad(f)
    want = full(X, n, m)
    stats = full.stats()
    assert stats is not None
    budget = max(4000, stats.peak_bytes // 20)
    limited = rg.grad(f, memory=budget)
    for _ in ("first", "second"):
        with rg.record() as run:
            found = limited(X, n, m)
        np.testing.assert_array_equal(found, want)
        assert run.peak_bytes <= budget


def test_a_body_has_a_schedule_of_its_own() -> None:
    """Two thousand states of a body of 640 kB, in 5 kB."""
    want = rg.grad(counted)(X, 5, 10_000)
    with rg.record() as run:
        found = rg.grad(counted, memory=5000)(X, 5, 10_000)
    np.testing.assert_array_equal(found, want)
    assert run.inner == 5
    assert run.peak_bytes <= 5000


def test_what_is_not_long_is_divided_where_nothing_else_is_enough() -> None:
    want = rg.grad(rows)(X, 5, 10_000)
    for budget, inner in (("4MB", 0), ("300kB", 5), ("8kB", 5)):
        with rg.record() as run:
            found = rg.grad(rows, memory=budget)(X, 5, 10_000)
        np.testing.assert_array_equal(found, want)
        assert run.inner == inner


def test_what_was_refused_once_is_not_tried_again() -> None:
    """But with smaller arguments."""
    limited = rg.grad(rows, memory="40kB")
    counts: list[tuple[int, int]] = []
    for size, m in ((4, 4000), (4, 4000), (3, 40)):
        with rg.record() as run:
            limited(np.linspace(0.0, 1.0, size), 5, m)
        counts.append((run.calls, run.inner))
    assert counts == [(2, 5), (1, 5), (1, 0)]


def test_with_room_enough_a_body_is_a_unit() -> None:
    with rg.record() as run:
        rg.grad(counted, memory="10MB")(X, 5, 10_000)
    assert (run.inner, run.leaves, run.recomputed_steps) == (0, 1, 0)


@pytest.mark.parametrize("way", [
    rg.checkpointing.fixed_space(3, leaf=600),
    rg.checkpointing.fixed_time(2, leaf=600),
    rg.checkpointing.logarithmic(leaf=600),
])  # fmt: skip
def test_by_trees(way: rg.Checkpointing) -> None:
    for f in PROGRAMS:
        want = rg.grad(f)(X, 40, 50)
        np.testing.assert_array_equal(rg.grad(f, checkpointing=way)(X, 40, 50), want)


PLAIN = rg.grad(counted)
CAPPED = rg.grad(counted, memory=30_000)


def test_a_gradient_of_a_gradient() -> None:
    want = rg.grad(lambda x: np.sum(PLAIN(x, 3, 500) * x))(X)
    capped = rg.grad(lambda x: np.sum(CAPPED(x, 3, 500) * x))
    outer = rg.grad(lambda x: np.sum(PLAIN(x, 3, 500) * x), memory=30_000)
    for found in (capped, outer):
        np.testing.assert_array_equal(found(X), want)


def test_errors_in_a_body_come_out() -> None:
    for memory in (None, 8000):
        with pytest.raises(IndexError, match="index 993 is out of bounds"):
            rg.grad(failing, memory=memory)(X, 3, 1000)


@pytest.mark.parametrize("f", [counted, rows])
def test_what_is_too_little_names_more(f: Callable[..., Any]) -> None:
    with pytest.raises(UserError, match=r"RG4004: 300 B are too little (.*\n)*.* is enough"):
        rg.grad(f, memory=300)(X, 3, 1000)


@pytest.mark.parametrize("f", [counted, rows])
def test_a_plan_divides_bodies_too(f: Callable[..., Any]) -> None:
    found = rg.plan(f, X, 5, 4_000)
    assert found.smallest < found.full // 4
    steps: list[int] = []
    want = rg.grad(f)(X, 5, 4_000)
    for row in (found.rows[0], found.rows[-1]):
        with rg.record() as run:
            slope = rg.grad(f, memory=row.budget)(X, 5, 4_000)
        np.testing.assert_array_equal(slope, want)
        assert run.peak_bytes <= row.budget
        steps.append(run.steps)
    assert steps[0] > steps[1]


@pytest.mark.parametrize("budget", [20_000, 60_000])
def test_calls_do_not_get_slower(budget: int) -> None:
    """What bodies take where there is room is not what they need: each call left them more."""
    limited, steps = rg.grad(counted, memory=budget), list[int]()
    for _ in range(5):
        with rg.record() as run:
            limited(np.linspace(0.1, 1.0, 64), 60, 500)
        assert run.inner >= 60
        assert run.peak_bytes <= budget
        steps.append(run.steps)
    assert max(steps[2:]) <= 1.1 * steps[1]
    assert steps[4] <= 2 * steps[0]
