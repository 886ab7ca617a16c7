"""Checkpoint trees on a machine that only counts: legal, within their bounds, optimal in steps."""

from __future__ import annotations

import pytest

from retrograd.runtime.execute import Run
from retrograd.runtime.schedule.binomial import eta, optimal_steps, repeats
from retrograd.runtime.schedule.trees import TreePlan, bounds_of, tree_schedule
from tests.runtime.schedule.test_budget import Counting, Snapshot

ROOM = 1 << 60


def follow(plan: TreePlan, length: int) -> Run[Snapshot]:
    """Reverses a run of so many steps, each of which records a byte."""
    machine = Counting(length, lambda k: 1, lambda k: 10)
    run: Run[Snapshot] = Run(machine, ROOM)
    run.follow(tree_schedule(plan))
    assert machine.reversed_to == 0
    assert not run.snapshots
    return run


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("leaves", [2, 3, 10, 37, 100, 250])
def test_binomial_in_fixed_space_is_optimal(leaves: int, snapshots: int) -> None:
    run = follow(TreePlan(snapshots, None, 0, True), leaves)
    counting = leaves  # the first pass: a step that is recorded, then the rest
    assert run.steps - counting == optimal_steps(leaves, snapshots)
    assert run.leaves == leaves
    assert run.most <= snapshots - 1  # the beginning of the run is kept anyway


@pytest.mark.parametrize("times", [1, 2, 3, 4])
@pytest.mark.parametrize("leaves", [2, 10, 64, 200])
def test_binomial_in_fixed_time(leaves: int, times: int) -> None:
    plan = TreePlan(None, times, 0, True)
    bounds = bounds_of(plan, leaves)
    assert bounds.snapshots is not None
    assert eta(bounds.snapshots, times) >= leaves
    assert bounds.snapshots == 1 or eta(bounds.snapshots - 1, times) < leaves
    run = follow(plan, leaves)
    assert run.steps - leaves <= (times + 1) * leaves
    assert run.most <= bounds.snapshots - 1


def test_logarithmic_growth() -> None:
    for binomial in (False, True):
        plan = TreePlan(None, None, 0, binomial)
        short, long = follow(plan, 64), follow(plan, 4096)
        assert long.most <= 2 * short.most + 1
        assert long.steps / 4096 <= 2.2 * short.steps / 64
        assert short.leaves == 64


@pytest.mark.parametrize("snapshots", [1, 2, 4])
def test_bisection_with_too_few_snapshots_has_longer_leaves(snapshots: int) -> None:
    run = follow(TreePlan(snapshots, None, 0, False), 64)
    assert run.leaves == min(64, run.leaves)
    assert run.most <= snapshots - 1
    assert run.peak_tape == 64 >> (snapshots - 1)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_bisection_in_fixed_time(times: int) -> None:
    run = follow(TreePlan(None, times, 0, False), 64)
    assert run.steps - 64 <= (times + 1) * 64


def test_leaves_of_several_steps() -> None:
    run = follow(TreePlan(4, None, 9, True), 1000)
    assert run.leaves == 100
    assert run.steps - 1000 <= 1.02 * 10 * optimal_steps(100, 4)
    assert run.peak_tape == 10


def test_a_run_that_is_one_leaf() -> None:
    run = follow(TreePlan(4, None, 5000, True), 1000)
    assert (run.steps, run.leaves, run.taken) == (1000, 1, 0)


def test_any_two_give_the_third() -> None:
    for leaves in (5, 100, 1234):
        for d in (1, 2, 7):
            found = bounds_of(TreePlan(d, None, 1, True), leaves)
            assert found.repeats == repeats(leaves, d)
            back = bounds_of(TreePlan(None, found.repeats, 1, True), leaves)
            assert back.snapshots is not None
            assert back.snapshots <= d
