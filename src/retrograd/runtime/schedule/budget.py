"""The schedule for a number of bytes, made while the run goes on (decisions/0011).

The run is recorded from its beginning. If it ends before the tape is full that was all. If not, it
goes on without recording and leaves snapshots behind, twice as far apart each time that there is no
room for more. Then it is reversed from its end: a stretch between two snapshots that fits on the
tape is recorded and taken back at once; in a longer one snapshots are taken where binomial
checkpointing takes them, for as many as there is room now. How much a step records is measured all
the time.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import ceil

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Advance,
    Drop,
    Load,
    Observation,
    Record,
    Reverse,
    Save,
    Schedule,
)
from retrograd.runtime.schedule.binomial import optimal_steps, split

__all__ = ["TooSmall", "budget_schedule"]

_FIRST = 4096
"""Steps that are recorded before anything is known."""

_LEAF = 1 << 20
"""Bytes of tape that are worth a leaf: to begin and end one takes as long as some of its work."""


class TooSmall(Exception):
    """No schedule is within the budget; `least` bytes are known to be needed."""

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least


Steps = Generator[Action, Observation, None]


def budget_schedule(budget: int) -> Schedule:
    """A schedule that never has more than so many bytes in arrays, snapshots and on the tape."""
    return _Planner(budget).schedule()


@dataclass(slots=True)
class _Planner:
    """`rate` is bytes of tape per step, `size` bytes of a snapshot, `seen` the last observation.

    `kept` are snapshots with their steps, the beginning first.
    """

    budget: int
    rate: float = 0.0
    size: int = 0
    live: int = 0
    seen: Observation = field(default_factory=lambda: Observation(0, False, 0, 0, 0))
    kept: list[tuple[int, int]] = field(default_factory=lambda: [(START, 0)])
    names: int = START

    def schedule(self) -> Schedule:
        yield from self.record_all()
        if not self.seen.ended:
            yield from self.go_ahead()
            yield from self.reverse_all()
        else:
            yield Reverse()

    def take(self, action: Action) -> Steps:
        """One action; what is seen then is kept."""
        self.seen = yield action
        self.live = max(self.live, self.seen.live)

    def reserve(self) -> int:
        """Bytes that are not for snapshots and tape: what lives forward and backward."""
        return 3 * self.live + 4096

    def free(self) -> int:
        """Bytes for more snapshots and the tape."""
        return self.budget - self.reserve() - self.seen.kept

    # The first pass.

    def record_all(self) -> Steps:
        """Records as long as there is room."""
        target = _FIRST
        while True:
            yield from self.take(Record(target))
            seen = self.seen
            if seen.full:
                yield from self.start_again()
                return
            self.rate = seen.tape / max(1, seen.step)
            room = self.free() - seen.tape
            if seen.ended or room <= 0:
                return
            more = 0.9 * room / self.rate if self.rate else float(seen.step)
            target = seen.step + max(1, int(min(more, seen.step)))

    def start_again(self) -> Steps:
        self.rate = max(self.rate, self.seen.tape / max(1, self.seen.step))
        yield from self.take(Load(START))

    def go_ahead(self) -> Steps:
        """Goes on to the end, with snapshots as close as there is room for."""
        apart = max(1, int(min(_LEAF, self.free() / 2) / max(self.rate, 1e-9)))
        while True:
            target = self.kept[-1][1] + apart
            yield from self.take(Advance(max(target, self.seen.step + 1)))
            if self.seen.full:
                yield from self.without_some()
                continue
            if self.seen.ended:
                return
            need = self.size or self.seen.live
            if self.free() - min(apart * self.rate, self.free() / 2) < need:
                if len(self.kept) < 3:
                    apart *= 2
                    continue
                apart = yield from self.thinned(apart)
                if self.seen.step < self.kept[-1][1] + apart:
                    continue
            yield from self.save()

    def save(self) -> Steps:
        before = self.seen.kept
        self.names += 1
        yield from self.take(Save(self.names))
        self.size = max(self.size, self.seen.kept - before)
        self.kept.append((self.names, self.seen.step))

    def thinned(self, apart: int) -> Generator[Action, Observation, int]:
        """Drops every second snapshot; how far those that are left are apart."""
        for name, _ in self.kept[1::2]:
            yield from self.take(Drop(name))
        self.kept = self.kept[::2]
        return 2 * apart

    def without_some(self) -> Steps:
        """The run did not fit beside the snapshots: there had better be fewer of them."""
        if len(self.kept) == 1:
            raise TooSmall(self.budget + 1)
        for name, _ in self.kept[2::2]:
            yield from self.take(Drop(name))
        self.kept = [self.kept[0], *self.kept[1::2]]
        if len(self.kept) == 2:
            yield from self.take(Drop(self.kept.pop()[0]))
        yield from self.take(Load(self.kept[-1][0]))

    # The way back.

    def reverse_all(self) -> Steps:
        """Reverses all stretches, the last first."""
        end = self.seen.step
        while self.kept:
            name, start = self.kept[-1]
            leaves, snapshots = self.plan(end - start)
            if leaves > 1 and snapshots:
                yield from self.take(Load(name))
                ahead = split(leaves, snapshots + 1)
                middle = start + max(1, (end - start) * ahead // leaves)
                yield from self.take(Advance(middle))
                if start < self.seen.step < end and not self.seen.full:
                    yield from self.save()
                    continue
            end = yield from self.leaf(name, start, end)

    def plan(self, length: int) -> tuple[int, int]:
        """Leaves of a stretch, and snapshots to be taken in it at a time, for the least work."""
        total = length * self.rate
        free = max(1, self.free())
        if total <= 0.9 * free:
            return 1, 0
        best = (float("inf"), 1, 0)
        count = 1
        size = max(1, self.size or self.live)
        while count * size < free:
            leaf = 0.9 * (free - count * size)
            leaves = max(2, ceil(total / max(1.0, leaf)))
            work = optimal_steps(leaves, count + 1) / leaves
            best = min(best, (work, leaves, count))
            count += max(1, count // 4)
        if best[2] == 0:
            raise TooSmall(self.budget + size)
        return best[1], best[2]

    def leaf(self, name: int, start: int, end: int) -> Generator[Action, Observation, int]:
        """Records and takes back one stretch; where the next one ends.

        Where it did not fit after all, more is expected of each step from now on.
        """
        yield from self.take(Load(name))
        yield from self.take(Record(end))
        if self.seen.full:
            if end - start <= 1:
                raise TooSmall(self.budget + 1)
            self.rate = max(2 * self.rate, 1.1 * self.free() / (end - start))
            return end
        self.rate = max(self.seen.tape / max(1, end - start), 0.8 * self.rate)
        yield from self.take(Reverse())
        if name != START:
            yield from self.take(Drop(name))
        self.kept.pop()
        return start
