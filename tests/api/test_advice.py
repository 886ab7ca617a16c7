"""Looking for a budget that is enough, with trials that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from retrograd.api.calls.advice import Look, Trial, looked
from retrograd.runtime.execute import Exhausted
from retrograd.runtime.metered import Meter, Metered, Stopped
from retrograd.runtime.schedule.actions import TooSmall

ENDLESS = 1 << 60


def needing(least: int, steps: int, tried: list[int]) -> Trial:
    """Trials of a run that needs so many bytes and does so many steps."""

    def trial(budget: int, meter: Meter) -> None:
        tried.append(budget)
        if budget < least:
            raise TooSmall
        meter.charge(steps, 0)

    return trial


@pytest.mark.parametrize("least", [21_000_000, 27_000_000, 45_000_000, 74_000_000])
def test_what_is_named_has_been_tried(least: int) -> None:
    tried = list[int]()
    found = looked(needing(least, 10, tried), 20_000_000, ENDLESS, 0).enough
    assert found is not None
    assert least <= found <= 80_000_000
    assert max(tried) <= 80_000_000
    assert found <= 1.5 * 20_000_000 or any(1.7 * one > found for one in tried if one < least)


def test_where_nothing_is_enough() -> None:
    tried = list[int]()
    assert looked(needing(90_000_000, 10, tried), 20_000_000, ENDLESS, 0) == Look(None, 80_000_000)
    assert looked(needing(90_000_000, 10, tried), 20_000_000, 10**7, 0) == Look(None, 0)
    assert looked(needing(900_000, 10, tried), 500, ENDLESS, 0).enough is not None
    assert len(tried) < 12


def test_where_it_takes_too_long() -> None:
    """As many steps as had been done, four times, or a second's."""
    tried = list[int]()
    found = looked(needing(10, 50_000_000, tried), 20_000_000, ENDLESS, 10_000_000)
    assert (found.enough, found.steps, len(tried)) == (None, 50_000_000, 1)


@pytest.mark.parametrize("growth", [0.0, 0.3, 1.0, 2.0])
def test_it_takes_as_long_as_some_runs_with_what_is_named(growth: float) -> None:
    """The less memory there is, the more steps a run takes."""
    took = list[int]()

    def steps(budget: int) -> int:
        return int(4_000_000 * (80_000_000 / budget) ** growth)

    def trial(budget: int, meter: Meter) -> None:
        left = steps(budget)
        while left > 0:  # as a metered run, in parts
            part = min(left, 100_000)
            left -= part
            took.append(part)
            meter.charge(part, 0)

    found = looked(trial, 20_000_000, ENDLESS, 10_000_000).enough
    assert found is not None
    assert sum(took) <= 5.2 * steps(found)
    assert found < 80_000_000 or growth > 1.0


def test_more_that_is_less_than_enough() -> None:
    """A schedule may find a budget too small that is a little larger than one that is enough."""

    def trial(budget: int, meter: Meter) -> None:
        if 380 < budget < 450 or budget < 350:
            raise TooSmall

    found = looked(trial, 300, 1000, 0).enough
    assert found is not None
    assert found >= 450


class Counting:
    """A machine of so many steps that has no room for more than `most`."""

    def __init__(self, length: int, most: int, arrays: int) -> None:
        self.length, self.most, self.arrays = length, most, arrays
        self.step = 0

    def limit(self, room: int) -> None: ...

    def measures(self) -> tuple[int, int, int, int]:
        return 0, 0, 0, 0

    def advance(self, to: int, clean: bool = False) -> bool:
        self.step = min(to, self.length)
        if self.step > self.most:
            raise Exhausted
        return self.step == self.length

    def record(self, to: int, most: int) -> bool:
        return self.advance(min(to, self.step + most))

    def save(self) -> NDArray[Any]:
        return np.zeros(0)

    def load(self, snapshot: NDArray[Any] | None) -> None:
        self.step = 0

    def reverse(self) -> bool:
        return True


def test_all_steps_are_charged() -> None:
    meter = Meter(10**6, 0)
    machine = Metered(Counting(1000, ENDLESS, 1 << 20), meter)
    assert not machine.advance(300)
    assert not machine.record(1 << 62, 2)
    assert machine.step < 1000
    assert machine.advance(1 << 62)
    assert meter.used == 1000
    machine.load(None)
    with pytest.raises(Stopped):
        Metered(Counting(ENDLESS, ENDLESS, 0), Meter(5000, 0)).advance(1 << 62)


def test_what_fails_is_charged_by_the_part() -> None:
    """How far it has come is not known, but where the part would have ended."""
    used: set[int] = set()
    for most in (600, 700):
        meter = Meter(10**6, 0)
        with pytest.raises(Exhausted):
            Metered(Counting(ENDLESS, most, 0), meter).advance(1 << 62)
        used.add(meter.used)
    assert used == {1023}
