"""Tries schedules on the profile of a run, without the run.

The machine here knows where points are, what is recorded up to each and what lives there, as the
profile has it; so what a schedule does to it is nearly what it would do to the run.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil

from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.schedule.actions import Action, Observation, TooSmall
from retrograd.runtime.schedule.budget import budget_schedule
from retrograd.runtime.schedule.profile import Profile

__all__ = ["Outcome", "TooLong", "simulate", "smallest_budget", "whole_tape"]

_PATIENCE = 2_000
"""Actions after which a search does not look on: what is far too little is so early."""

_MOST = 1 << 60
"""More bytes than any machine has."""


class TooLong(Exception):
    """More actions than anybody wanted to wait for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a schedule would take.

    Attributes:
        seconds: how long.
        leaves: stretches that are recorded and taken back.
        snapshots: how many are taken.
        live_snapshots: how many there are at a time at most.
        steps: forward steps in all.
        peak: the most bytes at a time.
    """

    seconds: float
    leaves: int
    snapshots: int
    live_snapshots: int
    steps: int
    peak: int


@dataclass(frozen=True, slots=True)
class _Kept:
    """A snapshot of a run that is not there."""

    step: int
    nbytes: int


@dataclass(slots=True)
class _Counting:
    """A `Machine` that only counts; `seconds` is what all would have taken."""

    profile: Profile
    seconds: float = 0.0
    step: int = 0
    gone: bool = False
    start: int = 0
    tape: int = 0
    reversed_to: int | None = None
    room: int = 0
    most: int = 0

    @property
    def back(self) -> int:
        waits = self.reversed_to
        return 0 if waits is None else int(self.profile.back_at(waits))

    @property
    def live(self) -> int:
        return self.back + (0 if self.gone else int(self.profile.live.at(self.step)))

    def limit(self, room: int) -> None:
        self.room = room

    def measures(self) -> tuple[int, int, int, int]:
        peak, self.most = max(self.most, self.live + self.tape), 0
        return self.tape, self.live, peak, peak

    def stop(self, step: float) -> int:
        """The first point at which so many steps are done."""
        profile = self.profile
        if step >= profile.length:
            return profile.length
        piece = bisect_left(profile.ends, step)
        begin = profile.ends[piece - 1] if piece else 0
        grain = profile.grains[piece]
        return min(profile.length, begin + ceil((step - begin) / grain) * grain)

    def reach(self, to: int, recording: bool) -> None:
        """Whether there is room for all pieces on the way; Exhausted where there is not."""
        profile = self.profile
        piece = bisect_left(profile.ends, self.step + 1)
        back, base = self.back, profile.tape.at(self.start)
        while piece < len(profile.ends):
            end = min(to, profile.ends[piece])
            tape = int(profile.tape.at(end) - base) if recording else 0
            total = back + profile.peaks[piece] + tape
            self.most = max(self.most, min(total, self.room))
            if total > self.room:
                self.step, self.gone, self.tape = end, True, 0
                raise Exhausted
            if end >= to:
                return
            piece += 1

    def advance(self, to: int, clean: bool = False) -> bool:
        assert not self.gone
        end = self.stop(to) if to > self.step else self.step
        profile = self.profile
        self.tape = 0
        self.seconds += profile.turn + profile.ahead.at(end) - profile.ahead.at(self.step)
        self.reach(end, False)
        self.step = self.start = end
        return end == profile.length

    def record(self, to: int, most: int) -> bool:
        assert not self.gone
        profile = self.profile
        full = self.full(most)
        end = self.stop(min(max(to, self.step + 1), full))
        recording = profile.recording
        self.seconds += profile.turn + recording.at(end) - recording.at(self.step)
        self.reach(end, True)
        self.step = end
        self.tape = int(profile.tape.at(end) - profile.tape.at(self.start))
        return end == profile.length

    def full(self, most: int) -> float:
        """The step at which more than `most` bytes are recorded."""
        tape = self.profile.tape
        wanted = tape.at(self.start) + most + 1
        place = bisect_left(tape.values, wanted)
        if place == len(tape.values):
            return float(self.profile.length)
        if place == 0:
            return float(self.step + 1)
        low, high = tape.values[place - 1 : place + 1]
        first, last = tape.steps[place - 1 : place + 1]
        return max(self.step + 1.0, first + (last - first) * (wanted - low) / (high - low))

    def save(self) -> _Kept:
        size = int(self.profile.size.at(self.step))
        self.seconds += self.profile.turn + self.profile.copying * size
        return _Kept(self.step, size)

    def load(self, snapshot: _Kept | None) -> None:
        self.step = self.start = 0 if snapshot is None else snapshot.step
        self.tape, self.gone = 0, False
        size = 0 if snapshot is None else snapshot.nbytes
        self.seconds += self.profile.turn + self.profile.copying * size
        if self.live > self.room:
            self.gone = True
            raise Exhausted

    def reverse(self) -> bool:
        self.seconds += self.profile.turn + self.profile.back_seconds * self.tape
        profile, base = self.profile, self.profile.tape.at(self.start)
        first, last = (bisect_left(profile.ends, s) for s in (self.start + 1, self.step))
        ends = (self.start, *profile.ends[first:last], self.step)
        total = max(int(profile.unit_at(end) + profile.tape.at(end) - base) for end in ends)
        self.most = max(self.most, min(total, self.room))
        self.reversed_to, self.gone, self.tape = self.start, True, 0
        if total > self.room:
            self.reversed_to = None
            raise Exhausted
        return self.reversed_to == 0


@dataclass(slots=True)
class _Patience:
    left: int

    def see(self, action: Action, seen: Observation) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLong


def simulate(profile: Profile, budget: int, patience: int = 1 << 62) -> Outcome:
    """What the schedule for a budget would take.

    Raises:
        TooSmall: the budget is.
        TooLong: it would be more than `patience` actions.
    """
    machine = _Counting(profile)
    run: Run[_Kept] = Run(machine, budget, listener=_Patience(patience).see)
    run.follow(budget_schedule(budget))
    return Outcome(machine.seconds, run.leaves, run.taken, run.most, run.steps, run.peak)


def _does(profile: Profile, budget: int) -> bool:
    """Whether a budget is enough, as far as a search looks."""
    try:
        simulate(profile, budget, _PATIENCE)
    except TooSmall:
        return False
    except TooLong:
        pass
    return True


def smallest_budget(profile: Profile) -> int:
    """About the smallest budget from which on all are enough.

    A little more than what is enough can be too little again, where a wrong guess is made early.
    So it is one after which the next three, each a tenth larger, are enough, too.
    """
    low, high = 32, 64
    while high < _MOST and not _does(profile, high):
        low, high = high, 2 * high
    while high > 1.1 * low:
        middle = (low + high) // 2
        low, high = (low, middle) if _does(profile, middle) else (middle, high)
    enough = 1
    while enough < 4:
        high = int(high * 1.1) + 1
        enough = enough + 1 if _does(profile, high) else 0
    return int(high / 1.1**2)


def whole_tape(profile: Profile) -> int:
    """The smallest budget for which nothing is done again."""

    def whole(budget: int) -> bool:
        try:
            return simulate(profile, budget, 100).leaves == 1
        except (TooSmall, TooLong):
            return False

    high = 64
    while not whole(high):
        high *= 2
    low = high // 2
    while high - low > max(1, low // 256):
        middle = (low + high) // 2
        low, high = (low, middle) if whole(middle) else (middle, high)
    return int(1.01 * high)
