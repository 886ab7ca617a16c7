"""Shares are true, and what is left is in proportion."""

from __future__ import annotations

import itertools

import pytest

from retrograd.runtime.execute import Run
from retrograd.runtime.progress import Progress
from retrograd.runtime.schedule.actions import Action, Observation, Record, Reverse, Schedule
from retrograd.runtime.schedule.budget import budget_schedule
from retrograd.runtime.schedule.trees import TreePlan, tree_schedule
from tests.runtime.schedule.test_budget import Counting, Snapshot

SCHEDULES = {
    "budget": lambda: budget_schedule(4_000),
    "large budget": lambda: budget_schedule(10**9),
    "fixed space": lambda: tree_schedule(TreePlan(4, None, 800, True)),
    "logarithmic": lambda: tree_schedule(TreePlan(None, None, 800, False)),
}


def followed(schedule: Schedule) -> tuple[list[float | None], list[int | None], int]:
    """The shares after each action, the steps that were left then, and the length."""
    machine = Counting(10_000, lambda k: 8, lambda k: 100)
    run: Run[Snapshot] = Run(machine, 1 << 60)
    progress, clock = Progress(), itertools.count()
    shares: list[float | None] = []
    reached: list[int | None] = []

    def see(action: Action, seen: Observation) -> None:
        progress.see(action, seen, float(next(clock)))
        shares.append(progress.share)
        reached.append(machine.reversed_to)

    run.listener = see
    run.follow(schedule)
    return shares, reached, machine.length


@pytest.mark.parametrize("name", SCHEDULES)
def test_shares_are_true(name: str) -> None:
    shares, reached, length = followed(SCHEDULES[name]())
    assert shares[-1] == 1.0
    known = [share for share in shares if share is not None]
    assert known == sorted(known)
    for share, left in zip(shares, reached, strict=True):
        if left is not None:
            assert share == pytest.approx(1.0 - left / length)


def test_nothing_is_known_in_the_first_pass() -> None:
    shares, _, _ = followed(SCHEDULES["fixed space"]())
    assert shares[0] is None
    assert Progress().remaining(1.0) is None


def test_what_is_left_is_in_proportion() -> None:
    progress = Progress()
    progress.see(Record(1 << 62, 1 << 62), Observation(1000, True, 8000, 0, 0), 10.0)
    assert (progress.share, progress.remaining(10.0)) == (0.0, None)
    progress.look(1000, 6000, back=True)
    assert progress.share == 0.25
    assert progress.remaining(14.0) == pytest.approx(12.0)
    progress.see(Reverse(), Observation(1000, True, 0, 0, 0), 26.0)
    assert progress.remaining(26.0) == 0.0


def test_an_inner_derivative_is_a_part_of_the_way() -> None:
    """Each takes a quarter off the tape when it begins; the last but one has two in a row there."""
    progress = Progress()
    progress.see(Record(1 << 62, 1 << 62), Observation(1000, True, 8000, 0, 0), 1.0)
    shares: list[float | None] = []
    for tape, within in ((6000, 0.0), (6000, 0.5), (6000, 1.0), (4000, 1.0), (2000, 0.0),
                         (2000, 0.8), (2000, 0.0), (2000, 1.0), (0, 0.25), (0, 1.0)):  # fmt: skip
        progress.look(1000, tape, True, within)
        shares.append(progress.share)
    assert shares == pytest.approx([0.0, 0.125, 0.25, 0.5, 0.5, 0.7, 0.75, 0.75, 0.8125, 1.0])


def test_a_reverse_sweep_that_begins_again() -> None:
    progress = Progress()
    progress.see(Record(1 << 62, 1 << 62), Observation(1000, True, 8000, 0, 0), 1.0)
    progress.see(Reverse(), Observation(1000, True, 0, 0, 0, full=True), 2.0)
    assert progress.share == 0.0


def test_the_way_ahead_is_seen_while_it_is_gone() -> None:
    progress = Progress()
    progress.look(123, 0, back=False)
    progress.look(456, 0, back=False)
    assert (progress.ahead, progress.share) == (456, None)
