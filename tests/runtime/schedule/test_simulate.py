"""Profiles are what the machine is like, and schedules do to them what they do to the machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrograd.runtime.schedule.actions import TooSmall
from retrograd.runtime.schedule.profile import Profile, Unfinished, probe
from retrograd.runtime.schedule.simulate import (
    TooLong,
    simulate,
    smallest_budget,
    whole_tape,
)
from tests.runtime.schedule.test_budget import Counting, follow

pytestmark = pytest.mark.thinned(2)

Rates = Callable[[int], int]

MACHINES: dict[str, tuple[int, Rates, Rates, int]] = {
    "uniform": (2_500, lambda k: 8, lambda k: 100, 50),
    "two halves": (2_500, lambda k: 2 if k < 1250 else 30, lambda k: 100 if k < 750 else 400, 90),
    "a tent": (1_500, lambda k: 16, lambda k: 40 + min(k, 1_500 - k), 100),
    "short": (3, lambda k: 5, lambda k: 10, 0),
    "nothing is recorded": (500, lambda k: 0, lambda k: 10, 0),
}


def made(name: str) -> Counting:
    length, rates, sizes, back = MACHINES[name]
    return Counting(length, rates, sizes, back)


def profile(name: str, whole: bool = True) -> Profile:
    return probe(made(name), 1 << 40, whole)


@pytest.mark.parametrize("name", MACHINES)
def test_a_profile_is_what_the_machine_is_like(name: str) -> None:
    length, rates, sizes, back = MACHINES[name]
    found = profile(name)
    assert found.length == length
    total = sum(map(rates, range(length)))
    assert found.tape.at(length) == pytest.approx(total, rel=0.01)
    half = length // 2
    assert found.tape.at(half) == pytest.approx(sum(map(rates, range(half))), rel=0.03, abs=5)
    assert found.live.at(half) == pytest.approx(sizes(half), rel=0.05)
    assert found.grains == (1,) * len(found.grains)
    assert found.back is not None
    assert found.back_at(half) == back


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["uniform", "two halves", "a tent"])
def test_a_simulation_does_what_is_done(name: str) -> None:
    found = profile(name)
    least = smallest_budget(found)
    for times in (1.5, 3, 10, 40):
        budget = int(times * least)
        run, guess = follow(made(name), budget), simulate(found, budget)
        assert run.leaves / 2 <= guess.leaves <= 2 * run.leaves
        assert guess.steps == pytest.approx(run.steps, rel=0.25)
        assert abs(guess.live_snapshots - run.most) <= max(1, run.most / 2)
        assert run.peak <= budget
        assert guess.peak <= budget


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", MACHINES)
def test_whole_tapes_and_smallest_budgets(name: str) -> None:
    found = profile(name)
    full = whole_tape(found)
    assert follow(made(name), full + full // 50).leaves == 1
    assert smallest_budget(found) <= 2 * full
    assert follow(made(name), 5 * smallest_budget(found) // 4).leaves > 0


def test_less_than_the_smallest_is_too_little() -> None:
    with pytest.raises(TooSmall):
        simulate(profile("two halves"), smallest_budget(profile("two halves")) // 4)


def test_without_reverse_work() -> None:
    machine = made("uniform")
    found = probe(machine, 1 << 40, whole=False)
    assert machine.reversed_to is None
    assert (found.back, found.back_at(77)) == (None, 200.0)


def test_patience() -> None:
    with pytest.raises(Unfinished):
        probe(made("uniform"), 1 << 40, patience=-1.0)
    with pytest.raises(TooLong):
        simulate(profile("uniform"), 2_000, patience=50)


def test_what_is_recorded_to_see_it_stays_small() -> None:
    """A quarter of the room, and a step."""
    assert profile_peak(10_000) <= 10_000 // 4 + 8 + 100


def profile_peak(room: int) -> int:
    peaks: list[int] = []

    class Watched(Counting):
        def measures(self) -> tuple[int, int, int, int]:
            found = super().measures()
            peaks.append(found[2])
            return found

    length, rates, sizes, back = MACHINES["uniform"]
    probe(Watched(length, rates, sizes, back), room, whole=False)
    return max(peaks)
