"""Runs a schedule on a machine: one action after the other, with exact byte counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

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
)

__all__ = ["Exhausted", "Machine", "Run", "Sized"]


class Exhausted(Exception):
    """A sweep came to the limit of its memory.

    The forward one is gone, and the reverse one too if it was that: it begins at the end again.
    """


class Sized(Protocol):
    """A snapshot."""

    @property
    def nbytes(self) -> int: ...


S = TypeVar("S", bound=Sized)

_PART = 1 << 12
"""Steps that are recorded at first before the clock is looked at."""


class Machine(Protocol[S]):
    """A derivative's forward and reverse sweep (`retrograd.backends.llvm.turns`)."""

    @property
    def step(self) -> int:
        """Steps that the forward run has done."""
        ...

    def limit(self, room: int) -> None:
        """Arrays, frames and tape may take so many bytes from now on."""
        ...

    def measures(self) -> tuple[int, int, int]:
        """Bytes on the tape, those in arrays and frames beside it, and the most of all since this
        was last asked."""
        ...

    def advance(self, to: int) -> bool: ...
    def record(self, to: int, most: int) -> bool: ...
    def save(self) -> S: ...
    def load(self, snapshot: S | None) -> None: ...
    def reverse(self) -> bool: ...


@dataclass(slots=True)
class Run(Generic[S]):
    """A schedule under way. `steps` counts all forward steps, `recorded` those with a tape;
    `furthest` is the last step there has been.

    `standing` is the snapshot that the forward run is at, None where it is anywhere else; `resting`
    is called wherever the schedule rests.
    """

    machine: Machine[S]
    budget: int
    snapshots: dict[int, S] = field(default_factory=dict[int, S])
    kept: int = 0
    peak: int = 0
    peak_tape: int = 0
    steps: int = 0
    recorded: int = 0
    leaves: int = 0
    taken: int = 0
    most: int = 0
    furthest: int = 0
    ended: bool = False
    standing: int | None = None
    listener: Callable[[Action, Observation], None] | None = None
    resting: Callable[[], None] | None = None

    def follow(self, schedule: Schedule) -> None:
        """Does what a schedule says, to its end."""
        action = next(schedule, None)
        seen = Observation(0, False, 0, 0, 0)
        while action is not None:
            if not isinstance(action, Rest):
                seen = self.do(action)
                if self.listener is not None:
                    self.listener(action, seen)
            elif self.resting is not None:
                self.resting()
            try:
                action = schedule.send(seen)
            except StopIteration:
                return

    def do(self, action: Action) -> Observation:
        """One action. Raises what the program raises."""
        machine, full = self.machine, False
        before, self.standing = machine.step, None
        machine.limit(self.budget - self.kept)
        try:
            match action:
                case Advance():
                    self.ended = machine.advance(action.to)
                case Record():
                    self.ended = self._recorded(action)
                case Save():
                    self._keep(action.number, machine.save())
                    self.standing = action.number
                case Load():
                    machine.load(None if action.number == START else self.snapshots[action.number])
                    self.ended, before = False, machine.step
                case Drop():
                    self.kept -= self.snapshots.pop(action.number).nbytes
                case Reverse():
                    self.leaves += 1
                    machine.reverse()
                case Rest():
                    pass
        except Exhausted:
            full = True
        tape, live, peak = machine.measures()
        self.peak = max(self.peak, peak + self.kept)
        step = machine.step
        if isinstance(action, Advance | Record):
            self.steps += step - before
            self.furthest = max(self.furthest, step)
        if isinstance(action, Record):
            self.recorded += step - before
            self.peak_tape = max(self.peak_tape, tape)
        return Observation(step, self.ended, tape, live, self.kept, full)

    def _recorded(self, action: Record) -> bool:
        """Records; where the time for it is limited, in parts."""
        machine = self.machine
        if action.seconds is None:
            return machine.record(action.to, action.most)
        late, part = time.perf_counter() + action.seconds, _PART
        while True:
            to, start = min(action.to, machine.step + part), time.perf_counter()
            ended, now = machine.record(to, action.most), time.perf_counter()
            if ended or machine.step < to or to == action.to or now >= late:
                return ended
            part *= 2 if now - start < action.seconds / 8 else 1

    def _keep(self, number: int, snapshot: S) -> None:
        self.snapshots[number] = snapshot
        self.kept += snapshot.nbytes
        self.taken += 1
        self.most = max(self.most, len(self.snapshots))
