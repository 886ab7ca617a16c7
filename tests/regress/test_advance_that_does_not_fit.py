"""Where a run did not fit at the end of its first leaf, the schedule went on though it was gone."""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.schedule.budget import BudgetPlanner
from tests.runtime.schedule.test_budget import Counting, Snapshot


@dataclass
class Tight(Counting):
    """There is no room once, where the first leaf ends."""

    failed: bool = False

    def advance(self, to: int, clean: bool = False) -> bool:
        assert not self.gone
        if not self.failed:
            self.load(None)
            self.failed = self.gone = True
            raise Exhausted
        return super().advance(to)


def test_the_run_is_put_back() -> None:
    machine = Tight(2_000, lambda k: 8, lambda k: 100)
    run: Run[Snapshot] = Run(machine, 4_000)
    run.follow(BudgetPlanner(4_000).schedule())
    assert machine.failed
    assert machine.reversed_to == 0
    assert run.peak <= 4_000
