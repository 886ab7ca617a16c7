"""Long runs in little memory: same bits, bytes within the budget, time against primal and tape."""

from __future__ import annotations

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
from benchmarks.timing import Pair, interleave, once

__all__ = ["TapeUnlike", "endurance", "same_bits"]

LONG = 5.0
"""Seconds from which on a program is timed in one pair only."""

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

    def within(self) -> tuple[Any, Any, Any]:
        """The derivative in the budget: compiled, its results, and what was seen of them."""
        compiled = self.derivative(self.budget)
        results, seen = adapter.recorded(lambda: compiled(*self.arguments))
        peak = max(compiled.stats().peak_bytes, seen.peak_bytes)
        if peak > self.budget:
            raise TapeUnlike(f"{self.run.name}: {peak} bytes in a budget of {self.budget}")
        return compiled, results, seen

    def whole(self, compiled: Any, results: Any) -> int:
        """Bytes of the whole tape, whose bits the results have to have."""
        expected = compiled(*self.arguments)
        if not same_bits(results, expected):
            raise TapeUnlike(f"{self.run.name}: other bits in {self.budget} bytes")
        return compiled.stats().tape_bytes


def endurance(run: LongRun, bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The figures of one program; the bits are compared at the quick size in any case."""
    small = Bound.of(run, "quick")
    compiled, results, seen = small.within()
    tape = small.whole(small.derivative(None), results)
    bound = small
    if not quick:
        bound = Bound.of(run, "full")
        try:
            compiled, results, seen = bound.within()
        except adapter.REFUSED as error:
            note = f"refused in {bound.budget / 1e3:,.4g} kB: {str(error).splitlines()[-1].strip()}"
            yield Figure("long_over_primal", run.name, None, note=note)
            return
        # The tape of a run grows at least as its steps do; too large a guess costs a figure only.
        tape = tape * bound.steps // max(1, small.steps)
    pairs = 3 if quick or once(partial(compiled, *bound.arguments)) < LONG else 1
    note = described(bound, compiled, seen)
    ours = partial(compiled, *bound.arguments)
    yield figure("long_over_primal", run, bounds, interleave(ours, bound.primal(), pairs), note)
    if run.deep and not quick:
        said = "the whole tape needs a recursion that the native stack has no room for"
        yield Figure("long_over_tape", run.name, None, note=said)
    elif tape * TAPE_SHARE > available_bytes():
        said = f"a tape of about {tape / 1e9:.1f} GB was not tried"
        yield Figure("long_over_tape", run.name, None, note=said)
    else:
        plain = bound.derivative(None)
        tape = bound.whole(plain, results)
        pair = interleave(ours, partial(plain, *bound.arguments), pairs)
        yield figure("long_over_tape", run, bounds, pair, f"tape {tape / 1e6:.3g} MB")


def described(bound: Bound, compiled: Any, seen: Any) -> str:
    """Budget, peak and repeated work."""
    peak = max(compiled.stats().peak_bytes, seen.peak_bytes)
    text = f"{peak / 1e3:,.4g} of {bound.budget / 1e3:,.4g} kB, {bound.steps:.2g} steps"
    if seen.calls == 0:
        return f"{text}, an inner derivative"
    again = seen.recomputed_steps / max(1, seen.steps - seen.recomputed_steps)
    return f"{text}, {again:.2f} of them again, {seen.leaves} leaves"


def figure(kind: str, run: LongRun, bounds: Bounds, pair: Pair, note: str) -> Figure:
    bar = bounds.bar(kind, run.name)
    return Figure(kind, run.name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, "ms", bar, note)
