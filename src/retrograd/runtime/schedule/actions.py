"""The actions of a schedule, and what is seen after each of them.

A schedule is a generator: it yields actions and is sent what they have led to. It knows nothing of
programs; steps and bytes are all that there is. Snapshots have numbers, 0 is the beginning of the
run, which is always there.

Nobody changes an action; they are not frozen since that takes up to four times as long to make, and
there are millions.

What makes it is a `Planner`, which can be written as plain data wherever it rests: another one made
of that data goes on in the same way.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from retrograd.runtime.schedule.segments import Before

__all__ = [
    "START", "Action", "Advance", "Drop", "Load", "Observation", "Planner", "Record", "Rest",
    "Reverse", "Save", "Schedule", "Spill", "TooSmall",
]  # fmt: skip

START = 0
"""The number of the snapshot that is the beginning of the run."""


@dataclass(slots=True, unsafe_hash=True)
class Advance:
    """Go on without recording to the first point at which so many steps are done, or the end.

    With `clean` it may stop before, by half of the way at most, where less lives: for a snapshot.
    """

    to: int
    clean: bool = False


@dataclass(slots=True, unsafe_hash=True)
class Record:
    """Go on, recording, to the first point at which so many steps are done, or the end.

    It also stops where more than `most` bytes are recorded, and after so many `seconds`.
    """

    to: int
    most: int
    seconds: float | None = None


@dataclass(slots=True, unsafe_hash=True)
class Save:
    """Keep a snapshot of where the forward run is."""

    number: int


@dataclass(slots=True, unsafe_hash=True)
class Load:
    """Put the forward run to where a snapshot was taken; what was recorded is gone."""

    number: int


@dataclass(slots=True, unsafe_hash=True)
class Drop:
    """Forget a snapshot."""

    number: int


@dataclass(slots=True, unsafe_hash=True)
class Spill:
    """Move a snapshot to the disk, if there is room for it there; it stays where it is if not."""

    number: int


@dataclass(slots=True, unsafe_hash=True)
class Reverse:
    """Take back what was recorded; the forward run is gone with it."""


@dataclass(slots=True, unsafe_hash=True)
class Rest:
    """Nothing: here the schedule can be written as data.

    The forward run is gone, or where a snapshot was taken that is still there.
    """


Action = Advance | Record | Save | Load | Drop | Spill | Reverse | Rest


class Observation(NamedTuple):
    """What an action has led to.

    `step` is where the forward run is, `ended` whether at its end, `tape` what is recorded and
    `live` what is in arrays and frames, `kept` what snapshots take, all in bytes, and `disk` what
    snapshots on the disk take there. `full` says that
    the action did not come to its end since there was no more room; then the forward run is gone.
    Where that happens to a `Reverse`, all has to be reversed again, from the end of the run.
    `peak` is the most that tape, arrays and frames took in between, without inner derivatives.
    `inner` bytes should be left free for inner derivatives then, and with `learnt` the same may go
    well another time. `filled` is what had been recorded then, if that is known.
    """

    step: int
    ended: bool
    tape: int
    live: int
    kept: int
    full: bool = False
    inner: int = 0
    learnt: bool = False
    disk: int = 0
    peak: int = 0
    filled: int | None = None


Schedule = Generator[Action, Observation, None]


class Planner(Protocol):
    """What makes a schedule."""

    def schedule(self) -> Schedule:
        """The actions from where it is."""
        ...

    def learnt(self) -> Before:
        """What the next call of the same derivative may begin with, after the last action."""
        ...

    def foresee(self, before: Before) -> None:
        """Before the first action: the run may be like the one of which that was learnt."""
        ...

    def written(self) -> dict[str, Any]:
        """Where it rests, as what JSON can say."""
        ...


class TooSmall(Exception):
    """No schedule is within the budget. Before that was clear, so many forward `steps` were done,
    as whoever has followed the schedule says."""

    def __init__(self, steps: int = 0) -> None:
        super().__init__(steps)
        self.steps = steps
