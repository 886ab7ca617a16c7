"""Stretches that did not fit doubled what a step was taken to record, until it was no number."""

from __future__ import annotations

from retrograd.runtime.schedule.budget import BudgetPlanner


def test_many_stretches_that_do_not_fit() -> None:
    planner = BudgetPlanner(7_100)
    planner.live, planner.over, planner.size = 1_000, 1_356, 1_040
    for _ in range(2_000):
        planner.more_over(10)
    leaves, snapshots = planner.division(900 * planner.rate, 900, 1_636)
    assert leaves >= 900
    assert snapshots <= 1
