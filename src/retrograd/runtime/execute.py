"""Runs a schedule on a machine: one action after the other, with exact byte counts."""

from __future__ import annotations

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
    Reverse,
    Save,
    Schedule,
)

__all__ = ["Exhausted", "Machine", "Run", "Sized"]


class Exhausted(Exception):
    """A sweep came to the limit of its memory.

    The forward one is gone, and the reverse one too if it was that: it begins at the end again.
    `inner` bytes had better be left free for inner derivatives. `learnt`: these will be done in
    another way from now on, so that what has failed may be tried again.
    """

    def __init__(self, inner: int = 0, learnt: bool = False) -> None:
        super().__init__(inner, learnt)
        self.inner, self.learnt = inner, learnt


class Sized(Protocol):
    """A snapshot."""

    @property
    def nbytes(self) -> int: ...


S = TypeVar("S", bound=Sized)


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
    """A schedule under way. `steps` counts all forward steps, `recorded` those with a tape, `inner`
    the inner derivatives that had schedules of their own."""

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
    inner: int = 0
    ended: bool = False
    reversed: bool = False
    listener: Callable[[Action, Observation], None] | None = None

    def follow(self, schedule: Schedule) -> None:
        """Does what a schedule says, to its end, or until the reverse sweep is at its own.

        The beginning of the run may have nothing to be reversed.
        """
        action = next(schedule, None)
        while action is not None:
            seen = self.do(action)
            if self.listener is not None:
                self.listener(action, seen)
            if self.reversed:
                return
            try:
                action = schedule.send(seen)
            except StopIteration:
                return

    def do(self, action: Action) -> Observation:
        """One action. Raises what the program raises."""
        machine, full = self.machine, None
        before = machine.step
        machine.limit(self.budget - self.kept)
        try:
            match action:
                case Advance():
                    self.ended = machine.advance(action.to)
                case Record():
                    self.ended = machine.record(action.to, action.most)
                case Save():
                    self._keep(action.number, machine.save())
                case Load():
                    machine.load(None if action.number == START else self.snapshots[action.number])
                    self.ended, before = False, machine.step
                case Drop():
                    self.kept -= self.snapshots.pop(action.number).nbytes
                case Reverse():
                    self.leaves += 1
                    self.reversed = machine.reverse()
        except Exhausted as error:
            full = error
        tape, live, peak = machine.measures()
        self.peak = max(self.peak, peak + self.kept)
        step = machine.step
        if isinstance(action, Advance | Record):
            self.steps += step - before
        if isinstance(action, Record):
            self.recorded += step - before
            self.peak_tape = max(self.peak_tape, tape)
        if full is None:
            return Observation(step, self.ended, tape, live, self.kept)
        return Observation(step, self.ended, tape, live, self.kept, True, full.inner, full.learnt)

    def _keep(self, number: int, snapshot: S) -> None:
        self.snapshots[number] = snapshot
        self.kept += snapshot.nbytes
        self.taken += 1
        self.most = max(self.most, len(self.snapshots))
