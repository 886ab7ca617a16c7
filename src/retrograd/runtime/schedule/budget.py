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
from typing import Any

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Advance,
    Drop,
    Observation,
    Record,
    Schedule,
    TooSmall,
)
from retrograd.runtime.schedule.backward import REST, REVERSE, Backward
from retrograd.runtime.schedule.levels import Taken, spare
from retrograd.runtime.schedule.measured import END, Steps
from retrograd.runtime.schedule.segments import Before, expected

__all__ = ["BudgetPlanner", "budget_schedule"]

_LEAF = 1 << 20
"""Bytes of tape that are worth a leaf: to begin and end one takes as long as some of its work."""


_VAIN = 2
"""So often less is recorded although what was recorded is not what took the room: frames on the
native stack are counted where a leg ends, so the same may go well another time."""

_SHARE = 4
"""Snapshots for each leaf in a gap: with fewer, leaves are advanced over more than once again."""


def budget_schedule(budget: int) -> Schedule:
    """A schedule that never has more than so many bytes in arrays, snapshots and on the tape.

    Raises:
        TooSmall: there is none.
    """
    return BudgetPlanner(budget).schedule()


@dataclass(slots=True)
class BudgetPlanner(Backward):
    """`stage` is "begin"; "foreseen" where the run is taken to be like one before and to end at
    `end`; "ahead" (the first pass, with snapshots `apart` steps from each other); or "back".
    """

    stage: str = "begin"
    apart: int = 1

    def schedule(self) -> Schedule:
        return self.reverse_all(self.until_back())

    def until_back(self) -> Steps:
        """What comes before the way back, where that is not at an end, too."""
        if self.stage == "begin":
            yield from self.record_all()
            self.last = self.seen.step
            self.known = [(0, self.last, self.seen.tape)]
            ended = self.seen.ended
            if ended:
                tape = self.seen.tape
                self.saw_back((yield REVERSE))
                if not self.seen.full:
                    self.took_back(0, self.last, tape)
                    self.kept.clear()
                    return
                self.more_back(tape)
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
            yield REST

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
            self.last, 0, tuple(reversed(self.done)), self.rate, self.size, self.live,
            self.proven or self.back, self.over, self.inner,
        )  # fmt: skip

    def foresee(self, before: Before) -> None:
        """The run may be like one before: with all of its tape, or with snapshots at once.

        Where there is a disk the first pass is as before: it is what moves snapshots there. Where
        that run would not have fitted this is another one, of smaller arrays.
        """
        if before.live + before.back + before.size >= self.budget:
            return
        self.size, self.live, self.back = before.size, before.live, before.back
        self.over, self.inner, self.rate = before.over, before.inner, before.rate
        known = list(before.stretches)
        if (
            not self.disk
            and len(known) > 1
            and expected(known, self.rate, 0, before.steps) > 0.95 * self.most()
        ):
            self.known, self.end, self.last = known, before.steps, before.steps
            self.stage = "foreseen"

    def as_foreseen(self) -> Steps:
        """Snapshots as if the length of the run were known, up to a leaf at its end.

        Where it is longer, the first pass goes on from there as any other.
        """
        while True:
            name, start, _ = self.kept[-1]
            leaves, snapshots = self.pending or self.plan(start, self.end)
            self.pending = None
            if not snapshots or not (yield from self.divided(name, start, leaves, snapshots)):
                break
            yield REST
        begin, recorded = start, not self.seen.ended
        if recorded:
            if leaves > 1:
                begin = max(start, self.last_leaf(start))
            begin = yield from self.put_at(name, start, begin, END)
            recorded = not self.seen.ended
        if recorded and not self.seen.full:
            most = self.most()
            self.saw((yield Record(END, most)))
            yield from self.record_again(name, start, begin, END, most)
        if self.seen.ended:
            self.end = self.last = self.seen.step
            self.stage = "back"
            if recorded:
                tape = self.seen.tape
                drop = self.taken_back(start, begin, (yield REVERSE))
                if drop is not None:
                    self.saw((yield drop))
                if self.seen.full:
                    yield from self.again(tape)
            return
        if self.seen.full:
            self.more_over(max(1, self.end - begin))
            yield from self.go_to(name)
            if self.seen.full:
                yield from self.without_some()
        else:
            self.knows(begin, (begin, self.seen.step, self.seen.tape))
            yield from self.cut(END)
        self.begin_ahead()

    def begin_ahead(self) -> None:
        """Snapshots at such distances that a leaf of a good size fits beside many of them."""
        apart = max(1, int(min(_LEAF, self.free() / 2) / max(self.rate, 1e-9)))
        first = self.known[0][1] if self.known else END
        self.apart = min(apart, max(1, first))
        self.stage = "ahead"

    # The first pass.

    def record_all(self) -> Steps:
        """Records until the tape has taken what is free, where that is not the whole run."""
        self.saw((yield Record(1, END)))
        yield from self.record_again(START, 0, 0, 1, END)
        first = self.seen.tape
        if self.seen.full:
            raise TooSmall
        most, vain = self.most(), 0
        while not self.seen.ended:
            self.saw((yield Record(END, most, self.seconds)))
            if not self.seen.full:
                self.over = max(first, self.seen.tape - most)
                if not self.seen.ended and self.seen.tape <= most:
                    self.longest = max(1, self.seen.step)
                break
            filled, less = self.seen.filled, most // 2
            if filled is not None:
                vain += most > 2 * filled
                less = less if vain < _VAIN else min(less, 2 * filled)
            if self.seen.learnt:
                most = self.most()
            elif most >= 16 and (less >= 16 or vain < _VAIN):
                most = less
            elif self.tighter():
                most = self.most()
            else:
                raise TooSmall
            yield from self.go_to(START)
        self.note_rate(0)

    def go_ahead(self) -> Steps:
        """Goes on to the end, with snapshots as close as there is room for."""
        while True:
            if self.seen.full:
                yield from self.without_some()
                self.apart *= 2
            ahead = max(self.kept[-1].step + self.apart, self.seen.step + 1)
            seen = yield Advance(ahead, clean=True)
            self.went_ahead(seen, ahead)
            if seen.full:
                continue
            if seen.ended:
                return
            level = yield from self.make_room()
            if level is not None:
                self.saved((yield self.saving()), level)
                yield REST

    def make_room(self) -> Generator[Action, Observation, int | None]:
        """Room for one more snapshot and a leaf; the level of that, None where it is too early."""
        level = 0
        while self.without_room():
            if self.disk and (yield from self.spill()):
                continue
            if len(self.kept) == 1:
                self.apart *= 2
            elif (found := spare(self.kept[1:])) is not None:
                self.saw((yield Drop(found.name)))
                self.kept.remove(found)
            elif self.coarser():
                yield from self.thin()
                self.apart *= 2
            else:
                level = self.kept[-1].level + 1
                yield from self.drop(self.kept[-1])
                continue
            if self.seen.step < self.kept[-1].step + self.apart:
                return None
        return level

    def coarser(self) -> bool:
        """Whether to go on with snapshots twice as far apart.

        While there are few leaves for each snapshot every leaf is advanced over once more at most.
        """
        if any(one.level for one in self.kept):
            return False
        leaves = max(1, len(self.kept) // _SHARE)
        return 2 * self.apart <= leaves * self.wanted_apart()

    def without_room(self) -> bool:
        """Whether there is none for a snapshot of the first pass and what a stretch has to have on
        the tape: it had better fit there, or have some snapshots in it later.
        """
        room = self.room()
        more = self.live if self.live < self.over else self.over
        wanted, half = 1.2 * self.apart * self.rate + 2 * more, room / 2
        leaf = wanted if wanted < half else half
        return room - self.seen.kept <= leaf + self.saved_size()

    def wanted_apart(self) -> int:
        """How far apart snapshots had better be if the run ended here: a leaf at most."""
        step = self.seen.step
        total = expected(self.known, self.rate, 0, step)
        leaves, _ = self.division(total, step, self.room())
        return min(step // leaves, self.longest)

    def without_some(self) -> Steps:
        """The run did not fit beside the snapshots: there had better be fewer of them."""
        if self.seen.learnt:
            while self.free() <= 0 and len(self.kept) > 1:
                yield from self.thin()
        elif len(self.kept) == 1:
            raise TooSmall
        else:
            self.live = max(self.live, self.budget - self.seen.kept + 1)
            yield from self.drop(self.kept[-1])
            yield from self.thin()
        yield from self.go_to(self.kept[-1].name)
        if self.seen.full:
            yield from self.without_some()
