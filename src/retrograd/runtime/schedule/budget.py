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
from dataclasses import asdict, dataclass, field, fields
from math import ceil
from typing import Any

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
    Save,
    Schedule,
    Spill,
    TooSmall,
)
from retrograd.runtime.schedule.binomial import optimal_steps, split
from retrograd.runtime.schedule.levels import Taken, spare

__all__ = ["BudgetPlanner", "budget_schedule"]

END = 1 << 62
"""More steps than any run has."""

_LEAF = 1 << 20
"""Bytes of tape that are worth a leaf: to begin and end one takes as long as some of its work."""


_TURN = 1 << 19
"""Bytes that are recorded in the time that it takes to begin and end a leaf."""

_SHARE = 8
"""Snapshots for each leaf in a gap: with fewer, leaves are advanced over more than once again."""

_HEADER = 1 << 10
"""More bytes than a snapshot on the disk has besides its own."""


Steps = Generator[Action, Observation, None]


def budget_schedule(budget: int) -> Schedule:
    """A schedule that never has more than so many bytes in arrays, snapshots and on the tape.

    Raises:
        TooSmall: there is none.
    """
    return BudgetPlanner(budget).schedule()


@dataclass(slots=True)
class BudgetPlanner:
    """`rate` is bytes of tape per step, `size` bytes of a snapshot, `seen` the last observation.

    `kept` are snapshots with their steps, the beginning first; `live` is the most that the forward
    run had in arrays and frames, `back` the most that the reverse sweep had, and `inner` what inner
    derivatives had better have. `again`: the reverse sweep has to begin again.

    `stage` is "begin", "ahead" (the first pass, with snapshots `apart` steps from each other) or
    "back" (what is left ends at `end`, the whole run at `last`; `failed`: the last stretch did not
    fit). Where a leaf should take no more than `seconds`, none is longer than `longest` steps.

    `disk` is the most bytes for snapshots there; those with numbers up to `spilled` are there.

    `standing` is the snapshot that the run is at, `over` what is recorded beyond what is
    enough.

    `known` are stretches that have been recorded but not taken back: from, to, bytes of tape.
    """

    budget: int
    seconds: float | None = None
    longest: int = END
    stage: str = "begin"
    apart: int = 1
    end: int = 0
    last: int = 0
    failed: bool = False
    disk: int = 0
    spilled: int = START
    known: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    rate: float = 0.0
    size: int = 0
    live: int = 0
    over: int = END
    back: int = 0
    inner: int = 0
    seen: Observation = field(default_factory=lambda: Observation(0, False, 0, 0, 0))
    kept: list[Taken] = field(default_factory=lambda: [Taken(START, 0)])
    names: int = START
    standing: int | None = None
    again: bool = False

    def schedule(self) -> Schedule:
        if self.stage == "begin":
            yield from self.record_all()
            self.known = [(0, self.seen.step, self.seen.tape)]
            ended = self.seen.ended
            if ended:
                yield from self.take(Reverse())
                if not self.seen.full:
                    return
                self.more_back()
                yield from self.go_to(START)
            apart = max(1, int(min(_LEAF, self.free() / 2) / max(self.rate, 1e-9)))
            self.apart = min(apart, max(1, self.known[0][1]))
            self.stage = "ahead"
            if not ended:
                yield from self.cut(END)
        if self.stage == "ahead":
            yield from self.go_ahead()
            self.end = self.last = self.seen.step
            self.stage = "back"
            yield Rest()
        yield from self.reverse_all()

    def written(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(given: dict[str, Any]) -> BudgetPlanner:
        """The planner that had been written. ValueError or TypeError where that is none."""
        if given.keys() != {f.name for f in fields(BudgetPlanner)}:
            raise ValueError("other fields than those of a schedule")
        kept = [Taken(*map(int, one)) for one in given["kept"]]
        known = [(int(start), int(end), int(tape)) for start, end, tape in given["known"]]
        seen = Observation(**given["seen"])
        made: dict[str, Any] = {"seen": seen, "kept": kept, "known": known}
        return BudgetPlanner(**(given | made))

    def more_back(self) -> None:
        """The reverse sweep has not had enough room."""
        if not self.seen.learnt:
            self.back = 2 * max(self.back, self.live, 64)
        if self.room() <= 0:
            raise TooSmall(self.budget + 1)

    def take(self, action: Action) -> Steps:
        """One action; what is seen then is kept."""
        tape = self.seen.tape
        self.seen = yield action
        at = isinstance(action, Save | Load) and not self.seen.full
        self.standing = action.number if at else None
        self.inner = max(self.inner, self.seen.inner)
        if isinstance(action, Reverse):
            if not self.seen.full:
                self.back = max(self.back, self.seen.live, self.seen.peak - tape - self.live)
        else:
            self.live = max(self.live, self.seen.live - self.back)

    def go_to(self, name: int) -> Steps:
        """Puts the run where a snapshot was taken, if it is not there."""
        if self.standing != name:
            yield from self.take(Load(name))

    def free(self) -> int:
        """Bytes for more snapshots and the tape: what is left by forward run and reverse sweep.

        As long as nothing is known of the latter, it is taken to need twice as much as the former.
        """
        return self.room() - self.seen.kept

    def room(self) -> int:
        """Bytes for all snapshots and the tape.

        A snapshot that comes from the disk has to be read before it is put in place.
        """
        reading = self.size if len(self.kept) > 1 and self.kept[1].name <= self.spilled else 0
        return self.budget - self.live - (self.back or 2 * self.live) - self.inner - reading

    # The first pass.

    def record_all(self) -> Steps:
        """Records until the tape has taken what is free, where that is not the whole run."""
        yield from self.record_from(START, 1, END)
        first = self.seen.tape
        if self.seen.full:
            raise TooSmall(self.budget + 1)
        most = self.most()
        while not self.seen.ended:
            yield from self.take(Record(END, most, self.seconds))
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
            yield from self.take(Record(end, self.most() if most is None else most))
            if not self.seen.learnt:
                return
            yield from self.go_to(name)

    def most(self) -> int:
        """What may be recorded at once: a run stops at the next point, not before."""
        return max(1, int(self.fitting(self.free())))

    def fitting(self, free: float) -> float:
        """What may be recorded at once in so many bytes."""
        return 0.95 * free - min(2 * self.live, 2 * self.over)

    def note_rate(self, start: int) -> None:
        """What a step records, as seen in the last stretch."""
        rate = self.seen.tape / max(1, self.seen.step - start)
        self.rate = (rate + self.rate) / 2 if self.rate else rate

    def expected(self, start: int, end: int) -> tuple[float, bool]:
        """What a stretch will record, in bytes; whether it has been seen to."""
        total, left = 0.0, end - start
        for first, last, tape in self.known:
            shared = min(last, end) - max(first, start)
            if shared > 0:  # so that stretch is not empty
                total += tape * shared / (last - first)
                left -= shared
        return total + left * self.rate, (start, end) in ((f, t) for f, t, _ in self.known)

    def cut(self, end: int) -> Generator[Action, Observation, bool]:
        """Takes a snapshot where the tape is full, without the tape; whether there is room."""
        yield from self.take(Advance(self.seen.step))
        inside = self.kept[-1].step < self.seen.step < end
        if self.seen.full or not inside or not self.fits():
            return False
        yield from self.save()
        yield Rest()
        return True

    def go_ahead(self) -> Steps:
        """Goes on to the end, with snapshots as close as there is room for."""
        while True:
            ahead = max(self.kept[-1].step + self.apart, self.seen.step + 1)
            yield from self.take(Advance(ahead))
            if self.seen.full:
                yield from self.without_some()
                self.apart *= 2
                continue
            if self.seen.ended:
                return
            level = yield from self.make_room()
            if level is not None and self.fits():
                yield from self.save(level)
                yield Rest()

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

    def fits(self) -> bool:
        """Whether there is room for a snapshot of where the forward run is."""
        return self.free() > max(self.size, self.seen.live - self.back)

    def save(self, level: int = 0) -> Steps:
        before = self.seen.kept
        self.names += 1
        yield from self.take(Save(self.names))
        self.size = max(self.size, self.seen.kept - before)
        self.kept.append(Taken(self.names, self.seen.step, level))

    def spill(self) -> Generator[Action, Observation, bool]:
        """Moves the older half of the snapshots to the disk; whether there was room for any."""
        here = [one.name for one in self.kept[1:] if one.name > self.spilled]
        before = self.spilled
        for name in here[: (len(here) + 1) // 2]:
            if self.seen.disk + self.size + _HEADER > self.disk:
                break
            kept = self.seen.kept
            yield from self.take(Spill(name))
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
        yield from self.take(Drop(one.name))
        self.kept.remove(one)

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
                yield from self.thin()
                continue
            name, start, _ = self.kept[-1]
            leaves, snapshots = self.plan(start, self.end)
            if self.failed:
                leaves, snapshots = max(2, leaves), max(snapshots, int(self.free() > self.size))
            if (
                leaves > 1
                and snapshots
                and (yield from self.divided(name, start, leaves, snapshots))
            ):
                self.failed = False
                yield Rest()
                continue
            if self.failed:
                if len(self.kept) < 3:
                    raise TooSmall(self.budget + 1)
                yield from self.thin(but_last=True)
                self.failed = False  # with more room it may fit
                continue
            self.failed = not (yield from self.leaf(name, start, self.end))
            if self.again:
                self.again, self.end = False, self.last
                while self.seen.kept > max(0, self.room() / 2) and len(self.kept) > 1:
                    yield from self.thin()
            elif not self.failed and self.kept and self.end == start:
                yield Rest()

    def divided(
        self, name: int, start: int, leaves: int, snapshots: int
    ) -> Generator[Action, Observation, bool]:
        """Takes a snapshot in a stretch; False where there is no point for it."""
        yield from self.go_to(name)
        if self.seen.full:
            return False
        ahead = (self.end - start) * split(leaves, snapshots + 1) // leaves
        yield from self.take(Advance(start + max(1, ahead)))
        if not start < self.seen.step < self.end or self.seen.full or not self.fits():
            return False
        yield from self.save()
        return True

    def plan(self, start: int, end: int) -> tuple[int, int]:
        """Leaves of a stretch, and snapshots to be taken in it at a time, for the least work."""
        total, exact = self.expected(start, end)
        free = max(1, self.free())
        if total <= (0.95 * (free if exact else self.most())) and end - start <= 1.5 * self.longest:
            return 1, 0
        return self.division(start, end, free)

    def division(self, start: int, end: int, free: int) -> tuple[int, int]:
        """As `plan`, of a stretch that is too long for one leaf, with so many bytes."""
        total, _ = self.expected(start, end)
        least = ceil((end - start) / (1.5 * self.longest))
        best = (float("inf"), 1, 0)
        count = 1
        size = max(1, self.size or self.live)
        while count * size < free:
            leaf = 0.95 * self.fitting(free - count * size)
            leaves = max(2, least, ceil(total / max(1.0, leaf)))
            work = (optimal_steps(leaves, count + 1) / leaves - 1) * total + leaves * _TURN
            best = min(best, (work, leaves, count))
            count += max(1, count // 4)
        return best[1], best[2]

    def leaf(self, name: int, start: int, end: int) -> Generator[Action, Observation, bool]:
        """Records and takes back one stretch, or the end of it; whether either was possible.

        Where it did not fit, more is expected of each step from now on.
        """
        yield from self.go_to(name)
        if self.seen.full:
            return False
        total, exact = self.expected(start, end)
        limit = max(self.most(), ceil(total)) if exact else self.most()
        yield from self.record_from(name, end, limit)
        seen = self.seen
        if seen.full:
            self.known = [one for one in self.known if one[:2] != (start, end)]
            if self.over < self.live:
                self.over = max(1, 2 * self.over)
            else:
                self.rate = max(2 * self.rate, 1.1 * self.free() / (end - start))
            return False
        if seen.step < end and not seen.ended:
            self.known = [one for one in self.known if one[1] <= start]
            self.known.append((start, seen.step, seen.tape))
            self.over = max(self.over, seen.tape - limit)
            self.rate = max(seen.tape / max(1, seen.step - start), self.rate)
            return (yield from self.cut(end))
        self.note_rate(start)
        yield from self.take(Reverse())
        if self.seen.full:
            self.more_back()
            self.again = True
            return True
        if name != START:
            yield from self.take(Drop(name))
        self.kept.pop()
        self.end = start
        self.known = [one for one in self.known if one[1] <= start]
        return True
