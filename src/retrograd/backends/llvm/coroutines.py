"""A forward and a reverse sweep that take turns in one context.

The forward sweep is a run in legs, which records or only goes ahead; its captured states do not
depend on which. The reverse sweep takes off the tape what is there and waits for more. Whoever runs
owns what is made, so the forward run can be captured, put back and dropped while the reverse sweep
waits.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.execute import Executable, Result
from retrograd.backends.llvm.jit import Turns
from retrograd.backends.llvm.nested_gradients import Answers, Inner
from retrograd.backends.llvm.runtime_text import LIVE, TAPED
from retrograd.backends.llvm.time_slices import Legs, taken
from retrograd.errors import CompilerBug
from retrograd.runtime.arrays import Pages, address_of, bytes_at, keep_heap
from retrograd.runtime.context import Context
from retrograd.runtime.execute import Exhausted
from retrograd.runtime.layout import ENOUGH, PLACES
from retrograd.runtime.state import FrameShapes, State, Words, is_sound

__all__ = ["Kept", "Tick", "TurnTaking", "Waiting"]

_FORWARD, _REVERSE = LIVE, 2
_LIMIT, _OWNER, _AHEAD, _BUDGET = (PLACES[f] for f in ("limit", "owner", "ahead", "budget"))
_FRAMES, _WAIT_AT, _ASKED = (PLACES[f] for f in ("frames", "wait_at", "asked"))
_LIVE, _FRAMED, _HELD = (PLACES[f] for f in ("live", "framed", "held"))
_TAPE_PEAK = PLACES["tape_peak"]
_LATE, _CLEAN_AT, _CLEAN_APART = (PLACES[f] for f in ("late", "clean_at", "clean_apart"))
_TAPE_BASE, _TAPE_TOP, _TAPE_ARRAYS, _TAPE_ENOUGH = (
    PLACES[f] for f in ("tape_base", "tape_top", "tape_arrays", "tape_enough")
)
_FAILED, _WAITING = 1, 2

Tick = Callable[[int, int, bool, float], None]
"""Told after each leg: the forward run's steps, bytes on the tape, whether it went back, and what
share is done of an inner derivative that is under way (1 where there is none)."""

_ENDLESS = 1 << 62
_MUCH = 1 << 22
"""Bytes in arrays on the tape, from which on their blocks are parked before the run goes on."""
_KEEP = 1 << 28
"""Bytes in parked blocks that are kept for the next call."""
_SLACK = 1 << 20
"""Bytes that a process may have beyond its budget, besides an eighth of that."""
_LEG = 0.02
"""Seconds that native code should run at a time."""


@dataclass(slots=True)
class _Pace:
    """How many steps take about as long as a leg should; `least` is what they are at least.
    Where they are `fixed` they do not depend on that."""

    steps: int = 1 << 14
    least: int = 64
    fixed: bool = False

    def took(self, steps: int, seconds: float) -> None:
        if self.fixed:
            return
        if seconds > 2.0 * _LEG:
            self.steps = max(self.least, int(self.steps * _LEG / seconds))
        elif seconds < 0.5 * _LEG and steps >= self.steps:
            self.steps = min(2 * self.steps, ENOUGH >> 2)


@dataclass(slots=True)
class Kept:
    """A snapshot of the forward run: a state, or what `rg_keep` has written.

    Nobody changes one; as actions are they are quicker to make if they are not frozen.
    """

    state: State | NDArray[np.uint8]
    step: int

    @property
    def nbytes(self) -> int:
        return self.state.nbytes


@dataclass(frozen=True, slots=True)
class Waiting:
    """The reverse sweep while it waits: its frames, with pointers as numbers, and its blocks, which
    are seen where they lie; `results` are those of the forward run that it has been given."""

    frames: Words
    sizes: Words
    blocks: Sequence[NDArray[np.uint8]]
    results: Sequence[Result]


@dataclass(slots=True)
class _Forward(Legs):
    """The forward run. What it has failed with, it has failed with alone."""

    def failed(self) -> BaseException:
        return self.executable.error(self.context)

    def drop(self) -> None:
        """Left to whoever knows of the other run."""


class TurnTaking:
    """The two sweeps of one derivative (a `Machine` of `retrograd.runtime.execute`).

    `ahead` is the forward sweep, called with `args`, and `back` the reverse one, called with `args`
    and the forward results; they may ask for the derivatives `inner`. `gradients` are its results
    in the end. After an exception other than
    `Exhausted` only `drop` is left. `fresh`: the forward run is at
    its beginning; `from_start`: what is recorded begins there.
    """

    def __init__(
        self, ahead: Executable, back: Executable, shapes: FrameShapes, context: Context,
        args: Sequence[Result], inner: Inner,
    ) -> None:  # fmt: skip
        turns, driver = ahead.native.turns, ahead.native.driver
        if turns is None or driver is None:
            raise CompilerBug("code of one sweep takes turns")
        self.context, self.back_code = context, back
        self.turns: Turns = turns
        self.driver = driver
        self.measures = context.measures
        context.words[_CLEAN_AT] = context.words[_CLEAN_APART] = 0
        self.forward = _Forward(ahead, shapes, context, args)
        self.answers = Answers(context, inner, self.forward.own)
        self.forward.answers = self.answers
        # The driver writes as many words as the longer results have.
        self.out = (ctypes.c_char * max(ahead.reader.size, back.reader.size, 1))()
        self.forward.use(self.out)
        rows = [(address_of(a), a.nbytes) if isinstance(a, np.ndarray) else (0, 0) for a in args]
        self._inputs = np.array(rows, np.uint64).reshape(-1, 2)
        self._inputs_at = address_of(self._inputs)
        self._size = 1024
        self.fresh = self.from_start = True
        self.results: Sequence[Result] | None = None
        self.gradients: Sequence[Result] | None = None
        self._given: Sequence[Result] | None = None
        # To have pages back again and again takes longer than a few too many are worth.
        self._slack = (context.get("limit") >> 3) + _SLACK
        self._roomiest = 0  # since pages were given back
        self._pages = Pages()
        keep_heap(context.get("limit") >> 2)
        self._mirror, self._taped, self._many = 0, False, context.crowded
        # A reverse sweep counts looks at the tape and iterations of the chunks that it finds.
        self._pace, self._looks = _Pace(), _Pace(1 << 12, 1)
        self.tick: Tick | None = None

    # What is seen.

    @property
    def step(self) -> int:
        return self.forward.steps

    @property
    def arrays(self) -> int:
        """Bytes in arrays, without those that are recorded."""
        words = self.context.words
        return words[_LIVE] - words[_FRAMED] - words[_TAPE_ARRAYS]

    def watch(self, tick: Tick | None) -> None:
        """Has somebody told of how far it is, until that is None."""
        self.tick = tick
        self.answers.watch = None if tick is None else self._inside

    def limit(self, room: int) -> None:
        if room < 0:
            room = 0
        words = self.context.words
        words[_LIMIT] = room
        if room > self._roomiest:
            self._roomiest = room
        elif self._roomiest - room > self._slack >> 3:
            # Snapshots have taken its place: the process should not have both. To look for pages
            # that can go takes long where there are many blocks, so not for each of them.
            if words[_TAPE_PEAK] + words[_HELD] > room + self._slack:
                self.context.shorten()
            self._roomiest = room

    def evenly(self, steps: int) -> None:
        """Native code does so many steps at a time, however long that takes."""
        self._pace, self._looks = _Pace(steps, fixed=True), _Pace(min(steps, 64), fixed=True)

    # The forward run.

    def advance(self, to: int, clean: bool = False) -> bool:
        self.from_start = False
        if self._taped or self._many:
            self._untape()
        apart = self.context.words[_CLEAN_APART]  # 0 where there are no heavy points
        late = apart if clean and 2 * apart <= to - self.step else 0
        return self._ahead(to, 1, late)

    def record(self, to: int, most: int = _ENDLESS) -> bool:
        self._taped = True
        words = self.context.words
        words[_TAPE_ENOUGH] = most
        idle = self._pages.idle
        if idle and max(words[_HELD], words[_TAPE_PEAK]) + idle > words[_LIMIT] + self._slack:
            self._pages.release()
        ended = self._ahead(to, 0)
        if words[_TAPE_ARRAYS] > _MUCH:
            self._many = True
        return ended

    def _ahead(self, to: int, mode: int, late: int = 0) -> bool:
        """Goes on to a step, or where enough is recorded; whether that is the end.

        At points that are not heavy it stops where so many steps are left as `late` says. In legs
        that are short enough for the interpreter to see signals.
        """
        words, forward = self.context.words, self.forward
        if not self.fresh and not words[_FRAMES]:
            raise Exhausted
        words[_AHEAD], words[_OWNER] = mode, _FORWARD
        try:
            while True:
                leg, last = to - forward.steps, True
                if leg - late > self._pace.steps:
                    leg, last = self._pace.steps, False
                words[_LATE] = late if last else 0
                start = time.perf_counter()
                ended = forward.start(leg) if self.fresh else forward.resume(leg)
                self.fresh = False
                self._pace.took(leg, time.perf_counter() - start)
                if self.tick is not None:
                    self._told(False)
                if ended or forward.enough or last or forward.steps >= to:
                    break
        except Exhausted:
            self.forget()
            raise
        except (MemoryError, RecursionError) as error:
            filled = self.context.tape_bytes + self.context.get("tape_arrays")
            self.forget()
            raise Exhausted(learnt=self.answers.failed_inside(), filled=filled) from error
        finally:
            words[_LATE] = 0
        if ended:
            self.results = forward.results
        return ended

    def save(self) -> Kept:
        address, buffer = self.context.address, self._pages.take(self._size)
        size = self.turns.keep(
            address, address_of(buffer), len(buffer), self._inputs_at, len(self._inputs)
        )
        if size < 0:
            return Kept(self.forward.capture(), self.step)
        if size > len(buffer):
            self._size = size
            return self.save()
        if size < len(buffer):
            self._size = size
            smaller = self._pages.take(size)
            smaller[:] = buffer[:size]
            buffer = smaller
        return Kept(buffer, self.step)

    def load(self, snapshot: Kept | None) -> None:
        """Puts the forward run to a snapshot, or to its beginning."""
        self.forget()
        self.fresh = self.from_start = snapshot is None
        self.forward.steps = self.context.words[_CLEAN_AT] = 0
        if snapshot is not None:
            self.context.words[_OWNER] = _FORWARD
            self._restore(snapshot.state)
            self.forward.steps = snapshot.step

    def _restore(self, state: State | NDArray[np.uint8]) -> None:
        if isinstance(state, State):
            try:
                self.forward.restore(state)
                return
            except MemoryError:
                pass
        elif not self.turns.put(self.context.address, address_of(state), self._inputs_at):
            return
        self.forget()
        raise Exhausted

    def _untape(self) -> None:
        """Forgets what was recorded, and goes on."""
        self._taped = False
        self.turns.drop_blocks(self.context.address, TAPED)
        self.context.set("tape_top", self.context.get("tape_base"))
        self.context.set("tape_arrays", 0)
        self._make_way()

    def _make_way(self) -> None:
        """Blocks that wait to be taken again are in the way of all that looks through blocks."""
        if self._many:
            self._many = False
            self.forward.executable.native.park(self.context.address)

    def forget(self) -> None:
        """Drops the forward run and what it has recorded; the reverse sweep still waits."""
        self._taped = False
        self.turns.forget(self.context.address, True)
        self._make_way()

    # The reverse sweep.

    def reverse(self) -> bool:
        """Goes back as far as the tape goes; whether that is to the beginning.

        Where there is no room for it, it has to begin again, at the end of the run.
        """
        context = self.context
        self.turns.forget(context.address, False)
        if self.gradients is not None:  # it needed nothing of what was recorded before
            self._untape()
            return True
        words = context.words
        words[_OWNER], words[_WAIT_AT] = _REVERSE, 0 if self.from_start else words[_TAPE_BASE]
        context.begin(self._looks.steps)
        if self._given is not None:
            words[_FRAMES], self._mirror = self._mirror, 0
        start = time.perf_counter()
        status = self._begin_reverse() if self._given is None else self._resume_reverse()
        while status == _WAITING and (self.from_start or words[_TAPE_TOP] != words[_TAPE_BASE]):
            now = time.perf_counter()
            self._looks.took(self._looks.steps, now - start)
            start = now
            if self.tick is not None:
                self._told(True)
            status = self._resume_reverse()
        if status == _FAILED:
            error = self.back_code.error(context)
            self.drop()
            if isinstance(error, MemoryError | RecursionError):
                raise Exhausted(learnt=self.answers.failed_inside()) from error
            raise error
        self._take_mirror()
        if status == _WAITING:
            return False
        self.gradients = self.back_code.values(context, self.out)
        return True

    def _take_mirror(self) -> None:
        """The frames are those of the reverse sweep, which waits.

        They have one owner at any time: Ctrl-C may come with any call, not between two stores.
        """
        words = self.context.words
        self._mirror, words[_FRAMES] = words[_FRAMES], 0
        self.context.begin(0)

    def _told(self, back: bool, inside: float = 1.0) -> None:
        assert self.tick is not None
        tape = self.context.tape_bytes + self.context.get("tape_arrays")
        self.tick(self.forward.steps, tape, back, inside)

    def _inside(self, share: float) -> None:
        """An inner derivative is under way."""
        self._told(self.context.words[_OWNER] == _REVERSE, share)

    def _resume_reverse(self) -> int:
        self.context.words[_BUDGET] = self._looks.steps
        return self._answered(self.driver.resume(self.context.address, self.out))

    def _answered(self, status: int) -> int:
        """How the reverse sweep has ended, after the inner derivatives that it has asked for."""
        try:
            while status == _WAITING and self.context.words[_ASKED]:
                self.answers.answer()
                status = self.driver.resume(self.context.address, self.out)
        except Exhausted:
            self.drop()
            raise
        except MemoryError as error:
            self.drop()
            raise Exhausted from error
        return status

    def _begin_reverse(self) -> int:
        assert self.results is not None
        self._given = (*self.forward.args, *self.results)
        words: list[float | int] = []
        for k, value in enumerate(self._given):
            if isinstance(value, np.ndarray):
                taken = k in self.back_code.consumed
                words.append(self.forward.own(value) if taken else address_of(value))
                words += value.shape
            else:
                words.append(value)
        packed = self.back_code.packer.pack(*words)
        return self._answered(self.turns.reverse(self.context.address, packed, self.out))

    def waiting(self) -> Waiting | None:
        """Where the reverse sweep waits, None where it has not begun."""
        if self._given is None:
            return None
        context, words = self.context, self.context.words
        ahead = words[_FRAMES]
        try:
            words[_FRAMES] = self._mirror
            frames, table, _ = taken(
                self.driver, context, _REVERSE, self._given, self.forward.shapes
            )
        finally:
            words[_FRAMES] = ahead
        blocks = [bytes_at(start, size) for start, size in table.tolist()]
        results = self._given[len(self.forward.args) :]
        return Waiting(frames, table[:, 1].copy(), blocks, results)

    def wait_again(self, state: State, results: Sequence[Result]) -> None:
        """Has the reverse sweep wait as it did in another process.

        Raises:
            ValueError: it cannot have done so.
            MemoryError: there is not enough room.
        """
        given = (*self.forward.args, *results)
        sizes = [v.nbytes if isinstance(v, np.ndarray) else 0 for v in given]
        if not is_sound(state, self.forward.shapes, sizes):
            raise ValueError("no state of this reverse sweep")
        self._given = given
        self.context.set("owner", _REVERSE)
        self.context.begin(0)
        self.forward.put(state, given)
        self._take_mirror()

    def drop(self) -> None:
        """Forgets both sweeps and all that they hold."""
        address, words = self.context.address, self.context.words
        self.driver.drop_frames(address)
        if self._mirror:
            words[_FRAMES], self._mirror = self._mirror, 0
            self.driver.drop_frames(address)
        self._given = None
        self._pages.release()
        native = self.forward.executable.native
        native.release_all(address)
        self.context.set("tape_top", self.context.get("tape_base"))
        self.context.set("tape_arrays", 0)
        self.context.crowded = self._many
        if self.context.get("parked") > _KEEP:
            native.trim(address)
