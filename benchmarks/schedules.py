"""How quickly a schedule says what to do next, on a machine that only counts, and its memory."""

from __future__ import annotations

import gc
import itertools
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.figures import Bounds, Figure
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
from retrograd.runtime.schedule.budget import budget_schedule
from retrograd.runtime.schedule.trees import TreePlan, tree_schedule

__all__ = ["Counting", "follow", "schedules"]

LIVE = 1000
"""Bytes in arrays and frames, and of a snapshot."""

RATE = 100
"""Bytes that a step records."""


@dataclass(slots=True)
class Counting:
    """A run of `length` steps that all cost the same; one observation for each action."""

    length: int
    step: int = 0
    start: int = 0
    back: int = 0
    kept: int = 0
    most: int = 0
    done: bool = False
    places: dict[int, int] | None = None

    def do(self, action: Action) -> Observation:
        """The action, without anything being done."""
        places = self.places
        if places is None:
            places = self.places = {START: 0}
        tape, live = 0, self.back + LIVE
        match action:
            case Advance():
                self.step = min(self.length, max(action.to, self.step + 1))
            case Record():
                most = self.start + action.most // RATE + 1
                self.step = min(self.length, action.to, most)
                tape = RATE * (self.step - self.start)
            case Save():
                places[action.number] = self.step
                self.kept += LIVE
                self.most = max(self.most, self.kept)
            case Load():
                self.step = self.start = places[action.number]
            case Drop():
                del places[action.number]
                self.kept -= LIVE
            case Reverse():
                self.back = live = LIVE
                self.done = self.start == 0
        if isinstance(action, Advance):
            self.start = self.step
        return Observation(self.step, self.step == self.length, tape, live, self.kept)


def follow(schedule: Schedule, machine: Counting, most: int) -> int:
    """Does what the schedule says, up to so many actions, and counts them."""
    do, send, count = machine.do, schedule.send, 0
    action = next(schedule, None)
    while action is not None and count < most and not machine.done:
        count += 1
        try:
            action = send(do(action))
        except StopIteration:
            break
    return count


def cases() -> Iterator[tuple[str, Callable[[], Schedule], int]]:
    """Runs of 80,000 leaves and more, so that there are very many actions."""
    yield "budget", lambda: budget_schedule(40 * LIVE), 8_000_000
    yield "binomial tree", lambda: tree_schedule(TreePlan(10, None, LIVE, True)), 800_000
    yield "bisection tree", lambda: tree_schedule(TreePlan(None, None, LIVE, False)), 800_000


def schedules(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Microseconds for each action without those of the machine, and the bytes of many actions."""
    most, repeats = (5000, 1) if quick else (200_000, 3)
    for subject, made, length in cases():
        samples = [sample(made, length, most) for _ in range(repeats)]
        count = samples[0][1]
        kind = "schedule_action"
        value = 1e6 * statistics.median(seconds for seconds, _ in samples)
        bar, note = bounds.bar(kind, subject), f"{count:,} actions"
        yield Figure(kind, subject, value, unit="us", bar=bar, note=note)
        kind, value = "schedule_bytes", peak_bytes(made, length, count) / 1e6
        yield Figure(kind, subject, value, unit="MB", bar=bounds.bar(kind, subject), note=note)


def sample(made: Callable[[], Schedule], length: int, most: int) -> tuple[float, int]:
    """Seconds for each of the first `most` actions, and how many there were.

    The machine's own time is taken off: that of the same actions without a schedule.
    """
    gc.collect()
    start = time.perf_counter()
    count = follow(made(), Counting(length), most)
    whole = time.perf_counter() - start
    kept = list(itertools.islice(actions(made(), Counting(length)), min(count, 10_000)))
    start = time.perf_counter()
    alone = follow(replayed(kept), Counting(length), most)
    return max(0.0, whole / count - (time.perf_counter() - start) / alone), count


def replayed(kept: Sequence[Action]) -> Schedule:
    """A schedule that is known already."""
    for action in kept:
        _ = yield action  # what that led to


def actions(schedule: Schedule, machine: Counting) -> Iterator[Action]:
    """The actions themselves."""
    action = next(schedule, None)
    while action is not None and not machine.done:
        yield action
        try:
            action = schedule.send(machine.do(action))
        except StopIteration:
            return


def peak_bytes(made: Callable[[], Schedule], length: int, most: int) -> int:
    """The most that Python's objects take at a time while a schedule is followed."""
    tracemalloc.start()
    try:
        follow(made(), Counting(length), most)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
