"""What derivatives in a budget do, for whoever wants to look: `with rg.record() as run`."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from retrograd.options.checkpointing import Checkpointing
from retrograd.runtime.execute import Run
from retrograd.runtime.schedule.actions import (
    Action,
    Advance,
    Load,
    Observation,
    Record,
    Reverse,
)

__all__ = ["Derivative", "Event", "Recording", "finished", "record", "watched"]


@dataclass(frozen=True, slots=True)
class Derivative:
    """One call of a derivative.

    Attributes:
        function: the name of what was differentiated.
        checkpointing: how it was asked to save memory, with sizes in bytes.
        limit: the most bytes that it could have.
    """

    function: str
    checkpointing: Checkpointing
    limit: int


@dataclass(frozen=True, slots=True)
class Event:
    """One action of a schedule.

    Attributes:
        call: which derivative it belongs to, from 0 in the order in which they were called.
        action: "advance", "record", "save", "load", "drop", "spill" or
            "reverse".
        start: the step at which the forward run was.
        end: the step at which it was afterwards; of a "reverse", where the leaf begins.
        seconds: since the derivative was called, when the action had ended.
        tape: bytes on the tape then.
        kept: bytes of all snapshots then.
        snapshot: the number of the snapshot, where there is one; 0 is the beginning of the run.
        live: bytes in arrays and frames then.
        failed: there was not enough room for it.
    """

    call: int
    action: str
    start: int
    end: int
    seconds: float
    tape: int
    kept: int
    snapshot: int | None
    live: int
    failed: bool


@dataclass(slots=True)
class Recording:
    """What the derivatives in a `with rg.record()` block have done, all together.

    Attributes:
        calls: how many there were (only those with `memory=` count). One whose budget turned out to
            be too small for whole loop bodies counts twice, since it is begun again.
        steps: forward steps in all, in the unit of `primops`. A forward sweep has more statements
            than the function alone, which is what `primops` counts.
        recomputed_steps: those among them that had been done before.
        leaves: stretches that were recorded and taken back.
        snapshots: how many were taken.
        live_snapshots: how many there were at a time at most.
        peak_bytes: the most bytes in arrays, snapshots and on the tape at a time.
        tape_bytes: the most on the tape.
        snapshot_bytes: the most in snapshots.
        derivatives: what was called, in the order of `Event.call`.
        inner: inner derivatives that had a schedule and a share of the budget of their own; their
            bytes are part of the peak, their steps are not counted.
        disk_bytes: the most in snapshots on the disk.
        timeline: every action, in order.
    """

    calls: int = 0
    steps: int = 0
    recomputed_steps: int = 0
    leaves: int = 0
    snapshots: int = 0
    live_snapshots: int = 0
    peak_bytes: int = 0
    tape_bytes: int = 0
    snapshot_bytes: int = 0
    derivatives: list[Derivative] = field(default_factory=list[Derivative])
    inner: int = 0
    disk_bytes: int = 0
    timeline: list[Event] = field(default_factory=list[Event], repr=False)


_RECORDINGS: ContextVar[tuple[Recording, ...]] = ContextVar("recordings", default=())


@contextmanager
def record() -> Generator[Recording]:
    """Collects what derivatives with `memory=` do in the block, in this thread.

    Returns:
        A `Recording`: steps, recomputed steps, leaves, snapshots, bytes at most, and the timeline,
        which `retrograd.report.timeline.save_timeline` draws.

    >>> import retrograd as rg
    >>> def decay(x):
    ...     for _ in range(10_000):
    ...         x = x - 0.001 * x * x
    ...     return x
    >>> with rg.record() as run:
    ...     _ = rg.grad(decay, memory="20kB")(0.5)
    >>> run.peak_bytes <= 20_000, run.leaves > 1, run.recomputed_steps > 0
    (True, True, True)
    """
    recording = Recording()
    token = _RECORDINGS.set((*_RECORDINGS.get(), recording))
    try:
        yield recording
    finally:
        _RECORDINGS.reset(token)


def watched(run: Run[Any], derivative: Derivative) -> None:
    """Has the recordings that are under way told of a run, as it goes."""
    for recording in _RECORDINGS.get():
        watch = _Watch(recording, run, recording.calls, time.perf_counter(), run.listener)
        # Where another process is continued, it has done some of it.
        watch.counted, watch.step = (run.leaves, run.taken), run.machine.step
        watch.furthest = run.furthest
        recording.calls += 1
        recording.derivatives.append(derivative)
        run.listener = watch.see


def finished(run: Run[Any]) -> None:
    """Tells them what is only known at its end."""
    for recording in _RECORDINGS.get():
        recording.inner += run.inner


@dataclass(slots=True)
class _Watch:
    """One run under the eyes of one recording.

    `furthest` is how far the run has ever been, `step` where it was last, `leaf` where the stretch
    begins that is being recorded.
    """

    recording: Recording
    run: Run[Any]
    call: int
    began: float
    before: Callable[[Action, Observation], None] | None
    furthest: int = 0
    step: int = 0
    leaf: int | None = None
    counted: tuple[int, int] = (0, 0)

    def see(self, action: Action, seen: Observation) -> None:
        if self.before is not None:
            self.before(action, seen)
        start, end = self.step, seen.step
        match action:
            case Record():
                self.leaf = start if self.leaf is None else self.leaf
            case Reverse():
                end = start if self.leaf is None else self.leaf
            case Load() | Advance():
                self.leaf = None
            case _:
                pass
        self.count(action, seen, start)
        self.step = seen.step
        name = type(action).__name__.lower()
        number: int | None = getattr(action, "number", None)
        seconds = time.perf_counter() - self.began
        self.recording.timeline.append(
            Event(
                self.call, name, start, end, seconds, seen.tape, seen.kept, number, seen.live,
                seen.full,
            )
        )  # fmt: skip

    def count(self, action: Action, seen: Observation, start: int) -> None:
        recording, run = self.recording, self.run
        if isinstance(action, Advance | Record):
            recording.steps += seen.step - start
            recording.recomputed_steps += max(0, min(seen.step, self.furthest) - start)
            self.furthest = max(self.furthest, seen.step)
        recording.leaves += run.leaves - self.counted[0]
        recording.snapshots += run.taken - self.counted[1]
        self.counted = (run.leaves, run.taken)
        recording.live_snapshots = max(recording.live_snapshots, run.most)
        recording.peak_bytes = max(recording.peak_bytes, run.peak)
        recording.tape_bytes = max(recording.tape_bytes, run.peak_tape)
        recording.snapshot_bytes = max(recording.snapshot_bytes, seen.kept)
        recording.disk_bytes = max(recording.disk_bytes, run.most_stored)
