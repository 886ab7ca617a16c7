"""What a schedule for a number of bytes knows of its run, and what it does with its snapshots.

`runtime/schedule/budget.py` says when.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import ceil

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Drop,
    Load,
    Observation,
    Save,
    Spill,
)
from retrograd.runtime.schedule.division import FITTING, division
from retrograd.runtime.schedule.levels import Taken
from retrograd.runtime.schedule.segments import Stretch, clip, expected

__all__ = ["END", "Measured", "Steps", "inner_share"]

END = 1 << 62
"""More steps than any run has."""

_HEADER = 1 << 10
"""More bytes than a snapshot on the disk has besides its own."""

_WORDS = 64
"""More bytes than the first snapshot may have that the run has not."""

_REFUSALS = 3
"""How often a guess may prove to be too little before it is not made smaller any more."""

_STRETCHES = 48
"""How finely is noted what a run records."""


def inner_share(free: int) -> int:
    """What inner derivatives may have of so many bytes, where they take all that they can get.

    Measured: loops in loops take as long with 0.5 to 0.85 of it, most often the least with this.
    """
    return 3 * free // 4


Steps = Generator[Action, Observation, None]


@dataclass(slots=True)
class Measured:
    """`rate` is bytes of tape per step, `size` bytes of a snapshot, `seen` the last observation.

    `kept` are snapshots with their steps, the beginning first; `live` is the most that the forward
    run had in arrays and frames, `back` the most that the reverse sweep had, `waits` what that has
    now, and `inner` what inner derivatives had better have. The whole run ends at `last`. `over` is
    what is recorded beyond what is enough. Where a leaf should take no more than `seconds`, none is
    longer than `longest` steps.

    `proven` is what the reverse sweep had for certain, where `back` may be a guess, and `words` the
    most bytes that a snapshot had beyond the run. In a `tight` schedule there are no more guesses:
    with them the budget was too small. `refused` is how often the reverse sweep had not enough.

    `disk` is the most bytes for snapshots there; those with numbers up to `spilled` are there.
    `standing` is the snapshot that the run is at. What begins before `after` does not fit beside
    the snapshots that there are. The run has been stopped `early`, where less lives than at most
    other points.

    `known` is what stretches will record that have not been taken back, `done` what those have that
    have been.
    """

    budget: int
    seconds: float | None = None
    longest: int = END
    disk: int = 0
    spilled: int = START
    last: int = 0
    known: list[Stretch] = field(default_factory=list[Stretch])
    done: list[Stretch] = field(default_factory=list[Stretch])
    rate: float = 0.0
    size: int = 0
    live: int = 0
    over: int = END
    back: int = 0
    proven: int = 0
    refused: int = 0
    tight: bool = False
    waits: int = 0
    words: int = _WORDS // 2
    inner: int = 0
    seen: Observation = field(default_factory=lambda: Observation(0, False, 0, 0, 0))
    kept: list[Taken] = field(default_factory=lambda: [Taken(START, 0)])
    names: int = START
    standing: int | None = None
    after: int = 0
    early: bool = False

    def saw(self, seen: Observation, standing: int | None = None) -> None:
        """What an action has led to, which is no Reverse; the run is at that snapshot now."""
        self.seen = seen
        if seen.full:
            self.standing = None
            self.inner = max(self.inner, seen.inner)
        else:
            self.standing = standing
        live = seen.live - self.back
        if live > self.live:
            self.live = live

    def went_ahead(self, seen: Observation, to: int) -> None:
        """What an Advance has led to that was to stop at a clean point: a run that was stopped
        early there has had more at a time on its way than lives now."""
        self.saw(seen)
        self.early = seen.step < to and not (seen.full or seen.ended)
        if self.early and seen.peak - self.waits > self.live:
            self.live = seen.peak - self.waits

    def saw_back(self, seen: Observation) -> None:
        """What a Reverse has led to."""
        tape = self.seen.tape
        self.seen, self.standing = seen, None
        if seen.inner > self.inner:
            self.inner = seen.inner
        self.waits = 0 if seen.full else seen.live
        if not seen.full:
            back = max(seen.live, seen.peak - tape - self.live)
            if back > self.back:
                self.back = back
            if back > self.proven:
                self.proven = back
            if 0 < self.refused <= _REFUSALS:
                self.guess_less(tape)

    def guess_less(self, tape: int) -> None:
        """What the reverse sweep needs was guessed: less, where there is little room beside it."""
        if self.back > self.proven and self.free() <= tape + 2 * self.size:
            self.back = (self.back + self.proven) // 2

    def go_to(self, name: int) -> Steps:
        """Puts the run where a snapshot was taken, if it is not there."""
        if self.standing != name:
            self.saw((yield Load(name)), name)

    def free(self) -> int:
        """Bytes for more snapshots and the tape: what is left by forward run and reverse sweep.

        As long as nothing is known of the latter, it is taken to need twice as much as the former,
        or half of what that leaves, if the schedule is not `tight`. What is asked with each action
        has it written out.
        """
        return self.room() - self.seen.kept

    def room(self) -> int:
        """Bytes for all snapshots and the tape.

        A snapshot that comes from the disk has to be read before it is put in place.
        """
        room = self.budget - self.live
        if self.back or self.tight:
            room -= self.back
        else:
            more = 2 * self.live
            room -= more if 2 * more <= room or room < 0 else room // 2
        if self.inner:
            room -= min(self.inner, inner_share(room))
        if self.spilled > START and len(self.kept) > 1 and self.kept[1].name <= self.spilled:
            room -= self.size
        return room

    def most(self) -> int:
        """What may be recorded at once: a run stops at the next point, not before."""
        most = self.fitting(self.room() - self.seen.kept)
        return int(most) if most > 1.0 else 1

    def fitting(self, free: float) -> float:
        """What may be recorded at once in so many bytes."""
        return FITTING * free - 2 * (self.live if self.live < self.over else self.over)

    def fits(self) -> bool:
        """Whether there is room for a snapshot of where the forward run is."""
        return self.room() - self.seen.kept > self.saved_size()

    def saved_size(self) -> int:
        """The most bytes that a snapshot of where the forward run is may have.

        What it has beyond the run grows with the depth of a recursion, as the run does.
        """
        size = self.seen.live - self.waits + 2 * self.words
        return size if self.tight or size > self.size else self.size

    def saving(self) -> Save:
        """To take a snapshot of where the run is; `saved` is told what that has led to."""
        self.names += 1
        return Save(self.names)

    def saved(self, seen: Observation, level: int = 0) -> None:
        name, before = self.names, self.seen
        size = seen.kept - before.kept
        words = size - before.live + self.waits
        if words > self.words:
            self.words = words
        self.saw(seen, name)
        if size > self.size:
            self.size = size
        elif self.early:
            self.size = (self.size + size) // 2
        self.kept.append(Taken(name, seen.step, level))

    def spill(self) -> Generator[Action, Observation, bool]:
        """Moves the older half of the snapshots to the disk; whether there was room for any."""
        here = [one.name for one in self.kept[1:] if one.name > self.spilled]
        before = self.spilled
        for name in here[: (len(here) + 1) // 2]:
            if self.seen.disk + self.size + _HEADER > self.disk:
                break
            kept = self.seen.kept
            self.saw((yield Spill(name)))
            if self.seen.kept == kept:  # the disk is full before the limit is reached
                self.disk = 0
                break
            self.spilled = name
        return self.spilled > before

    def thin(self, but_last: bool = False) -> Steps:
        """Drops every second snapshot, where there are three also without the last one.

        That at the end of the first stretch stays if it can: the stretch is known to fit.
        """
        end = -1 if but_last else None
        dropped = self.kept[2:end:2] or self.kept[1:end:2]
        for one in dropped:
            yield from self.drop(one)

    def drop(self, one: Taken) -> Steps:
        self.saw((yield Drop(one.name)))
        self.kept.remove(one)
        self.after = 0

    def tighter(self) -> bool:
        """Whether there is something left to try where a budget is too small: without guesses."""
        if self.tight:
            return False
        self.tight, self.back = True, self.proven
        return True

    def note_rate(self, start: int) -> None:
        """What a step records, as seen in the last stretch."""
        rate = self.seen.tape / (self.seen.step - start or 1)
        self.rate = (rate + self.rate) / 2 if self.rate else rate

    def knows(self, end: int, more: Stretch | None = None) -> None:
        """Nothing is left from a step on; `more` has been recorded, but not taken back."""
        clip(self.known, end)
        if more is not None:
            self.known.append(more)

    def took_back(self, start: int, end: int, tape: int) -> None:
        """A stretch has been reversed; `done` gets it as a part of one that is long enough."""
        done = self.done
        if done and (done[-1][1] - start) * _STRETCHES <= self.last:
            _, end, before = done.pop()
            tape += before
        done.append((start, end, tape))

    def plan(self, start: int, end: int) -> tuple[int, int]:
        """Leaves of a stretch, and snapshots to be taken in it at a time, for the least work."""
        total, free = expected(self.known, self.rate, start, end), self.room() - self.seen.kept
        most = free if self.has_fitted(start, end) else self.fitting(free)
        if total <= 0.95 * most and end - start <= 1.5 * self.longest:
            return 1, 0
        return self.division(total, end - start, max(1, free))

    def has_fitted(self, start: int, end: int) -> bool:
        """Whether just this stretch has been recorded before."""
        known = self.known
        if not known or known[-1][0] < start:  # most often it has not
            return False
        for first, last, _ in reversed(known):
            if last <= end:
                return first == start and last == end
        return False

    def division(self, total: float, steps: int, free: int) -> tuple[int, int]:
        """As `plan`, of a stretch that is too long for one leaf, with so many bytes."""
        least = 2 if self.longest == END else max(2, ceil(steps / (1.5 * self.longest)))
        over = self.live if self.live < self.over else self.over
        return division(total, least, free, self.size or self.live or 1, 2 * over)
