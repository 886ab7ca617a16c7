"""The way back of a schedule for a number of bytes: stretches are reversed, the last first.

One that fits on the tape is recorded and taken back at once. In a longer one snapshots are taken
where binomial checkpointing takes them, for as many as takes the least time; where there are none
left its last leaf is recorded after the run has gone ahead over the others.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import ceil

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Advance,
    Drop,
    Load,
    Observation,
    Record,
    Rest,
    Reverse,
    TooSmall,
)
from retrograd.runtime.schedule.binomial import split
from retrograd.runtime.schedule.division import MANY
from retrograd.runtime.schedule.measured import END, Measured, Steps
from retrograd.runtime.schedule.segments import expected, place

__all__ = ["REST", "REVERSE", "Backward"]

REST, REVERSE = Rest(), Reverse()

_PATIENCE = 8
"""How often to try without the snapshots that there are before a budget is too small."""


@dataclass(slots=True)
class Backward(Measured):
    """What is left ends at `end`; `failed`: the last stretch did not fit. `pending` are leaves of
    the last stretch and snapshots for it, where it is being divided; `stuck` is how often all
    snapshots have been given up since something was taken back.

    `unit` is how many steps before an end there was a point, where there was none after that.
    """

    end: int = 0
    failed: bool = False
    stuck: int = 0
    unit: int = 0
    pending: tuple[int, int] | None = None

    def reverse_all(self, before: Steps) -> Steps:
        """Reverses all stretches, after what comes `before` that."""
        yield from before
        while self.kept:
            # The reverse sweep may need more than was expected while they were taken.
            if 0 < self.seen.kept > self.room() and len(self.kept) > 1:
                self.pending = None
                yield from self.thin()
                continue
            name, start, _ = self.kept[-1]
            leaves, snapshots = self.pending or self.plan(start, self.end)
            self.pending = None
            if self.failed:
                leaves, snapshots = max(2, leaves), max(snapshots, int(self.free() > self.size))
            if snapshots and (yield from self.divided(name, start, leaves, snapshots)):
                self.failed = False
                yield REST
                continue
            if self.failed:
                if len(self.kept) > 2:
                    yield from self.thin(but_last=True)
                elif self.tighter() or (len(self.kept) > 1 and self.stuck < _PATIENCE):
                    self.stuck += 1
                    for one in self.kept[1:]:
                        yield from self.drop(one)
                else:
                    raise TooSmall
                self.failed = False  # with more room it may fit
                continue
            self.failed = not (yield from self.leaf(name, start, leaves))

    def divided(
        self, name: int, start: int, leaves: int, snapshots: int
    ) -> Generator[Action, Observation, bool]:
        """Takes a snapshot in a stretch; False where there is no point for it.

        What is right of it is divided next, with the leaves and snapshots that are left. Where
        there was no room, but may be now, the same is to be tried again.
        """
        one_each = snapshots >= leaves - 1 and self.longest == END
        part = 1 if one_each else split(leaves, snapshots + 1)
        middle = self.first_leaf(start, leaves) if one_each else 0
        ahead = middle or start + max(1, (self.end - start) * part // leaves)
        at = yield from self.put_at(name, start, ahead, self.end, clean=True)
        if self.seen.learnt:
            return True
        if at == start or self.seen.full or self.seen.ended or not self.fits():
            return False
        self.saved((yield self.saving()))
        if self.early:  # what is left is longer than planned
            return True
        if leaves - part == 1:
            self.pending = 1, 0
        elif snapshots > 1:
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

    def last_leaf(self, start: int) -> int:
        """Where the last leaf of a stretch begins, as large as it can be."""
        total = expected(self.known, self.rate, start, self.end)
        first = total - max(1.0, 0.93 * self.fitting(self.free()))
        begin = place(self.known, self.rate, start, first) + 1 if first > 0 else start
        begin = min(max(begin, self.end - self.longest), self.end - self.unit)
        return self.after if begin < self.after < self.end else max(start, begin)

    def leaf(self, name: int, start: int, leaves: int) -> Generator[Action, Observation, bool]:
        """Records and takes back a stretch, or the last of several leaves of it, or its end.

        False where none of them was possible, and it is no use to try again. Where it did not fit,
        more is expected of each step from now on.
        """
        end = self.end
        begin = start
        if leaves > 1:
            begin = self.last_leaf(start)
            least = self.after if start < self.after <= begin else start + 1
            begin = yield from self.put_at(name, start, begin, end, least)
        elif self.standing != name:
            self.saw((yield Load(name)), name)
        if self.seen.full:
            return self.seen.learnt  # if so it may go well now
        limit = self.most()
        if self.has_fitted(begin, end):
            limit = max(limit, ceil(expected(self.known, self.rate, begin, end)))
        seen = yield Record(end, limit)
        self.saw(seen)
        if seen.learnt:
            seen = yield from self.record_again(name, start, begin, end, limit)
        if seen.full:
            self.known = [one for one in self.known if one[:2] != (begin, end)]
            self.more_over(end - begin)
            self.after, self.unit = begin + 1, min(self.unit, (end - begin) // 2)
            return self.later(start, begin)
        if seen.step < end and not seen.ended:
            self.knows(begin, (begin, seen.step, seen.tape))
            self.over = max(self.over, seen.tape - limit)
            self.rate = max(seen.tape / max(1, seen.step - begin), self.rate)
            self.after = seen.step
            return (yield from self.cut(end)) or self.later(start, begin)
        tape = self.seen.tape
        drop = self.taken_back(start, begin, (yield REVERSE))
        if drop is not None:
            self.saw((yield drop))
        if self.seen.full:
            yield from self.again(tape)
        elif self.kept:
            guessed = self.refused and self.back > self.proven
            if begin > start and leaves > 2 and not guessed:  # all others are leaves as before
                self.pending = leaves - 1, 0
            yield REST
        return True

    def later(self, start: int, begin: int) -> bool:
        """Whether a last leaf that did not fit will begin at a later step."""
        return begin > start and begin < self.last_leaf(start) < self.end

    def put_at(
        self, name: int, start: int, begin: int, end: int, least: int = 0, clean: bool = False
    ) -> Generator[Action, Observation, int]:
        """Puts the run so far behind a snapshot, and says where it is then: at the snapshot, where
        there is no point between that and the end. It is before `begin`, but not before `least`,
        where no point is later."""
        if self.standing != name:
            yield from self.go_to(name)
        begin = min(begin, end - 1)
        while start < begin and not self.seen.full:
            self.went_ahead((yield Advance(begin, clean)), begin)
            if start < self.seen.step < end or self.seen.full:
                return self.seen.step
            yield from self.go_to(name)
            if begin <= least or begin == start + 1:
                break
            self.unit = 2 * (end - begin)
            begin = max(start + 1, least, end - self.unit)
        return start

    def record_again(
        self, name: int, start: int, begin: int, end: int, most: int
    ) -> Generator[Action, Observation, Observation]:
        """Records what did not fit, but may now."""
        while self.seen.learnt:
            yield from self.put_at(name, start, begin, end)
            if not self.seen.full:
                self.saw((yield Record(end, most)))
        return self.seen

    def cut(self, end: int) -> Generator[Action, Observation, bool]:
        """Takes a snapshot where the tape is full, without the tape; whether there is room."""
        self.saw((yield Advance(self.seen.step)))
        if self.seen.full:
            yield from self.go_to(self.kept[-1].name)
            return False
        inside = self.kept[-1].step < self.seen.step < end
        if not inside or not self.fits():
            return False
        self.saved((yield self.saving()))
        yield REST
        return True

    def taken_back(self, start: int, begin: int, seen: Observation) -> Drop | None:
        """What has been recorded has been reversed; the snapshot where that began, if it did at
        one, is to be dropped."""
        end, tape = self.seen.step, self.seen.tape
        self.note_rate(begin)
        self.saw_back(seen)
        if seen.full:
            return None
        self.took_back(begin, end, tape)
        self.end, self.stuck = begin, 0
        self.knows(begin)
        if begin > start:
            return None
        name = self.kept.pop().name
        return None if name == START else Drop(name)

    def again(self, tape: int) -> Steps:
        """There was no room to reverse what was recorded: all is to be reversed again."""
        self.more_back(tape)
        self.end, self.after, self.done = self.last, 0, []
        while self.seen.kept > max(0, self.room() / 2) and len(self.kept) > 1:
            yield from self.thin()

    def more_over(self, steps: int) -> None:
        """A point recorded more than there was room for, within so many steps."""
        if self.over < self.live:
            self.over = max(1, 2 * self.over)
        else:
            rate = max(2 * self.rate, 1.1 * self.free() / max(1, steps))
            self.rate = min(rate, self.budget)

    def more_back(self, tape: int) -> None:
        """The reverse sweep has not had enough room beside so much tape."""
        room = self.room()
        alone = len(self.kept) == 1 and room <= 1
        if not self.seen.learnt:
            self.refused += 1
            more = max(self.back, self.live, 64)
            less = max(64, room // 2, self.most() - 3 * tape // 4)  # so that leaves are smaller
            self.back = max(self.back + less, more // 2) if self.tight else 2 * more
        room = self.room()
        if room > 0:
            return
        if not alone:  # a leaf as small as can be, beside nothing, may fit
            self.back += room - 1
        elif not (self.tighter() and self.room() > 0):
            raise TooSmall
