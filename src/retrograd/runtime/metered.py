"""Runs that are ended after a given amount of work, whatever the load of the computer.

Work is counted: forward steps, and how many bytes of arrays live at each. Where an action fails it
is not known how far it has come, so it is done in parts, and all of a part is charged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from retrograd.runtime.execute import Exhausted, Machine, Sized

__all__ = ["Meter", "Metered", "Stopped"]

S = TypeVar("S", bound=Sized)

_STEP = 1 << 8
"""Bytes that a step is taken to touch besides arrays."""

_PART = 1 << 24
"""The work of a part, of which no more is known until it has been done."""


class Stopped(Exception):
    """All work that is allowed has been done."""


@dataclass(slots=True)
class Meter:
    """What is left: so many forward steps or, where that is more, so many bytes of work, which is
    the sum over all steps of what arrays take. `used` are the steps so far, `leg` is how many steps
    native code does at a time, and `first` how many are done before the first look.

    Loops record in chunks that end with a leg at the latest, so short ones are more exact."""

    steps: int
    work: int
    used: int = 0
    leg: int = 1 << 14
    first: int = 1

    def part(self, arrays: int) -> int:
        """How many steps to do before the next look."""
        return max(1, _PART // (_STEP + arrays))

    def charge(self, steps: int, arrays: int) -> None:
        """So many steps are done. Raises Stopped where nothing is left."""
        self.used += steps
        self.steps -= steps
        self.work -= steps * (_STEP + arrays)
        if self.steps < 0 and self.work < 0:
            raise Stopped


class Measured(Machine[S], Protocol[S]):
    """A machine that knows what of its bytes is in arrays, without those that are recorded."""

    @property
    def arrays(self) -> int: ...


@dataclass(slots=True)
class Metered(Generic[S]):
    """A machine whose steps are charged."""

    machine: Measured[S]
    meter: Meter

    @property
    def step(self) -> int:
        return self.machine.step

    def limit(self, room: int) -> None:
        self.machine.limit(room)

    def measures(self) -> tuple[int, int, int, int]:
        return self.machine.measures()

    def advance(self, to: int, clean: bool = False) -> bool:
        return self.in_parts(to, None, clean)

    def record(self, to: int, most: int) -> bool:
        return self.in_parts(to, most)

    def in_parts(self, to: int, most: int | None, clean: bool = False) -> bool:
        """Goes on, recording at `most` so many bytes if that is said; whether the run has ended."""
        machine, part, ended = self.machine, self.meter.first, False
        while True:
            start = machine.step
            end = min(to, start + part)
            try:
                if most is None:
                    ended = machine.advance(end, clean and end == to)
                else:
                    ended = machine.record(end, most)
            except Exhausted:
                self.meter.charge(max(1, end - start), machine.arrays)
                raise
            self.meter.charge(machine.step - start, machine.arrays)
            if ended or machine.step < end or machine.step >= to:
                return ended
            part = max(1, min(2 * part, self.meter.part(machine.arrays)))

    def save(self) -> S:
        return self.machine.save()

    def load(self, snapshot: S | None) -> None:
        self.machine.load(snapshot)

    def reverse(self) -> bool:
        return self.machine.reverse()
