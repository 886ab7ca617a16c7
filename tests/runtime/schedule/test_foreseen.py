"""What one call teaches the next: fewer steps where the run is the same, right where it is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograd.runtime.execute import Run
from retrograd.runtime.schedule.actions import Planner, TooSmall
from retrograd.runtime.schedule.binomial import optimal_steps
from retrograd.runtime.schedule.budget import BudgetPlanner
from retrograd.runtime.schedule.segments import Before
from retrograd.runtime.schedule.trees import TreePlan, TreePlanner
from tests.runtime.schedule.test_budget import Counting, Snapshot, fewest_passes

pytestmark = pytest.mark.thinned(2)

ENDLESS = 1 << 60


def follow(
    planner: Planner, machine: Counting, budget: int, before: Before | None = None
) -> tuple[Run[Snapshot], Before]:
    run: Run[Snapshot] = Run(machine, budget)
    if before is not None:
        planner.foresee(before)
    run.follow(planner.schedule())
    assert machine.reversed_to == 0
    assert run.peak <= budget
    return run, planner.learnt()


def simple(length: int) -> Counting:
    return Counting(length, lambda k: 8, lambda k: 100)


@pytest.mark.parametrize("snapshots", [3, 6, 12])
@pytest.mark.parametrize("length", [300, 1_000, 4_321])
def test_the_fewest_steps_with_fixed_space(snapshots: int, length: int) -> None:
    """The first call counts steps; the next ones do those of binomial checkpointing, no more."""
    plan = TreePlan(snapshots, None, 8 * 10 - 1, True)
    first, before = follow(TreePlanner(plan), simple(length), ENDLESS)
    fewest = 10 * optimal_steps(ceil(length / 10), snapshots)
    for _ in range(2):
        run, before = follow(TreePlanner(plan), simple(length), ENDLESS, before)
        assert run.steps <= fewest
        assert run.steps <= first.steps - length
        assert run.most <= snapshots - 1


@pytest.mark.parametrize("share", [0.9, 0.6, 0.4, 0.2, 0.1])
def test_the_last_leaf_is_not_advanced_over(share: float) -> None:
    length = 20_000
    budget = int(share * 8_000 * length)

    def large() -> Counting:
        return Counting(length, lambda k: 8_000, lambda k: 100_000)

    first, before = follow(BudgetPlanner(budget), large(), budget)
    again, _ = follow(BudgetPlanner(budget), large(), budget, before)
    assert again.steps <= 1.06 * first.steps
    assert again.steps <= (2 - 0.75 * share) * length


@pytest.mark.parametrize("states", [8, 12, 24, 48])
@pytest.mark.parametrize("times", [30, 300])
def test_few_snapshots_for_a_long_run(states: int, times: int) -> None:
    """Memory for so many states, and a tape so many times what half of that has room for."""
    length, size = 10_000, 10**7
    budget = states * size
    rate = times * budget // 2 // length

    def long() -> Counting:
        return Counting(length, lambda k: rate, lambda k: size, size)

    first, before = follow(BudgetPlanner(budget), long(), budget)
    again, _ = follow(BudgetPlanner(budget), long(), budget, before)
    fewest = length * fewest_passes(length, rate, size, budget)
    assert first.steps <= 1.45 * fewest
    assert again.steps <= 1.12 * fewest


def test_a_tape_that_fits_is_recorded_at_once() -> None:
    _, before = follow(BudgetPlanner(10**6), simple(10_000), 10**6)
    run, _ = follow(BudgetPlanner(10**6), simple(10_000), 10**6, before)
    assert (run.steps, run.leaves, run.taken) == (10_000, 1, 0)


RATES = st.lists(st.integers(0, 60), min_size=1, max_size=7)


def machine(length: int, rate: list[int], burst: int, back: int) -> Counting:
    return Counting(length, lambda k: rate[k // burst % len(rate)], lambda k: 90, back)


@given(
    lengths=st.tuples(st.integers(1, 2_000), st.integers(1, 2_000)),
    budget=st.integers(700, 60_000),
    rates=st.tuples(RATES, RATES),
    burst=st.integers(1, 700),
    backs=st.tuples(st.integers(0, 500), st.integers(0, 500)),
)
@settings(max_examples=100, deadline=None)
def test_another_run_than_the_one_before(
    lengths: tuple[int, int], budget: int, rates: tuple[list[int], list[int]], burst: int,
    backs: tuple[int, int],
) -> None:  # fmt: skip
    both = [machine(n, r, burst, b) for n, r, b in zip(lengths, rates, backs, strict=True)]
    enough = budget > 12 * (60 + 2 * 90 + max(backs)) + 200
    with contextlib.nullcontext() if enough else contextlib.suppress(TooSmall):
        _, before = follow(BudgetPlanner(budget), both[0], budget)
        run, _ = follow(BudgetPlanner(budget), both[1], budget, before)
        # Where there is no room for a snapshot each leaf is advanced to from the beginning.
        most = 500 if enough else 500 + lengths[1] // 2
        assert run.steps < most * (lengths[1] + 10)


@given(
    lengths=st.tuples(st.integers(1, 500), st.integers(1, 500)),
    snapshots=st.one_of(st.none(), st.integers(1, 5)),
    repeats=st.one_of(st.none(), st.integers(1, 4)),
    binomial=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_another_run_by_a_tree(
    lengths: tuple[int, int], snapshots: int | None, repeats: int | None, binomial: bool
) -> None:
    plan = TreePlan(snapshots, None if snapshots else repeats, 79, binomial)
    _, before = follow(TreePlanner(plan), simple(lengths[0]), ENDLESS)
    run, _ = follow(TreePlanner(plan), simple(lengths[1]), ENDLESS, before)
    if snapshots is not None:
        assert run.most <= snapshots - 1


def test_what_is_learnt_is_of_the_whole_run() -> None:
    made: list[Callable[[], Planner]] = [lambda: BudgetPlanner(5_000), lambda: BudgetPlanner(10**6)]
    for planner in made:
        _, before = follow(planner(), simple(10_000), 10**6)
        assert before.steps == 10_000
        assert before.stretches[0][0] == 0
        assert [end for _, end, _ in before.stretches][:-1] == [
            start for start, _, _ in before.stretches[1:]
        ]
        assert before.stretches[-1][1] == 10_000
        assert sum(tape for *_, tape in before.stretches) == 80_000
        assert len(before.stretches) <= 2 * 48 + 1
