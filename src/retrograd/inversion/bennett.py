"""Bennett's scheme: many steps that lose information, run reversibly in few states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from retrograd.api import tree
from retrograd.api.functions import jit
from retrograd.api.products import vjp
from retrograd.errors import UserError
from retrograd.tracebacks import shows_user_frames

__all__ = ["BennettRun", "bennett"]


@dataclass(frozen=True, slots=True)
class BennettRun:
    """What a run by Bennett's scheme gave, and what it took.

    Attributes:
        state: the state after all steps.
        state_bar: the cotangent of the first state, None where none was given for the last.
        calls: how often the step was evaluated, on the way there and back.
        pullbacks: how often a cotangent went back through a step, which evaluates it once more.
        peak_states: the most states that were held at one time, the first one included.
    """

    state: Any
    state_bar: Any
    calls: int
    pullbacks: int
    peak_states: int

    def __str__(self) -> str:
        back = f" and {self.pullbacks:,} pullbacks" if self.pullbacks else ""
        return f"{self.calls:,} calls{back} in {self.peak_states} states"


@dataclass(slots=True)
class _Machine:
    """The states that are held, by the number of their step."""

    step: Callable[[Any], Any]
    held: dict[int, Any]
    calls: int = 0
    pullbacks: int = 0
    peak: int = 1
    bars: dict[int, Any] = field(default_factory=dict[int, Any])

    def make(self, k: int) -> None:
        """State k + 1 of state k."""
        self.held[k + 1] = self.step(self.held[k])
        self.calls += 1
        self.peak = max(self.peak, len(self.held))

    def unmake(self, k: int) -> None:
        """State k + 1 is calculated once more and taken off itself: its place is free again."""
        self.step(self.held[k])
        self.calls += 1
        del self.held[k + 1]

    def pull(self, k: int) -> None:
        """The same, and the cotangent of state k + 1 goes to state k."""
        _, pullback = vjp(self.step, self.held[k])
        (gained,) = pullback(self.bars.pop(k + 1))
        self.pullbacks += 1
        so_far = self.bars.get(k)
        self.bars[k] = gained if so_far is None else tree.map(_sum, so_far, gained)
        del self.held[k + 1]


def _sum(a: Any, b: Any) -> Any:
    return a + b


def _moves(first: int, last: int, parts: int) -> Iterator[tuple[int, bool]]:
    """The steps that make state `last` of state `first`, and no other; each made or unmade."""
    length = last - first
    if length == 1:
        yield first, True
        return
    ends = [first + length * k // min(parts, length) for k in range(min(parts, length) + 1)]
    stretches = list(pairwise(ends))
    for one in stretches:
        yield from _moves(*one, parts)
    for one in reversed(stretches[:-1]):
        yield from _undone(_moves(*one, parts))


def _undone(moves: Iterator[tuple[int, bool]]) -> Iterator[tuple[int, bool]]:
    return iter([(k, not made) for k, made in reversed(list(moves))])


@shows_user_frames
def bennett(
    step: Callable[[Any], Any], state: Any, n: int, k: int = 2, state_bar: Any = None
) -> BennettRun:
    """n steps by Bennett's scheme, and the cotangent of the first state.

    A step may lose information: no state is undone by an inverse, but by calculating it once more
    of the one before. With n = k^m there are (2k - 1)^m calls in m (k - 1) + 2 states. Treeverse
    (`memory=`) takes fewer calls in as many states, since it may forget.

    Args:
        step: a function of a state (a float, an array or a tree of these) that gives the next one;
            it is compiled.
        state: the first state.
        n: how many steps, at least 1.
        k: into how many parts a stretch of steps is divided, at least 2.
        state_bar: the cotangent of the last state. With it the run is followed by the run back,
            which gives the cotangent of the first one.

    Raises:
        UserError: `n` or `k` is too small (RG0511).

    Source: Bennett 1989, "Time/space trade-offs for reversible computation"; Liu and Zhao 2020,
    section 5.

    >>> import retrograd as rg
    >>> run = rg.bennett(lambda x: x + 0.1 * x * (1.0 - x), 0.5, 16, state_bar=1.0)
    >>> print(run)
    146 calls and 16 pullbacks in 6 states
    """
    if n < 1 or k < 2:
        raise UserError(
            "RG0511", f"{n} steps in stretches of {k} parts",
            way_out="take at least one step, and at least two parts",
        )  # fmt: skip
    machine = _Machine(jit(step), {0: state})
    moves = list(_moves(0, n, k))
    for at, made in moves:
        (machine.make if made else machine.unmake)(at)
    last = machine.held[n]
    if state_bar is not None:
        machine.bars[n] = state_bar
        for at, made in reversed(moves):
            if not made:
                machine.make(at)
            elif at + 1 in machine.bars:
                machine.pull(at)
            else:
                machine.unmake(at)
    return BennettRun(last, machine.bars.get(0), machine.calls, machine.pullbacks, machine.peak)
