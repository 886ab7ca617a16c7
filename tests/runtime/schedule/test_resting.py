"""A schedule that is written where it rests, and read again, goes on as it would have."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograd.runtime.disk import Disk, OnDisk
from retrograd.runtime.execute import Run
from retrograd.runtime.schedule.actions import Action, Observation, Planner, TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner
from retrograd.runtime.schedule.trees import TreePlan, TreePlanner
from tests.runtime.schedule.test_budget import Counting, Snapshot

Reader = Callable[[dict[str, Any]], Planner]
Seen = list[tuple[Action, Observation]]


class Stopped(Exception):
    """The run is cut at a resting point."""


def watching(run: Run[Snapshot], into: Seen) -> None:
    def listener(action: Action, seen: Observation) -> None:
        into.append((action, seen))

    run.listener = listener


def cut_and_continued(
    planner: Planner,
    reader: Reader,
    machine: Counting,
    budget: int,
    rest: int,
    disk: Disk[Snapshot] | None = None,
) -> tuple[Seen, Run[Snapshot], bool]:
    """All actions of a run that is written at its `rest`-th resting point and gone on with by
    another planner; whether there was such a point."""
    actions: Seen = []
    run: Run[Snapshot] = Run(machine, budget, disk)
    watching(run, actions)
    rests = 0

    def resting() -> None:
        nonlocal rests
        rests += 1
        if rests == rest:
            raise Stopped

    run.resting = resting
    try:
        run.follow(planner.schedule())
    except Stopped:
        text = json.dumps(planner.written())
        before = json.dumps(reader(json.loads(text)).written())
        assert before == text
        # What is no part of the state: a forward run that is anywhere but at a snapshot.
        where = None if run.standing is None else run.snapshots[run.standing]
        assert not isinstance(where, OnDisk)
        assert where is None or machine.step == where.step
        machine.load(where)
        machine.gone = run.standing is None
        run.resting = None
        run.follow(reader(json.loads(text)).schedule())
        assert machine.reversed_to == 0
        return actions, run, True
    assert machine.reversed_to == 0
    return actions, run, False


def same_wherever_cut(
    planner: Callable[[], Planner], reader: Reader, machine: Callable[[], Counting], budget: int,
    stride: int, disk: Callable[[], Disk[Snapshot] | None] = lambda: None,
) -> int:  # fmt: skip
    """Cuts a run at every `stride`-th resting point; how many that were."""
    whole, run, _ = cut_and_continued(planner(), reader, machine(), budget, 0, disk())
    cuts = 0
    while True:
        found, other, cut = cut_and_continued(
            planner(), reader, machine(), budget, 1 + cuts * stride, disk()
        )
        assert found == whole
        assert (other.steps, other.leaves, other.peak) == (run.steps, run.leaves, run.peak)
        if not cut:
            return cuts
        cuts += 1


def test_every_resting_point() -> None:
    for budget in (2_500, 4_000, 10_000):
        cuts = same_wherever_cut(
            lambda: BudgetPlanner(budget), BudgetPlanner.read,
            lambda: Counting(2_000, lambda k: 8, lambda k: 100), budget, 1,
        )  # fmt: skip
        assert cuts > 1


@given(
    length=st.integers(1, 800),
    budget=st.integers(500, 60_000),
    rate=st.lists(st.integers(0, 60), min_size=1, max_size=7),
    size=st.lists(st.integers(1, 400), min_size=1, max_size=5),
    burst=st.integers(1, 700),
    back=st.integers(0, 500),
    stride=st.integers(60, 300),
)
@settings(max_examples=15, deadline=None)
def test_whatever_the_run_is_like(
    length: int, budget: int, rate: list[int], size: list[int], burst: int, back: int, stride: int
) -> None:
    def machine() -> Counting:
        return Counting(
            length, lambda k: rate[k // burst % len(rate)], lambda k: size[k // burst % len(size)],
            back,
        )  # fmt: skip

    with contextlib.suppress(TooSmall):
        same_wherever_cut(
            lambda: BudgetPlanner(budget), BudgetPlanner.read, machine, budget, stride
        )


@pytest.mark.parametrize("binomial", [True, False])
@pytest.mark.parametrize(("snapshots", "repeats"), [(4, None), (1, None), (None, 2), (None, None)])
def test_trees(snapshots: int | None, repeats: int | None, binomial: bool) -> None:
    cuts = same_wherever_cut(
        lambda: TreePlanner(TreePlan(snapshots, repeats, 3, binomial)), TreePlanner.read,
        lambda: Counting(150, lambda k: 1, lambda k: 10), 1 << 60, 1,
    )  # fmt: skip
    assert cuts >= (1 if snapshots == 1 and not binomial else 5)


def test_leaves_of_a_limited_time() -> None:
    """A tape that would fit is still taken back in leaves, so that there are resting points."""
    machine = Counting(400_000, lambda k: 8, lambda k: 100)
    run: Run[Snapshot] = Run(machine, 1 << 40)
    planner = BudgetPlanner(1 << 40, seconds=0.0)
    run.follow(planner.schedule())
    assert machine.reversed_to == 0
    assert run.leaves >= 400_000 // (2 * planner.longest)
    assert planner.longest == 1 + (1 << 12)
    assert run.steps <= 2 * 400_000 + planner.longest


@pytest.mark.parametrize("reader", [BudgetPlanner.read, TreePlanner.read])
def test_what_is_no_schedule(reader: Reader) -> None:
    good = (
        BudgetPlanner(5).written()
        if reader is BudgetPlanner.read
        else TreePlanner(TreePlan(1, None, 1, True)).written()
    )
    assert reader(good).written() == good
    first = next(iter(good))
    for bad in ({}, {**good, "more": 1}, {k: v for k, v in good.items() if k != first}):
        with pytest.raises(ValueError, match="other fields"):
            reader(bad)
