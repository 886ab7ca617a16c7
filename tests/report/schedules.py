"""Recordings of schedules that a counting machine has followed."""

from __future__ import annotations

from retrograd.api.checkpoint.recording import Derivative, Recording, record, watched
from retrograd.options.checkpointing import Checkpointing
from retrograd.runtime.execute import Run
from retrograd.runtime.schedule.actions import Schedule
from tests.runtime.schedule.test_budget import Counting, Snapshot

ROOM = 1 << 60


def recorded(schedule: Schedule, length: int, actions: int = 1 << 30) -> Recording:
    """What so many actions of a schedule do to a run of which each step records a byte."""
    run: Run[Snapshot] = Run(Counting(length, lambda k: 1, lambda k: 10), ROOM)
    with record() as recording:
        watched(run, Derivative("counted", Checkpointing("fixed_space", 1), ROOM))
    action = next(schedule, None)
    while action is not None and actions > 0:
        seen = run.do(action)
        assert run.listener is not None
        run.listener(action, seen)
        actions -= 1
        try:
            action = schedule.send(seen)
        except StopIteration:
            action = None
    return recording
