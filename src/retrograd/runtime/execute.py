"""Runs a schedule on a machine: one action after the other, with exact byte counts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, cast

from retrograd.runtime.disk import Disk, OnDisk
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
)

__all__ = ["Exhausted", "Machine", "Run", "Sized"]


class Exhausted(Exception):
    """A sweep came to the limit of its memory.

    The forward one is gone, and the reverse one too if it was that: it begins at the end again.
    `inner` bytes had better be left free for inner derivatives. `learnt`: these will be done in
    another way from now on, so that what has failed may be tried again. `filled` bytes had been
    recorded, None where that is not known.
    """

    def __init__(self, inner: int = 0, learnt: bool = False, filled: int | None = None) -> None:
        super().__init__(inner, learnt, filled)
        self.inner, self.learnt, self.filled = inner, learnt, filled


class Sized(Protocol):
    """A snapshot."""

    @property
    def nbytes(self) -> int: ...


S = TypeVar("S", bound=Sized)

_Made = Callable[[type[Observation], tuple[object, ...]], Observation]

_new = cast("_Made", tuple[object, ...].__new__)

_PART = 1 << 12
"""Steps that are recorded at first before the clock is looked at."""


class Machine(Protocol[S]):
    """A derivative's forward and reverse sweep (`retrograd.backends.llvm.coroutines`)."""

    @property
    def step(self) -> int:
        """Steps that the forward run has done."""
        ...

    def limit(self, room: int) -> None:
        """Arrays, frames and tape may take so many bytes from now on."""
        ...

    def measures(self) -> tuple[int, int, int, int]:
        """Bytes on the tape, those in arrays and frames beside it, and the most of all since this
        was last asked, without and with inner derivatives, which take what there is."""
        ...

    def advance(self, to: int, clean: bool = False) -> bool:
        """Goes on to the first point at which so many steps are done. Where a snapshot is to be
        taken there it may stop earlier, at a `clean` one: where less lives."""
        ...

    def record(self, to: int, most: int) -> bool: ...
    def save(self) -> S: ...
    def load(self, snapshot: S | None) -> None: ...
    def reverse(self) -> bool: ...


@dataclass(slots=True)
class Run(Generic[S]):
    """A schedule under way. `steps` counts all forward steps, `recorded` those with a tape, `inner`
    the inner derivatives that had schedules of their own; `furthest` is the last step there has
    been. Where an action has failed the steps that it did are known by whole legs only, whose
    length depends on the clock; those of all others are `certain`.

    The machine was seen last at a `step`, with so much on its `tape` and `live`. `standing` is the
    snapshot that the forward run is at, None where it is anywhere else; `resting` is called
    wherever the schedule rests. Snapshots have `kept` bytes in memory and `stored` on the
    disk, `most_stored` at most.
    """

    machine: Machine[S]
    budget: int
    disk: Disk[S] | None = None
    snapshots: dict[int, S | OnDisk] = field(default_factory=dict[int, "S | OnDisk"])
    kept: int = 0
    stored: int = 0
    most_stored: int = 0
    peak: int = 0
    peak_tape: int = 0
    steps: int = 0
    recorded: int = 0
    certain: int = 0
    leaves: int = 0
    taken: int = 0
    most: int = 0
    inner: int = 0
    furthest: int = 0
    step: int = 0
    tape: int = 0
    live: int = 0
    ended: bool = False
    reversed: bool = False
    standing: int | None = None
    listener: Callable[[Action, Observation], None] | None = None
    resting: Callable[[], None] | None = None

    def follow(self, schedule: Schedule) -> None:
        """Does what a schedule says, to its end, or until the reverse sweep is at its own.

        The beginning of the run may have nothing to be reversed.
        """
        action = next(schedule, None)
        seen = Observation(0, False, 0, 0, 0)
        while action is not None:
            if not isinstance(action, Rest):
                seen = self.do(action)
                if self.listener is not None:
                    self.listener(action, seen)
                if self.reversed:
                    return
            elif self.resting is not None:
                self.resting()
            try:
                action = schedule.send(seen)
            except StopIteration:
                return

    def do(self, action: Action) -> Observation:
        """One action. Raises what the program raises.

        There are several in each leaf, and the machine's caches are cold after native code: this
        and what it calls should be short.
        """
        machine, before, full = self.machine, self.step, None
        ahead = recording = False
        reading = 0
        self.standing = None
        try:
            if isinstance(action, Advance):
                ahead = True
                machine.limit(self.budget - self.kept)
                self.ended = machine.advance(action.to, action.clean)
            elif isinstance(action, Record):
                ahead = recording = True
                machine.limit(self.budget - self.kept)
                self.ended = self._recorded(action)
            elif isinstance(action, Reverse):
                self.leaves += 1
                machine.limit(self.budget - self.kept)
                self.reversed = machine.reverse()
            elif isinstance(action, Load):
                reading = self._reading(action)
                machine.limit(self.budget - self.kept - reading)
                machine.load(self._found(action.number))
                self.ended = False
                self.standing = action.number
            else:
                self._stood(action)
                return self._seen(self.tape + self.live)
        except Exhausted as error:
            full = error
        self.step = step = machine.step
        self.tape, self.live, peak, most = machine.measures()
        if most + self.kept + reading > self.peak:
            self.peak = most + self.kept + reading
        if ahead and step > before:  # a run that is gone may be anywhere
            self._count(step - before, recording)
            if full is None:
                self.certain += step - before
        return self._seen(peak) if full is None else self._failed(peak, full)

    def _stood(self, action: Save | Drop | Spill | Rest) -> None:
        """What the machine's memory is not for."""
        if isinstance(action, Save):
            self._keep(action.number, self.machine.save())
            self.standing = action.number
        elif isinstance(action, Drop):
            self._drop(self.snapshots.pop(action.number))
        elif isinstance(action, Spill):
            self._spill(action.number)

    def _count(self, done: int, recording: bool) -> None:
        """The run has gone on by some steps."""
        self.steps += done
        if self.step > self.furthest:
            self.furthest = self.step
        if recording:
            self.recorded += done
            if self.tape > self.peak_tape:
                self.peak_tape = self.tape

    def _seen(self, peak: int) -> Observation:
        """What an action has led to."""
        # As quick as a tuple: `Observation(...)` would be a call of Python's more.
        return _new(
            Observation,
            (self.step, self.ended, self.tape, self.live, self.kept, False, 0, False, self.stored,
             peak, None),
        )  # fmt: skip

    def _failed(self, peak: int, full: Exhausted) -> Observation:
        return self._seen(peak)._replace(
            full=True, inner=full.inner, learnt=full.learnt, filled=full.filled
        )

    def _reading(self, action: Load) -> int:
        """Bytes for a snapshot that comes from the disk, while it is put in place."""
        found = self.snapshots.get(action.number)
        return found.nbytes if isinstance(found, OnDisk) else 0

    def _found(self, number: int) -> S | None:
        """A snapshot, None for the beginning of the run. UserError where its file is gone."""
        if number == START:
            return None
        kept = self.snapshots[number]
        if not isinstance(kept, OnDisk):
            return kept
        assert self.disk is not None
        return self.disk.get(kept)

    def _drop(self, kept: S | OnDisk) -> None:
        if isinstance(kept, OnDisk):
            self.stored -= kept.size
            kept.path.unlink(missing_ok=True)
        else:
            self.kept -= kept.nbytes

    def _spill(self, number: int) -> None:
        """Moves a snapshot to the disk; where there is no room it stays, with a warning."""
        kept = self.snapshots[number]
        if self.disk is None or isinstance(kept, OnDisk):
            return
        try:
            moved = self.disk.put(number, kept, kept.nbytes, self.stored)
        except OSError as error:
            warnings.warn(
                f"snapshots stay in memory, and there will be fewer of them: {error}",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
            return
        self.snapshots[number] = moved
        self.kept -= kept.nbytes
        self.stored += moved.size
        self.most_stored = max(self.most_stored, self.stored)

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
        if len(self.snapshots) > self.most:
            self.most = len(self.snapshots)
        if self.tape + self.live + self.kept > self.peak:
            self.peak = self.tape + self.live + self.kept
