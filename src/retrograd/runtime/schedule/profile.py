"""What a run is like from its beginning to its end: seconds, tape and live bytes by steps.

A profile is measured by going through the run twice, without and with recording (`probe`), and by
taking its last part back. Schedules can then be tried on it instead of on the run
(`retrograd.runtime.schedule.simulate`).
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from retrograd.runtime.execute import Machine, Sized

__all__ = ["Curve", "Profile", "Unfinished", "probe"]

S = TypeVar("S", bound=Sized)

_PIECES = 256
"""Twice as many pieces are told apart in a run at most."""
_BACK = 1 << 25
"""Bytes of tape that are taken back to see what that takes; or a 64th of the tape."""
_KEPT = 64
_TAPE = 1 << 26
"""Bytes that are recorded at once, where the run has points so close."""
_SNAPSHOTS = 1 << 28
"""Bytes of snapshots to take the last part back from."""
_ENDLESS = 1 << 62


class Unfinished(Exception):
    """The run is longer than anybody wanted to wait for."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Values at steps that grow, with straight lines between them."""

    steps: tuple[int, ...]
    values: tuple[float, ...]

    def at(self, step: float) -> float:
        """The value at a step; outside of all steps, that of the nearest.

        >>> Curve((0, 10), (0.0, 5.0)).at(4)
        2.0
        """
        k = bisect_right(self.steps, step)
        if k == 0:
            return self.values[0]
        if k == len(self.steps):
            return self.values[-1]
        low, high = self.steps[k - 1], self.steps[k]
        part = (step - low) / (high - low)
        return self.values[k - 1] + part * (self.values[k] - self.values[k - 1])


@dataclass(frozen=True, slots=True)
class Profile:
    """A run's profile. Curves are over steps; those of seconds and tape are sums from the start.

    Attributes:
        length: steps of the run.
        ahead: seconds to go ahead so far.
        recording: seconds to record so far.
        tape: bytes that have been recorded so far.
        live: bytes in arrays and frames there.
        size: bytes of a snapshot that is taken there.
        ends: the last step of each piece.
        peaks: the most live bytes in each piece.
        grains: steps from a point to the next at most, in each piece.
        back: bytes that the reverse sweep has when it waits there; none where nothing is known.
        units: the most that it has beside what is on the tape when it comes there, which is more
            than that where it records for itself what it does again.
        back_seconds: to take back a byte of tape.
        turn: seconds that it takes to begin and end something.
        copying: seconds to copy a byte of a snapshot.
    """

    length: int
    ahead: Curve
    recording: Curve
    tape: Curve
    live: Curve
    size: Curve
    ends: tuple[int, ...]
    peaks: tuple[int, ...]
    grains: tuple[int, ...]
    back: Curve | None
    units: Curve | None
    back_seconds: float
    turn: float
    copying: float

    def back_at(self, step: int) -> float:
        """Bytes of a reverse sweep that waits there.

        Before what was seen it is taken to grow as the forward run's do; where nothing was seen it
        is taken to have twice as many.
        """
        return self._scaled(self.back, step)

    def most_beside(self) -> float:
        """The most that the reverse sweep has beside what is on the tape, anywhere."""
        return max(self.units.values) if self.units is not None else 0.0

    def unit_at(self, step: int) -> float:
        """The most bytes of a reverse sweep that comes there, beside the tape."""
        return self._scaled(self.units, step)

    def _scaled(self, curve: Curve | None, step: int) -> float:
        if curve is None:
            return 2.0 * self.live.at(step)
        first = curve.steps[0]
        grown = self.live.at(step) / max(1.0, self.live.at(first)) if step < first else 1.0
        return curve.at(step) * max(1.0, grown)


def probe(machine: Machine[S], room: int, whole: bool = True, patience: float = 1e9) -> Profile:
    """Measures a run that has not begun; nothing of it is left afterwards that is of use.

    Args:
        machine: the run.
        room: bytes that it may have.
        whole: whether the last part of it is taken back, too.
        patience: seconds after which it is given up.

    Raises:
        Unfinished: it took longer than that.
        retrograd.runtime.execute.Exhausted: there was not enough room.
    """
    return _Probe(machine, room, time.perf_counter() + patience).profile(whole)


@dataclass(slots=True)
class _Piece:
    """`seconds` to go ahead to `end`, in so many calls."""

    end: int
    seconds: float
    calls: int
    live: int
    peak: int
    grain: int

    def joined(self, after: _Piece) -> _Piece:
        return _Piece(
            after.end, self.seconds + after.seconds, self.calls + after.calls, after.live,
            max(self.peak, after.peak), max(self.grain, after.grain),
        )  # fmt: skip


@dataclass(slots=True)
class _Probe(Generic[S]):
    machine: Machine[S]
    room: int
    until: float
    pieces: list[_Piece] = field(default_factory=list[_Piece])
    # Steps with the sum of the tape and of the seconds that it took to record it.
    recorded: list[tuple[int, float, float]] = field(default_factory=lambda: [(0, 0.0, 0.0)])
    sizes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    kept: deque[tuple[int, S]] = field(default_factory=lambda: deque[tuple[int, S]]())
    copied: float = 0.0
    turn: float = 1e9
    tape_back: float = 0.0
    seconds_back: float = 0.0
    back: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    units: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def profile(self, whole: bool) -> Profile:
        self.machine.limit(self.room)
        self.machine.measures()
        self.go_ahead()
        self.record(whole)
        if whole:
            self.take_back()
        pieces, turn = self.pieces, self.turn
        ends = [p.end for p in pieces]
        total, ahead = 0.0, [0.0]
        for piece in pieces:
            total += max(0.0, piece.seconds - turn * piece.calls)
            ahead.append(total)
        steps, tape, seconds = zip(*self.recorded, strict=True)
        live = Curve((0, *ends), (pieces[0].live, *(p.live for p in pieces)))
        sizes = self.sizes or [(0, max(p.live for p in pieces))]
        back, units = (
            Curve(*zip(*sorted(rows), strict=True)) if rows else None
            for rows in (self.back, self.units)
        )
        copied = sum(size for _, size in self.sizes)
        return Profile(
            ends[-1], Curve((0, *ends), tuple(ahead)), Curve(steps, seconds), Curve(steps, tape),
            live, Curve(*zip(*sizes, strict=True)), tuple(ends), tuple(p.peak for p in pieces),
            tuple(p.grain for p in pieces), back, units,
            self.seconds_back / max(1.0, self.tape_back), turn, self.copied / max(1, copied),
        )  # fmt: skip

    def timed_advance(self, to: int) -> tuple[bool, float]:
        start = time.perf_counter()
        if start > self.until:
            raise Unfinished
        ended = self.machine.advance(to)
        seconds = time.perf_counter() - start
        self.turn = min(self.turn, seconds)
        return ended, seconds

    def go_ahead(self) -> None:
        """The first pass, in pieces: twice as long each time that there are too many."""
        machine, apart, ended = self.machine, 1, False
        while not ended:
            ended, seconds = self.timed_advance(machine.step + apart)
            middle, calls = machine.step, 1
            if not ended:
                ended, more = self.timed_advance(middle + 1)
                seconds, calls = seconds + more, 2
            _, live, _, peak = machine.measures()
            grain = max(1, machine.step - middle)
            self.pieces.append(_Piece(machine.step, seconds, calls, live, peak, grain))
            if len(self.pieces) >= 2 * _PIECES:
                pairs = zip(self.pieces[::2], self.pieces[1::2], strict=True)
                self.pieces = [first.joined(second) for first, second in pairs]
                apart *= 2

    def record(self, keeping: bool) -> None:
        """The second pass, recording; what has been recorded is dropped again and again.

        With `keeping`, snapshots stay behind, a 64th of the tape so far apart: the last of them.
        """
        machine, most = self.machine, max(1, min(_TAPE, self.room // 4))
        machine.load(None)
        ends = deque(p.end for p in self.pieces)
        ended, base = False, 0.0
        while not ended:
            while len(ends) > 1 and ends[0] <= machine.step:
                ends.popleft()
            start = time.perf_counter()
            if start > self.until:
                raise Unfinished
            ended = machine.record(max(ends[0], machine.step + 1), most)
            seconds = time.perf_counter() - start - self.turn
            tape, _, _, _ = machine.measures()
            self.note(base + tape, seconds)
            size = self.sizes[-1][1] if self.sizes else 0
            if not ended and (tape > most or tape >= max((base + tape) / _KEPT, size)):
                ended = self.drop(keeping)
                base = self.recorded[-1][1]

    def note(self, tape: float, seconds: float) -> None:
        step, before, so_far = self.machine.step, self.recorded[-1][1], self.recorded[-1][2]
        if step == self.recorded[-1][0]:
            self.recorded.pop()
        self.recorded.append((step, max(tape, before), so_far + max(0.0, seconds)))

    def drop(self, keeping: bool) -> bool:
        """Drops what is recorded by going ahead to the next point, and takes a snapshot there."""
        machine = self.machine
        (first, low, begun), (last, high, done) = self.recorded[-2:]
        ended, _ = self.timed_advance(machine.step + 1)
        part = (machine.step - last) / (last - first)
        self.note(high + part * (high - low), part * (done - begun))
        if ended:
            return True
        start = time.perf_counter()
        snapshot = machine.save()
        self.copied += time.perf_counter() - start
        self.sizes.append((machine.step, snapshot.nbytes))
        if not keeping:
            return False
        self.kept.append((machine.step, snapshot))
        total = sum(kept.nbytes for _, kept in self.kept)
        while len(self.kept) > 1 and (
            len(self.kept) > _KEPT or total > min(_SNAPSHOTS, self.room // 4)
        ):
            total -= self.kept.popleft()[1].nbytes
        self.machine.limit(self.room - total)
        return False

    def take_back(self) -> None:
        """Reverses the last part of the run, stretch by stretch."""
        machine, end = self.machine, self.pieces[-1].end
        steps, sums, _ = zip(*self.recorded, strict=True)
        tape = Curve(steps, sums)
        most = max(_BACK, tape.values[-1] / _KEPT)
        for step, snapshot in [*reversed(self.kept), (0, None)]:
            wanted = tape.at(end) - tape.at(step)
            if wanted > self.room / 2 or (self.back and self.tape_back + wanted > most):
                return
            machine.load(snapshot)
            machine.record(end, _ENDLESS)
            found, _, _, _ = machine.measures()
            start = time.perf_counter()
            machine.reverse()
            self.seconds_back += max(0.0, time.perf_counter() - start - self.turn)
            self.tape_back += found
            _, live, _, peak = machine.measures()
            self.back.append((step, live))
            self.units.append((step, max(live, peak - found)))
            end = step
