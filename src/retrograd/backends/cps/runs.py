"""`primops`, `interrupt` and `resume` by an evaluator whose continuations are data.

As in Siskind and Pearlmutter, "Divide-and-conquer checkpointing for arbitrary programs with no user
annotation" (2018), sections 5 to 7: an evaluator counts the steps n of a run and has a limit l;
where n has reached l it returns what is left to do as a capsule. What a step costs and where a run
asks is `retrograd.transforms.points.cost_model`, as for native code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from retrograd.backends.interp.eval import evaluating
from retrograd.backends.interp.tape import Tape
from retrograd.errors import CompilerBug, UserError

__all__ = ["MAX_DEPTH", "Capsule", "Ended", "Evaluator", "Frame", "interrupt", "primops", "resume"]

Values = tuple[Any, ...]
S = TypeVar("S")

_ENDLESS = 1 << 62
"""A limit that no run reaches."""

MAX_DEPTH = 1000
"""How deep calls go inside of a unit; calls with points are bounded by memory."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has come to its end."""

    results: Values


@dataclass(frozen=True, slots=True)
class Frame:
    """One call that an interrupted run is in, as a frame of native code has it.

    `place` is the number of the point or of the call where it is, `live` has the values that are
    used from there on, by name, and `loops` (iterations done, trip count) of the counted loops with
    points that it is in, the innermost first.
    """

    function: str
    place: int
    live: Mapping[str, Any]
    loops: tuple[tuple[int, int], ...]


class Evaluator(Protocol[S]):
    """A program that can be run from any state of type S."""

    def begin(self, args: Sequence[Any]) -> S:
        """The state before the first statement."""
        ...

    def go(self, state: S, steps: int, limit: int, tape: Tape) -> tuple[S | Ended, int]:
        """Goes on to the first point with `limit` steps done, or to the end; the steps done."""
        ...

    def frames(self, state: S) -> tuple[Frame, ...]:
        """The calls that an interrupted run is in, innermost first."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Capsule(Generic[S]):
    """An interrupted run as data: nothing in it is ever changed, so it can be resumed again."""

    evaluator: Evaluator[S]
    state: S
    steps: int
    tape: Tape

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The calls that it is in, innermost first."""
        return self.evaluator.frames(self.state)

    def __repr__(self) -> str:
        return f"<Capsule after {self.steps} steps>"


def primops(evaluator: Evaluator[S], args: Sequence[Any]) -> tuple[Values, int]:
    """Results of a run, and its length in steps.

    >>> from retrograd.backends.cps.continuations import by_continuations
    >>> from retrograd.ir.parse import parse_program
    >>> from retrograd.prims import DEFAULT
    >>> program = parse_program('''program f
    ... function f(n: i64) -> (i64):
    ...   a: i64 = for k < n with (c: i64 = 0) point=0:
    ...       d: i64 = add(c, k)
    ...       yield d
    ...   return a
    ... ''')
    >>> (total,), steps = primops(by_continuations(program, DEFAULT), (10,))
    >>> int(total), steps
    (45, 10)
    """
    tape = Tape()
    with evaluating(MAX_DEPTH):
        state, steps = evaluator.go(evaluator.begin(args), 0, _ENDLESS, tape)
    if not isinstance(state, Ended):
        raise CompilerBug("a run without a limit was interrupted")
    return state.results, steps


def interrupt(evaluator: Evaluator[S], args: Sequence[Any], steps: int) -> Capsule[S] | Values:
    """Runs up to the first point at which `steps` steps have been done.

    Returns a capsule, or the results where the run ends before that.

    Raises:
        UserError: `steps` is not a positive int.
        RaisedError: what the program raises.
    """
    _check(steps)
    return _leg(evaluator, evaluator.begin(args), 0, steps, Tape())


def resume(capsule: Capsule[S], steps: int | None = None) -> Capsule[S] | Values:
    """Goes on with an interrupted run, to its end or for so many steps more; as `interrupt`."""
    if steps is not None:
        _check(steps)
    limit = _ENDLESS if steps is None else capsule.steps + steps
    return _leg(capsule.evaluator, capsule.state, capsule.steps, limit, capsule.tape.copy())


def _leg(
    evaluator: Evaluator[S], state: S, steps: int, limit: int, tape: Tape
) -> Capsule[S] | Values:
    with evaluating(MAX_DEPTH):
        after, steps = evaluator.go(state, steps, limit, tape)
    if isinstance(after, Ended):
        return after.results
    return Capsule(evaluator, after, steps, tape)


def _check(steps: object) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 0 < steps <= _ENDLESS:
        raise UserError(
            "RG4002", f"{steps!r} steps", way_out="give a positive number of steps, as an int"
        )
