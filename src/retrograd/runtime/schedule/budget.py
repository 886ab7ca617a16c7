"""The schedule for a number of bytes, made while the run goes on (decisions/0011).

The run is recorded from its beginning. If it ends before the tape is full that was all. If not, it
goes on without recording and leaves snapshots behind, twice as far apart each time that there is no
room for more. Then it is reversed from its end: a stretch between two snapshots that fits on the
tape is recorded and taken back at once; in a longer one snapshots are taken where binomial
checkpointing takes them, for as many as takes the least time. How much a step records is measured
all along. Where a stretch was taken to fit and did not, the place where the tape was full gets a
snapshot: so the way to there was not in vain, and what is left of it is known to fit.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass, fields
from math import ceil
from typing import Any

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Advance,
    Drop,
    Observation,
    Record,
    Rest,
    Reverse,
    Schedule,
    TooSmall,
)
from retrograd.runtime.schedule.binomial import split
from retrograd.runtime.schedule.levels import Taken, spare
from retrograd.runtime.schedule.measured import END, MANY, Measured, Steps
from retrograd.runtime.schedule.stretches import Before, expected, place

__all__ = ["BudgetPlanner", "budget_schedule"]

_LEAF = 1 << 20
"""Bytes of tape that are worth a leaf: to begin and end one takes as long as some of its work."""

_REST = Rest()

_SHARE = 8
"""Snapshots for each leaf in a gap: with fewer, leaves are advanced over more than once again."""


def budget_schedule(budget: int) -> Schedule:
    """A schedule that never has more than so many bytes in arrays, snapshots and on the tape.

    Raises:
        TooSmall: there is none.
    """
    return BudgetPlanner(budget).schedule()


@dataclass(slots=True)
class BudgetPlanner(Measured):
    """`stage` is "begin"; "foreseen" where the run is taken to be like one before and to end at
    `end`; "ahead" (the first pass, with snapshots `apart` steps from each other); or "back" (what
    is left ends at `end`; `failed`: the last stretch did not fit). `pending` are leaves of the last
    stretch and snapshots for it, where it is being divided.
    """

    stage: str = "begin"
    apart: int = 1
    end: int = 0
    failed: bool = False
    pending: tuple[int, int] | None = None

    def schedule(self) -> Schedule:
        if self.stage == "begin":
            yield from self.record_all()
            self.last = self.seen.step
            self.known = [(0, self.last, self.seen.tape)]
            ended = self.seen.ended
            if ended:
                tape = self.seen.tape
                self.saw_back((yield Reverse()))
                if not self.seen.full:
                    self.took_back(0, self.last, tape)
                    return
                self.more_back()
                yield from self.go_to(START)
            self.begin_ahead()
            if not ended:
                yield from self.cut(END)
        if self.stage == "foreseen":
            yield from self.as_foreseen()
        if self.stage == "ahead":
            yield from self.go_ahead()
            self.end = self.last = self.seen.step
            self.stage = "back"
            yield _REST
        yield from self.reverse_all()

    def written(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(given: dict[str, Any]) -> BudgetPlanner:
        """The planner that had been written. ValueError or TypeError where that is none."""
        if given.keys() != {f.name for f in fields(BudgetPlanner)}:
            raise ValueError("other fields than those of a schedule")
        made: dict[str, Any] = {
            "seen": Observation(*given["seen"]),
            "kept": [Taken(*map(int, one)) for one in given["kept"]],
        }
        if given["pending"] is not None:
            leaves, snapshots = map(int, given["pending"])
            made["pending"] = leaves, snapshots
        for name in ("known", "done"):
            made[name] = [(int(start), int(end), int(tape)) for start, end, tape in given[name]]
        return BudgetPlanner(**(given | made))

    # What is known from one call to the next.

    def learnt(self) -> Before:
        # Nobody asks for the next action after the last stretch has been reversed.
        self.took_back(self.kept[-1].step, self.seen.step, self.seen.tape)
        return Before(
            self.last, 0, tuple(reversed(self.done)), self.rate, self.size, self.live, self.back,
            self.over, self.inner,
        )  # fmt: skip

    def foresee(self, before: Before) -> None:
        """The run may be like one before: with all of its tape, or with snapshots at once."""
        self.size, self.live, self.back = before.size, before.live, before.back
        self.over, self.inner, self.rate = before.over, before.inner, before.rate
        known = list(before.stretches)
        if len(known) > 1 and expected(known, self.rate, 0, before.steps) > 0.95 * self.most():
            self.known, self.end, self.last = known, before.steps, before.steps
            self.stage = "foreseen"

    def as_foreseen(self) -> Steps:
        """Snapshots as if the length of the run were known, up to a leaf at its end.

        Where it is longer, the first pass goes on from there as any other.
        """
        while True:
            name, start, _ = self.kept[-1]
            leaves, snapshots = self.pending or self.plan(start, self.end)
            if not snapshots or not (yield from self.divided(name, start, leaves, snapshots)):
                break
            yield _REST
        recorded = not self.seen.ended
        if recorded:
            yield from self.go_to(name)
            if not self.seen.full:
                yield from self.record_from(name, END)
        if self.seen.ended:
            self.end = self.last = self.seen.step
            self.stage = "back"
            if recorded:
                yield from self.take_back(name, start)
            return
        if self.seen.full:
            self.more_over(max(1, self.end - start))
            yield from self.go_to(name)
            if self.seen.full:
                yield from self.without_some()
        else:
            self.knows(start, (start, self.seen.step, self.seen.tape))
            yield from self.cut(END)
        self.begin_ahead()

    def begin_ahead(self) -> None:
        """Snapshots at such distances that a leaf of a good size fits beside many of them."""
        apart = max(1, int(min(_LEAF, self.free() / 2) / max(self.rate, 1e-9)))
        first = self.known[0][1] if self.known else END
        self.apart = min(apart, max(1, first))
        self.stage = "ahead"

    def more_back(self) -> None:
        """The reverse sweep has not had enough room."""
        if not self.seen.learnt:
            self.back = 2 * max(self.back, self.live, 64)
        if self.room() <= 0:
            raise TooSmall(self.budget + 1)

    # The first pass.

    def record_all(self) -> Steps:
        """Records until the tape has taken what is free, where that is not the whole run."""
        yield from self.record_from(START, 1, END)
        first = self.seen.tape
        if self.seen.full:
            raise TooSmall(self.budget + 1)
        most = self.most()
        while not self.seen.ended:
            self.saw((yield Record(END, most, self.seconds)))
            if not self.seen.full:
                self.over = max(first, self.seen.tape - most)
                if not self.seen.ended and self.seen.tape <= most:
                    self.longest = max(1, self.seen.step)
                break
            if most < 16 and not self.seen.learnt:
                raise TooSmall(self.budget + 1)
            most = self.most() if self.seen.learnt else most // 2
            yield from self.go_to(START)
        self.note_rate(0)

    def record_from(self, name: int, end: int, most: int | None = None) -> Steps:
        """Records from a snapshot, where the run is; again where that is worth trying."""
        while True:
            self.saw((yield Record(end, self.most() if most is None else most)))
            if not self.seen.learnt:
                return
            yield from self.go_to(name)

    def cut(self, end: int) -> Generator[Action, Observation, bool]:
        """Takes a snapshot where the tape is full, without the tape; whether there is room."""
        self.saw((yield Advance(self.seen.step)))
        if self.seen.full:
            yield from self.go_to(self.kept[-1].name)
            return False
        inside = self.kept[-1].step < self.seen.step < end
        if not inside or not self.fits():
            return False
        yield from self.save()
        yield _REST
        return True

    def go_ahead(self) -> Steps:
        """Goes on to the end, with snapshots as close as there is room for."""
        while True:
            if self.seen.full:
                yield from self.without_some()
                self.apart *= 2
            ahead = max(self.kept[-1].step + self.apart, self.seen.step + 1)
            self.saw((yield Advance(ahead)))
            if self.seen.full:
                continue
            if self.seen.ended:
                return
            level = yield from self.make_room()
            if level is not None and self.fits():
                yield from self.save(level)
                yield _REST

    def make_room(self) -> Generator[Action, Observation, int | None]:
        """Room for one more snapshot and a leaf; the level of that, None where it is too early."""
        level = 0
        while self.free() < self.leaf_bytes() + (self.size or self.seen.live):
            if (yield from self.spill()):
                continue
            if len(self.kept) == 1:
                self.apart *= 2
            elif (found := spare(self.kept[1:])) is not None:
                yield from self.drop(found)
            elif self.coarser(wanted := self.wanted_apart()):
                yield from self.thin()
                self.apart *= 2
            elif self.apart > max(1.2 * wanted, 1):
                self.apart = max(1, wanted)
            else:
                level = self.kept[-1].level + 1
                yield from self.drop(self.kept[-1])
                continue
            if self.seen.step < self.kept[-1].step + self.apart:
                return None
        return level

    def coarser(self, wanted: int) -> bool:
        """Whether to go on with snapshots twice as far apart.

        While there are few leaves for each snapshot every leaf is advanced over once more at most.
        """
        leaves = max(1, len(self.kept) // _SHARE)
        return not self.kept[-1].level and 2 * self.apart <= leaves * wanted

    def leaf_bytes(self) -> float:
        """What a stretch of the first pass has to have on the tape.

        It had better fit there, or have some snapshots in it later.
        """
        return min(
            1.2 * self.apart * self.rate + min(2 * self.live, 2 * self.over), self.room() / 2
        )

    def wanted_apart(self) -> int:
        """How far apart snapshots had better be if the run ended here: a leaf at most."""
        leaves, _ = self.division(0, self.seen.step, self.room())
        return min(self.seen.step // leaves, self.longest)

    def without_some(self) -> Steps:
        """The run did not fit beside the snapshots: there had better be fewer of them."""
        if self.seen.learnt:
            while self.free() <= 0 and len(self.kept) > 1:
                yield from self.thin()
        elif len(self.kept) == 1:
            raise TooSmall(self.budget + 1)
        else:
            self.live = max(self.live, self.budget - self.seen.kept + 1)
            yield from self.drop(self.kept[-1])
            yield from self.thin()
        yield from self.go_to(self.kept[-1].name)
        if self.seen.full:
            yield from self.without_some()

    # The way back.

    def reverse_all(self) -> Steps:
        """Reverses all stretches, the last first."""
        while self.kept:
            # The reverse sweep may need more than was expected while they were taken.
            if len(self.kept) > 1 and self.seen.kept > max(0, self.room()):
                self.pending = None
                yield from self.thin()
                continue
            name, start, _ = self.kept[-1]
            leaves, snapshots = self.pending or self.plan(start, self.end)
            if self.failed:
                leaves, snapshots = max(2, leaves), max(snapshots, int(self.free() > self.size))
            if snapshots and (yield from self.divided(name, start, leaves, snapshots)):
                self.failed = False
                yield _REST
                continue
            if self.failed:
                if len(self.kept) < 3:
                    raise TooSmall(self.budget + 1)
                yield from self.thin(but_last=True)
                self.failed = False  # with more room it may fit
                continue
            self.failed = not (yield from self.leaf(name, start, self.end))
            if not self.failed and self.kept and self.end == start:
                yield _REST

    def divided(
        self, name: int, start: int, leaves: int, snapshots: int
    ) -> Generator[Action, Observation, bool]:
        """Takes a snapshot in a stretch; False where there is no point for it.

        What is right of it is divided next, with the leaves and snapshots that are left.
        """
        self.pending = None
        yield from self.go_to(name)
        if self.seen.full:
            return False
        one_each = snapshots >= leaves - 1 and self.longest == END
        part = 1 if one_each else split(leaves, snapshots + 1)
        middle = self.first_leaf(start, leaves) if one_each else 0
        ahead = middle or start + max(1, (self.end - start) * part // leaves)
        self.saw((yield Advance(ahead)))
        seen = self.seen
        if seen.full or seen.ended or not start < seen.step < self.end or not self.fits():
            return False
        yield from self.save()
        if leaves - part > 1 and snapshots > 1:
            self.pending = leaves - part, snapshots - 1
        return True

    def first_leaf(self, start: int, leaves: int) -> int:
        """Where the first leaf of a stretch ends, with a snapshot for each; 0 if that is not known.

        A few others are as large as they can be: what the last one records is not advanced over.
        """
        total = expected(self.known, self.rate, start, self.end)
        leaf = 0.93 * self.fitting(self.free() - (leaves - 1) * max(1, self.size or self.live))
        if leaves >= MANY:
            leaf = min(leaf, total / leaves)
        first = total - (leaves - 1) * leaf
        return place(self.known, self.rate, start, first) + 1 if first > 0 else 0

    def leaf(self, name: int, start: int, end: int) -> Generator[Action, Observation, bool]:
        """Records and takes back one stretch, or the end of it; whether either was possible.

        Where it did not fit, more is expected of each step from now on.
        """
        yield from self.go_to(name)
        if self.seen.full:
            return False
        limit = self.most()
        if self.has_fitted(start, end):
            limit = max(limit, ceil(expected(self.known, self.rate, start, end)))
        yield from self.record_from(name, end, limit)
        seen = self.seen
        if seen.full:
            self.known = [one for one in self.known if one[:2] != (start, end)]
            self.more_over(end - start)
            return False
        if seen.step < end and not seen.ended:
            self.knows(start, (start, seen.step, seen.tape))
            self.over = max(self.over, seen.tape - limit)
            self.rate = max(seen.tape / max(1, seen.step - start), self.rate)
            return (yield from self.cut(end))
        yield from self.take_back(name, start)
        return True

    def more_over(self, steps: int) -> None:
        """A point recorded more than there was room for, within so many steps."""
        if self.over < self.live:
            self.over = max(1, 2 * self.over)
        else:
            rate = max(2 * self.rate, 1.1 * self.free() / max(1, steps))
            self.rate = min(rate, self.budget)

    def take_back(self, name: int, start: int) -> Steps:
        """Reverses what has been recorded from a snapshot on, which is not needed any more.

        Where there is no room for that, all has to be reversed again.
        """
        end, tape = self.seen.step, self.seen.tape
        self.note_rate(start)
        self.saw_back((yield Reverse()))
        if self.seen.full:
            self.more_back()
            self.end, self.done = self.last, []
            while self.seen.kept > max(0, self.room() / 2) and len(self.kept) > 1:
                yield from self.thin()
            return
        self.took_back(start, end, tape)
        if name != START:
            self.saw((yield Drop(name)))
        self.kept.pop()
        self.end = start
        self.knows(start)
