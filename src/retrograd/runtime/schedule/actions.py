"""The actions of a schedule, and what is seen after each of them.

A schedule is a generator: it yields actions and is sent what they have led to. It knows nothing of
programs; steps and bytes are all that there is. Snapshots have numbers, 0 is the beginning of the
run, which is always there.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

__all__ = [
    "START", "Action", "Advance", "Drop", "Load", "Observation", "Record", "Reverse", "Save",
    "Schedule", "TooSmall",
]  # fmt: skip

START = 0
"""The number of the snapshot that is the beginning of the run."""


@dataclass(frozen=True, slots=True)
class Advance:
    """Go on without recording to the first point at which so many steps are done, or the end."""

    to: int


@dataclass(frozen=True, slots=True)
class Record:
    """Go on, recording, to the first point at which so many steps are done, or the end.

    It also stops where more than `most` bytes are recorded.
    """

    to: int
    most: int


@dataclass(frozen=True, slots=True)
class Save:
    """Keep a snapshot of where the forward run is."""

    number: int


@dataclass(frozen=True, slots=True)
class Load:
    """Put the forward run to where a snapshot was taken; what was recorded is gone."""

    number: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Forget a snapshot."""

    number: int


@dataclass(frozen=True, slots=True)
class Reverse:
    """Take back what was recorded; the forward run is gone with it."""


Action = Advance | Record | Save | Load | Drop | Reverse


@dataclass(frozen=True, slots=True)
class Observation:
    """What an action has led to.

    `step` is where the forward run is, `ended` whether at its end, `tape` what is recorded and
    `live` what is in arrays and frames, `kept` what snapshots take, all in bytes. `full` says that
    the action did not come to its end since there was no more room; then the forward run is gone.
    Where that happens to a `Reverse`, all has to be reversed again, from the end of the run.
    `inner` bytes should be left free for inner derivatives then, and with `learnt` the same may go
    well another time.
    """

    step: int
    ended: bool
    tape: int
    live: int
    kept: int
    full: bool = False
    inner: int = 0
    learnt: bool = False


Schedule = Generator[Action, Observation, None]


class TooSmall(Exception):
    """No schedule is within the budget; `least` bytes are known to be needed."""

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least
