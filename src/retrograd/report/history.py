"""What one derivative did, as geometry: stretches in steps and seconds, lives of snapshots, bytes.

The execution diagram (Siskind and Pearlmutter 2018, Fig. 2) is drawn of this by
`retrograd.report.timeline`; the checkpoint tree is in `retrograd.report.checkpoint_tree`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from retrograd.api.checkpoint.recording import Event

__all__ = ["History", "Leaf", "Life", "Stretch", "history_of", "longest_call"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the run that was gone through at once.

    Attributes:
        kind: "advance", "record" (recorded, then taken back), "lost" (recorded in vain: the tape
            was full) or "reverse" (from `end` back to `start`).
        start: first step.
        end: the step after the last.
        began: seconds since the derivative was called.
        ended: the same, at its end.
    """

    kind: str
    start: int
    end: int
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Life:
    """A snapshot: at which step, and the seconds from when to when it was there."""

    step: int
    taken: float
    dropped: float


@dataclass(frozen=True, slots=True)
class Leaf:
    """A stretch that was taken back."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class History:
    """One derivative.

    Attributes:
        length: steps of the run, as far as it went.
        seconds: how long all took.
        stretches: in the order of time.
        lives: of snapshots; the beginning of the run is none.
        leaves: in the order in which they were taken back; they need not come to the beginning.
        splits: the steps at which the run was divided, with the seconds when it stopped there.
        first_pass: the seconds at which the run had come to its end for the first time.
        times: seconds at which bytes were looked at.
        kept: bytes of snapshots then.
        tape: bytes on the tape then.
        live: bytes in arrays and frames then.
    """

    length: int
    seconds: float
    stretches: tuple[Stretch, ...]
    lives: tuple[Life, ...]
    leaves: tuple[Leaf, ...]
    splits: dict[int, float]
    first_pass: float
    times: tuple[float, ...]
    kept: tuple[int, ...]
    tape: tuple[int, ...]
    live: tuple[int, ...]


def longest_call(events: Sequence[Event]) -> int:
    """The call that took the most seconds; the first one where there is none."""
    return max(events, key=lambda e: e.seconds).call if events else 0


def history_of(events: Sequence[Event], call: int, clock: str = "seconds") -> History:
    """The history of one call out of a recording's timeline.

    With `clock="steps"` time is the number of steps gone through, to and fro, instead of seconds.
    """
    reader, gone = _Reader(), 0
    for event in events:
        if event.call != call:
            continue
        if clock == "steps":
            if event.action in ("advance", "record", "reverse"):
                gone += abs(event.end - event.start)
            event = replace(event, seconds=gone)
        reader.read(event)
    return reader.done()


@dataclass(slots=True)
class _Reader:
    """Reads events in order; `now` is when the last one ended.

    `open` is what was recorded and not yet taken back, `born` the snapshots that are there, with
    the steps and seconds at which they were taken; `stops` is when the run stopped at a step last.
    """

    now: float = 0.0
    length: int = 0
    longest: float = 0.0
    stretches: list[Stretch] = field(default_factory=list[Stretch])
    lives: list[Life] = field(default_factory=list[Life])
    leaves: list[Leaf] = field(default_factory=list[Leaf])
    open: Stretch | None = None
    born: dict[int, tuple[int, float]] = field(default_factory=dict[int, tuple[int, float]])
    stops: dict[int, float] = field(default_factory=dict[int, float])
    splits: dict[int, float] = field(default_factory=dict[int, float])
    bytes: list[tuple[float, int, int, int]] = field(default_factory=lambda: [(0.0, 0, 0, 0)])

    def read(self, event: Event) -> None:
        began, self.now = self.now, event.seconds
        if event.action in ("advance", "load"):  # which begin by dropping the tape
            _, kept, _, live = self.bytes[-1]
            self.bytes.append((began, kept, 0, live))
        match event.action:
            case "record":
                self.record(event, began)
            case "advance":
                self.lose()
                self.stretches.append(
                    Stretch("advance", event.start, event.end, began, event.seconds)
                )
            case "reverse":
                self.reverse(event, began)
            case "load":
                self.lose()
            case "save":
                self.born[event.snapshot or 0] = event.end, event.seconds
            case _:
                self.die(event.snapshot or 0)
        if event.action in ("advance", "record"):
            if event.end > self.length:
                self.length, self.longest = event.end, event.seconds
            self.stops[event.end] = event.seconds
        self.bytes.append((event.seconds, event.kept, event.tape, event.live))

    def record(self, event: Event, began: float) -> None:
        before = self.open
        start, since = (event.start, began) if before is None else (before.start, before.began)
        self.open = Stretch("record", start, event.end, since, event.seconds)
        if event.failed:
            self.lose()

    def lose(self) -> None:
        """What was recorded is gone, without having been of use."""
        if self.open is not None:
            lost = self.open
            self.stretches.append(Stretch("lost", lost.start, lost.end, lost.began, lost.ended))
            self.open = None

    def reverse(self, event: Event, began: float) -> None:
        if self.open is not None:
            self.stretches.append(self.open)
            self.open = None
        start, end = min(event.start, event.end), event.start
        self.stretches.append(Stretch("reverse", start, end, began, event.seconds))
        if event.failed:  # all that was taken back has to be taken back again
            self.leaves, self.splits = [], {}
            return
        self.leaves.append(Leaf(start, end))
        self.splits[start] = self.stops.get(start, 0.0)
        for step, taken in self.born.values():
            if step == start:
                self.splits[start] = taken

    def die(self, number: int) -> None:
        if number in self.born:
            step, taken = self.born.pop(number)
            self.lives.append(Life(step, taken, self.now))

    def done(self) -> History:
        self.lose()
        for number in list(self.born):
            self.die(number)
        self.splits.pop(0, None)
        times, kept, tape, live = zip(*self.bytes, strict=True)
        self.lives.sort(key=lambda life: life.taken)
        return History(
            self.length, self.now, tuple(self.stretches), tuple(self.lives), tuple(self.leaves),
            self.splits, self.longest, times, kept, tape, live,
        )  # fmt: skip
