"""What is planned is what happens: leaves, snapshots and repeated steps, and enough memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from examples.plan_of_a_gradient import spread
from retrograd.api.calls.advice import rounded_up
from retrograd.errors import UserError
from retrograd.options.memory import shown
from tests.api.test_memory import CASES, hiked


def uniform(u, n):
    for _ in range(n):
        u = u + 0.1 * np.sin(u) * np.sum(u)
    return np.sum(u)


def varying(x, n):
    """Inner loops of 0 to 900 iterations."""
    y, k, seed = 0.0, 0, 12345
    while k < n:
        seed = (seed * 1103515245 + 12345) % 2147483648
        m = seed % 7 if k % 11 else seed % 900
        j = 0
        while j < m:
            y = y * 0.99 + math.sin(x * y + k * 1e-3)
            j += 1
        k += 1
    return y


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...], tuple[int, ...]]] = {
    "uniform": (
        uniform, (np.ones(1000) * 0.001, 300), (400_000, 700_000, 1_500_000, 3_000_000)
    ),
    "varying": (varying, (0.7, 800), (20_000, 60_000)),
    "hiked": (hiked, (0.8, 200), (140_000, 150_000, 400_000)),
}  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_come_true(name: str) -> None:
    fun, args, budgets = PROGRAMS[name]
    assert came_true(name, fun, args, budgets) == len(budgets)


@pytest.mark.slow
def test_plans_in_little_memory_come_true() -> None:
    assert came_true("varying", varying, (0.7, 3000), (17_000, 25_000)) == 2


def came_true(name: str, fun: Any, args: tuple[Any, ...], budgets: tuple[int, ...]) -> int:
    """The number of rows of a plan, each of which is what a run in that budget does."""
    plan = rg.plan(fun, *args, budgets=budgets)
    assert (plan.function, plan.refused, plan.slow) == (name, (), ())
    assert [row.budget for row in plan.rows] == list(budgets)
    for row in plan.rows:
        with rg.record() as run:
            rg.grad(fun, memory=row.budget)(*args)
        length = run.steps - run.recomputed_steps
        assert plan.steps == length
        # Where the tape is full decides how a run is divided: a little earlier or later matters.
        assert run.leaves / 2 <= row.leaves <= 2 * run.leaves
        assert run.snapshots / 2 <= row.snapshots <= 2 * run.snapshots
        assert run.live_snapshots / 2 <= row.live_snapshots <= 2 * run.live_snapshots
        assert row.recomputed == pytest.approx(run.recomputed_steps / length, rel=0.5)
        assert row.peak_bytes <= row.budget
        assert row.peak_bytes == pytest.approx(run.peak_bytes, rel=0.2)
        assert row.seconds > 0.0
    return len(plan.rows)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", CASES)
def test_what_is_said_to_be_enough_is(name: str) -> None:
    fun, args, _ = CASES[name]
    plan = rg.plan(fun, *args, budgets=[10**9])
    want = rg.grad(fun)(*args)
    for budget in (plan.smallest, plan.full):
        with rg.record() as run:
            np.testing.assert_array_equal(rg.grad(fun, memory=budget)(*args), want)
    assert run.leaves <= 2
    assert plan.rows[-1].leaves == 1


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", CASES)
def test_a_refusal_names_what_is_enough(name: str) -> None:
    fun, args, _ = CASES[name]
    with pytest.raises(UserError, match="RG4004") as caught:
        rg.grad(fun, memory=300)(*args)
    assert caught.value.way_out is not None
    named = caught.value.way_out.removeprefix("give it more: ").removesuffix(" is enough")
    np.testing.assert_array_equal(rg.grad(fun, memory=named)(*args), rg.grad(fun)(*args))


def test_no_refusal_after_a_refusal() -> None:
    """Where the reverse sweep needs more than can be guessed."""
    named = refused(300)
    assert named is not None
    assert rg.grad(varying, memory=named)(0.7, 3000) == rg.grad(varying)(0.7, 3000)


def refused(budget: int) -> str | None:
    """What is named instead of a budget, None where it is enough."""
    try:
        rg.grad(varying, memory=budget)(0.7, 3000)
    except UserError as error:
        return str(error.way_out).removeprefix("give it more: ").removesuffix(" is enough")
    return None


def test_a_run_that_is_too_long_for_an_answer() -> None:
    """A refusal comes soon, even if the run would take hours."""

    def endless(u, n):
        for _ in range(n):
            u = u + 0.1 * np.sin(u)
        return np.sum(u)

    said = "(?s)RG4004.*more: 1 MB was not refused in the first .* steps; rg.plan"
    with pytest.raises(UserError, match=said):
        rg.grad(endless, memory=500)(np.ones(100), 10**11)


def test_exceptions_of_the_program_come_as_ever() -> None:
    def late(x, n):
        a = np.zeros(50)
        for k in range(n):
            a[k] = x * k
        return np.sum(a)

    with pytest.raises(IndexError, match="index 50 is out of bounds"):
        rg.plan(late, 1.0, 60)


def test_arguments_are_as_they_were() -> None:
    fun, args, _ = CASES["rotated"]
    before = args[0].copy()
    rg.plan(fun, *args)
    np.testing.assert_array_equal(args[0], before)


def test_budgets_are_as_for_memory() -> None:
    plan = rg.plan(uniform, np.ones(10), 20, budgets=["1MB", 10**6, "1GB"])
    assert [row.budget for row in plan.rows] == [10**6, 10**9]
    for one in ("1MB", np.int64(10**6)):
        alone = rg.plan(uniform, np.ones(10), 20, budgets=one)  # pyright: ignore[reportArgumentType]
        assert [row.budget for row in alone.rows] == [10**6]
    for wrong in (["big"], [0], [None], b"1MB"):
        with pytest.raises(UserError, match="RG4003"):
            rg.plan(uniform, np.ones(10), 20, budgets=wrong)  # pyright: ignore


def test_the_smallest_that_is_named_is_enough_for_the_table() -> None:
    """29 kB were "enough" above the table, and "too little" below it."""
    plan = rg.plan(spread, 0.1, np.sin(np.arange(500.0)), steps=2000)
    assert plan.refused == ()
    assert plan.rows[0].budget == plan.smallest
    text = str(plan)
    assert text.startswith("Gradient of spread")
    assert all(shown(row.budget) in text for row in plan.rows)


def test_more_than_the_machine_has() -> None:
    def huge(x, n):
        a = np.ones(n) * x
        for _ in range(1000):
            a = a * 0.5
        return np.sum(a)

    with pytest.raises(UserError, match="RG4008"):
        rg.plan(huge, 1.0, 10**13)


def test_rounded_up() -> None:
    for size in (1, 9, 10, 99, 100, 101, 12_345, 10**9 + 1):
        assert size <= rounded_up(size) <= 1.1 * size
