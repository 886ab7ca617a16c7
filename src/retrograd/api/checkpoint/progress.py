"""A progress bar for derivatives that take long, on a terminal: `rg.progress`.

It is a line of plain text that is written over and wiped out at the end, so it needs no library and
no thread: it is drawn by the derivative itself, between two legs of native code. It never gets in
the way: where the terminal is gone it is silent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from retrograd.runtime.execute import Run
from retrograd.runtime.progress import Progress
from retrograd.runtime.schedule.actions import Action, Observation

__all__ = ["progress", "shown_progress"]

_AFTER = 2.0
_EVERY = 0.1
_BAR = 24


@dataclass(frozen=True, slots=True)
class _Choice:
    """Whether to show anything, after so many seconds."""

    show: bool
    after: float


_CHOICE: ContextVar[_Choice | None] = ContextVar("progress", default=None)


class Ticking(Protocol):
    """What tells of its steps while it runs (`retrograd.backends.llvm.coroutines`)."""

    def watch(self, tick: Callable[[int, int, bool, float], None] | None) -> None: ...


@contextmanager
def progress(show: bool = True, after: float = _AFTER) -> Generator[None]:
    """Chooses whether derivatives with `memory=` or `checkpointing=` show how far they are.

    They do without being asked, after two seconds, where standard error is a terminal; the
    environment variable RETROGRAD_PROGRESS=0 says no. The choice is that of the block, in this
    thread; only the main thread shows anything.

    Args:
        show: False for never, True also against the environment variable.
        after: seconds after which there is something to be seen.

    Raises:
        ValueError or TypeError: `after` is no number.

    >>> import retrograd as rg
    >>> with rg.progress(False):
    ...     rg.grad(lambda x: x * x, memory="1MB")(3.0)
    6.0
    """
    token = _CHOICE.set(_Choice(bool(show), float(after)))
    try:
        yield
    finally:
        _CHOICE.reset(token)


@contextmanager
def shown_progress(run: Run[Any], machine: Ticking, name: str) -> Generator[None]:
    """Shows how far a run is while the block follows it, where that is wanted."""
    choice = _CHOICE.get() or _Choice(os.environ.get("RETROGRAD_PROGRESS") != "0", _AFTER)
    stream = _terminal() if choice.show else None
    if stream is None:
        yield
        return
    bar = _Bar(stream, name, choice.after, run.listener)
    run.listener = bar.see
    machine.watch(bar.tick)
    try:
        yield
        bar.done()
    finally:
        machine.watch(None)
        bar.wipe()


def _terminal() -> TextIO | None:
    """Where to draw; None where nobody would look."""
    if threading.current_thread() is not threading.main_thread():
        return None
    stream: TextIO | None = sys.stderr
    try:
        return stream if stream is not None and stream.isatty() else None
    except ValueError:  # it is closed
        return None


@dataclass(slots=True)
class _Bar:
    """`due` is when to draw next; `drawn` whether there is something to wipe out."""

    stream: TextIO
    name: str
    after: float
    before: Callable[[Action, Observation], None] | None
    progress: Progress = field(default_factory=Progress)
    began: float = field(default_factory=time.perf_counter)
    due: float = 0.0
    drawn: bool = False

    def __post_init__(self) -> None:
        self.due = self.after

    def see(self, action: Action, seen: Observation) -> None:
        if self.before is not None:
            self.before(action, seen)
        now = time.perf_counter() - self.began
        self.progress.see(action, seen, now)
        self.draw(now)

    def tick(self, step: int, tape: int, back: bool, within: float) -> None:
        self.progress.look(step, tape, back, within)
        self.draw(time.perf_counter() - self.began)

    def draw(self, now: float) -> None:
        if now >= self.due:
            self.due = now + _EVERY
            self.drawn = True
            self.write("\r" + self.line(now)[: self.width() - 1] + "\x1b[K")

    def done(self) -> None:
        """The last line, for those who look closely."""
        if self.drawn:
            now = time.perf_counter() - self.began
            self.write("\r" + _reversed_line(self.name, 1.0, now, 0.0)[: self.width() - 1])

    def wipe(self) -> None:
        if self.drawn:
            self.write("\r\x1b[K")

    def line(self, now: float) -> str:
        share = self.progress.share
        if share is None:
            steps = self.progress.ahead
            return f"{self.name}: first pass, {steps:,} steps, {steps / now:,.0f} steps/s"
        return _reversed_line(self.name, share, now, self.progress.remaining(now))

    def width(self) -> int:
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def write(self, text: str) -> None:
        """What cannot be shown is not: the terminal may be gone, or know less than Unicode."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):
            self.due = float("inf")


def _reversed_line(name: str, share: float, now: float, left: float | None) -> str:
    full = int(_BAR * share)
    bar = "#" * full + "." * (_BAR - full)
    # 100 % are all of it.
    percent = 100 if share >= 1.0 else min(99, int(100 * share))
    rest = "" if left is None else f", {_clock(left)} left"
    return f"{name}: {percent:3d} % [{bar}] {_clock(now)}{rest}"


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock(75.2), _clock(3_700)
    ('1:15', '1:01:40')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
