"""What waits in the reverse sweep was taken for as much as it had ever had, so that a snapshot of
the forward run was taken for less than it is: a run in 2148 bytes had 2168."""

from __future__ import annotations

from retrograd.runtime.schedule.actions import Observation
from retrograd.runtime.schedule.budget import BudgetPlanner


def seen(live: int, tape: int = 0, peak: int = 0) -> Observation:
    return Observation(500, False, tape, live, 0, peak=peak)


def planner(budget: int) -> BudgetPlanner:
    """A reverse sweep that has had 1000 bytes waits with 900; the forward run has 652."""
    made = BudgetPlanner(budget)
    made.saw(seen(400, tape=200))
    made.saw_back(seen(900, peak=1600))
    made.saw(seen(1552))
    return made


def test_a_snapshot_may_be_as_large_as_the_run() -> None:
    assert planner(2148).back == 1000
    assert not planner(2148).fits()
    assert planner(2400).fits()
