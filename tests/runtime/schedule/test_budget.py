"""The schedule for a budget, followed by a machine that only counts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.schedule.actions import TooSmall
from retrograd.runtime.schedule.binomial import optimal_steps
from retrograd.runtime.schedule.budget import budget_schedule


@dataclass(frozen=True)
class Snapshot:
    step: int
    nbytes: int


@dataclass
class Counting:
    """A run of `length` points; `rates` are the bytes that each point records, `sizes` what lives.

    A snapshot takes one byte in `packed` of those. It stops after every `unit` steps. Nothing is
    calculated; what a schedule may not do is an error.
    """

    length: int
    rates: Callable[[int], int]
    sizes: Callable[[int], int]
    back: int = 0
    packed: int = 1
    step: int = 0
    ended: bool = False
    gone: bool = False
    start: int = 0
    tape: int = 0
    reversed_to: int | None = None
    room: int = 0
    most: int = 0
    moved: int = field(default=0)
    unit: int = 1

    @property
    def live(self) -> int:
        back = 0 if self.reversed_to is None else self.back
        return back + (0 if self.gone or self.ended else self.sizes(self.step))

    def limit(self, room: int) -> None:
        self.room = room

    def measures(self) -> tuple[int, int, int, int]:
        peak, self.most = max(self.most, self.live + self.tape), 0
        return self.tape, self.live, peak, peak

    def _go(self, to: int, recording: bool, most: int) -> bool:
        assert not self.gone
        assert not self.ended
        while self.step < self.length and (
            self.step % self.unit or (self.step < to and self.tape <= most)
        ):
            if recording:
                self.tape += self.rates(self.step)
            self.step += 1
            self.moved += 1
            total = self.tape + self.live
            if total > self.room:
                self.load(None)
                self.gone = True
                raise Exhausted
            self.most = max(self.most, total)
        self.ended = self.step == self.length
        return self.ended

    def advance(self, to: int, clean: bool = False) -> bool:
        self.tape = 0
        ended = self._go(to, False, 1 << 60)
        self.start = self.step
        return ended

    def record(self, to: int, most: int) -> bool:
        return self._go(to, True, most)

    def save(self) -> Snapshot:
        assert not self.gone
        assert not self.ended
        return Snapshot(self.step, self.sizes(self.step) // self.packed)

    def load(self, snapshot: Snapshot | None) -> None:
        self.step = self.start = 0 if snapshot is None else snapshot.step
        self.tape, self.ended, self.gone = 0, False, False
        if snapshot is not None and self.live > self.room:
            self.gone = True
            raise Exhausted

    def reverse(self) -> bool:
        """Only what is recorded up to where the last leaf began can be taken back."""
        assert not self.gone
        assert self.step == (self.length if self.reversed_to is None else self.reversed_to)
        assert self.tape == sum(map(self.rates, range(self.start, self.step)))
        self.reversed_to, self.tape, self.gone = self.start, 0, True
        if self.live > self.room:
            self.reversed_to = None
            raise Exhausted
        return self.reversed_to == 0


def follow(machine: Counting, budget: int) -> Run[Snapshot]:
    run: Run[Snapshot] = Run(machine, budget)
    run.follow(budget_schedule(budget))
    assert machine.reversed_to == 0
    assert run.peak <= budget
    return run


def test_a_tape_that_fits_costs_nothing() -> None:
    run = follow(Counting(10_000, lambda k: 8, lambda k: 100), 10**6)
    assert (run.steps, run.recorded, run.leaves, run.taken) == (10_000, 10_000, 1, 0)


@pytest.mark.parametrize("budget", [50_000, 20_000, 10_000, 5_000, 2_500])
def test_less_memory_takes_more_steps(budget: int) -> None:
    run = follow(Counting(10_000, lambda k: 8, lambda k: 100), budget)
    assert run.recorded < 3 * 10_000
    more = follow(Counting(10_000, lambda k: 8, lambda k: 100), 2 * budget)
    assert more.steps <= 1.15 * run.steps


def test_logarithmic_in_the_length() -> None:
    """Ten times the steps in the same memory: not ten times the work for each."""
    passes: list[float] = []
    for length in (10_000, 100_000):
        run = follow(Counting(length, lambda k: 8_000, lambda k: 100_000), 4_000_000)
        passes.append(run.steps / length)
        assert passes[-1] <= 1.3 * fewest_passes(length, 8_000, 100_000, 4_000_000)
    assert passes[1] < 2 * passes[0]


def fewest_passes(length: int, rate: int, size: int, budget: int) -> float:
    """Of binomial checkpointing that knows all: with snapshots and leaves of any number and size.

    Beside them there is room for what lives, and for as much again.
    """
    room, total = budget - 2 * size, length * rate
    leaves = [max(1, ceil(total / (room - count * size))) for count in range(1, room // size)]
    return min(optimal_steps(n, count + 2) / n for count, n in enumerate(leaves))


@given(
    length=st.integers(1, 3_000),
    budget=st.integers(500, 60_000),
    rate=st.lists(st.integers(0, 60), min_size=1, max_size=7),
    size=st.lists(st.integers(1, 400), min_size=1, max_size=5),
    burst=st.integers(1, 700),
    back=st.integers(0, 500),
    packed=st.integers(1, 3),
)
@settings(max_examples=80, deadline=None)
def test_whatever_the_run_is_like(
    length: int,
    budget: int,
    rate: list[int],
    size: list[int],
    burst: int,
    back: int,
    packed: int,
) -> None:
    """Steps that record nothing, or much; live bytes that jump. Refused, or within the budget."""
    machine = Counting(
        length,
        lambda k: rate[k // burst % len(rate)],
        lambda k: size[k // burst % len(size)],
        back,
        packed,
    )
    needed = 12 * (max(rate) + 2 * max(size) + back) + 200
    if budget > needed:
        assert follow(machine, budget).steps < 500 * (length + 10)
        return
    with contextlib.suppress(TooSmall):
        follow(machine, budget)


@given(
    units=st.integers(1, 80),
    unit=st.integers(1, 20),
    rate=st.integers(0, 100),
    size=st.integers(1, 1000),
    back=st.integers(0, 2),
    more=st.integers(0, 6000),
)
@settings(max_examples=200, deadline=None)
def test_room_for_few_states(
    units: int, unit: int, rate: int, size: int, back: int, more: int
) -> None:
    """Where a leaf has to be a unit, and there are few snapshots or none, it is found at once: it
    took thousands of passes to find it by recording one unit after another."""
    machine = Counting(units * unit, lambda k: rate, lambda k: size, back * size, unit=unit)
    budget = (2 + back) * size + unit * rate + more
    run = follow(machine, budget)
    assert run.steps <= (2 * units + 20) * machine.length
