"""Long runs in little memory: same bits, bytes within the budget, time against primal and tape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.long_runs import LongRun
from benchmarks.memory import available_bytes
from benchmarks.problems.base import Arguments, Value
from benchmarks.timing import Pair, Run, interleave, once

__all__ = ["TapeUnlike", "endurance", "same_bits"]

LONG = 5.0
"""Seconds from which on a program is run only once more, and not in pairs."""

TAPE_SHARE = 4
"""The whole tape may have one part in so many of the memory."""


class TapeUnlike(AssertionError):
    """Another gradient than the whole tape's, or more bytes than there were to have."""


def same_bits(found: Any, expected: Any) -> bool:
    """Whether two results, which may be tuples in tuples, agree to the bit."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same_bits, found, expected))
    a, b = np.asarray(found), np.asarray(expected)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@dataclass(frozen=True, slots=True)
class Within:
    """A derivative in its budget: compiled, what it gave, what was seen, and the first seconds."""

    compiled: Any
    results: Any
    seen: Any
    seconds: float

    @property
    def peak(self) -> int:
        """The most bytes, by both accounts."""
        return max(self.compiled.stats().peak_bytes, self.seen.peak_bytes)


@dataclass(frozen=True, slots=True)
class Bound:
    """A program at one size, with what was measured of it."""

    run: LongRun
    function: Value
    arguments: Arguments
    budget: int
    steps: int

    @staticmethod
    def of(run: LongRun, size: str) -> Bound:
        """Counts its steps and sees what it holds."""
        function, arguments = run.made(run.sizes[size]), run.data(run.sizes[size])
        own = run.own(arguments)
        budget = run.budget
        if budget is None:
            # A run without points holds nothing when it is looked at, but its argument it has.
            least = sum(np.asarray(arguments[k]).nbytes for k in run.argnums)
            budget = run.states * max(least, adapter.live_state(function, own))
        return Bound(run, function, arguments, budget, adapter.run_length(function, *own))

    def primal(self) -> Callable[[], Any]:
        """By interruptible code where the native stack is too small for the recursion."""
        own, function = self.run.own(self.arguments), self.function
        if self.run.deep:
            return lambda: adapter.endless(function, *own)
        compiled = adapter.primal(function)
        return lambda: compiled(*own)

    def derivative(self, memory: int | None) -> Any:
        return self.run.derivative(self.run, self.function, memory)

    def within(self) -> Within:
        """The derivative in the budget, called once."""
        compiled = self.derivative(self.budget)
        start = time.perf_counter()
        results, seen = adapter.recorded(partial(compiled, *self.arguments))
        seconds = time.perf_counter() - start - compiled.stats().compile_seconds
        found = Within(compiled, results, seen, seconds)
        # A budget inside of a program does not count the arrays of the program around it.
        given = [np.asarray(a).nbytes for a in self.arguments] if self.run.direction else []
        if found.peak > self.budget + sum(given):
            raise TapeUnlike(f"{self.run.name}: {found.peak} bytes in a budget of {self.budget}")
        return found

    def whole(self, compiled: Any, results: Any) -> int:
        """Bytes of the whole tape, whose bits the results have to have."""
        expected = compiled(*self.arguments)
        if not same_bits(results, expected):
            raise TapeUnlike(f"{self.run.name}: other bits in {self.budget} bytes")
        return compiled.stats().tape_bytes


def endurance(run: LongRun, bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The figures of one program; the bits are compared at the quick size in any case."""
    bound = Bound.of(run, "quick")
    found = bound.within()
    tape = bound.whole(bound.derivative(None), found.results)
    if not quick:
        small, bound = bound, Bound.of(run, "full")
        try:
            found = bound.within()
        except adapter.REFUSED as error:
            note = f"refused in {bound.budget / 1e3:,.1f} kB: {str(error).splitlines()[-1].strip()}"
            yield Figure("long_over_primal", run.name, None, note=note)
            return
        # About: a step of another size may record as much more.
        tape = tape * bound.steps // max(1, small.steps)
    ours = partial(found.compiled, *bound.arguments)
    pair = timed(ours, bound.primal(), found.seconds)
    yield figure("long_over_primal", run, bounds, pair, described(bound, found))
    if run.deep and not quick:
        said = "the whole tape needs a recursion that the native stack has no room for"
        yield Figure("long_over_tape", run.name, None, note=said)
    elif tape * TAPE_SHARE > available_bytes():
        said = f"a tape of about {tape / 1e9:.1f} GB was not tried"
        yield Figure("long_over_tape", run.name, None, note=said)
    else:
        plain = bound.derivative(None)
        tape = bound.whole(plain, found.results)
        pair = timed(ours, partial(plain, *bound.arguments), found.seconds)
        yield figure("long_over_tape", run, bounds, pair, f"tape {tape / 1e6:.3g} MB")


def timed(ours: Run, rival: Run, seconds: float) -> Pair:
    """In pairs, or once where that takes long."""
    if seconds < LONG:
        return interleave(ours, rival, 3)
    first, second = once(ours), once(rival)
    return Pair(first, second, first / second)


def described(bound: Bound, found: Within) -> str:
    """Budget, peak and repeated work."""
    seen, text = found.seen, f"{found.peak / 1e3:,.1f} of {bound.budget / 1e3:,.1f} kB"
    if seen.calls == 0:
        return f"{text}, an inner derivative"
    again = seen.recomputed_steps / max(1, seen.steps - seen.recomputed_steps)
    return f"{text}, {bound.steps:.2g} steps, {again:.2f} of them again, {seen.leaves} leaves"


def figure(kind: str, run: LongRun, bounds: Bounds, pair: Pair, note: str) -> Figure:
    bar = bounds.bar(kind, run.name)
    return Figure(kind, run.name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, "ms", bar, note)
