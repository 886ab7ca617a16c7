"""Programs cut into segments, and the hybrid that runs them.

A converted program (`retrograd.backends.cps.convert`) has a function for each stretch of code
between two places where control is passed on: a segment, whose parameters are the live variables.
It is evaluated in direct style, and what it returns goes to the next one, as its exit says. So the
state of a run is plain: a segment, its live values, and a stack of the same for the calls outside.
Those are the homes that native frames have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrograd.backends.cps.runs import MAX_DEPTH, Ended, Frame
from retrograd.backends.interp.eval import Machine
from retrograd.backends.interp.tape import Tape
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Program, Var
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.points.cost_model import chunk_end

__all__ = [
    "Asks", "AsksForChunk", "At", "Converted", "Either", "Enter", "Goto", "Kept", "LeaveFunction",
    "Segment", "Segments",
]  # fmt: skip

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Asks:
    """A point before a segment, and what is charged when it is passed."""

    place: int
    cost: int


@dataclass(frozen=True, slots=True)
class AsksForChunk:
    """A point that charges `cost` for each iteration that the segment runs.

    The last three parameters of the segment are the iterations done, the trip count, and the number
    of iterations to run, which is no part of the state. `from_end` is that of `charges.chunk_end`.
    """

    place: int
    cost: int
    from_end: bool


@dataclass(frozen=True, slots=True)
class Goto:
    """The results are the arguments of another segment."""

    segment: str


@dataclass(frozen=True, slots=True)
class Either:
    """The first result says which segment is next; those of `yes` have `count` arguments."""

    yes: str
    count: int
    no: str


@dataclass(frozen=True, slots=True)
class Enter:
    """Calls `function` with the first `count` results.

    What it returns goes to the segment `back`, followed by the other results. `place` is the number
    of the place inside of the call.
    """

    function: str
    count: int
    back: str
    place: int


@dataclass(frozen=True, slots=True)
class LeaveFunction:
    """The results are those of the function."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a function: a function of the converted program, how it begins and ends.

    `loops` are the counters and trip counts of the counted loops with points that it is in, the
    innermost first, and `made` the variables that conversion has added, those among them.
    """

    name: str
    function: str
    params: tuple[Var, ...]
    entry: Asks | AsksForChunk | None
    exit: Goto | Either | Enter | LeaveFunction
    loops: tuple[tuple[Var, Var], ...]
    made: frozenset[Var]

    def frame(self, place: int, names: Sequence[Var], values: Values) -> Frame:
        """What this segment's function is left with, at a place."""
        held = dict(zip(names, values, strict=False))
        loops = tuple((held[k], held[n]) for k, n in self.loops)
        live = {v.name: value for v, value in held.items() if v not in self.made}
        return Frame(self.function, place, live, loops)


@dataclass(frozen=True, slots=True, eq=False)
class Converted:
    """A program in segments; `first` has the first segment of each function.

    The program also has the functions that are never interrupted, as they were.
    """

    program: Program
    segments: Mapping[str, Segment]
    first: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A call that has not returned: what follows it, the live values then, the calls outside."""

    back: Segment
    place: int
    values: Values
    outer: Kept | None


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """Before a segment, with its live values."""

    segment: Segment
    values: Values
    outer: Kept | None


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The evaluator of a converted program; see `runs.Evaluator`."""

    converted: Converted
    prims: PrimitiveSet
    grain: int

    def begin(self, args: Sequence[Any]) -> At:
        """The state before the first statement."""
        converted = self.converted
        first = converted.segments[converted.program.entry]
        if len(args) != len(first.params):
            raise CompilerBug(f"{first.function!r} takes {len(first.params)} arguments")
        return At(first, tuple(args), None)

    def go(self, state: At, steps: int, limit: int, tape: Tape) -> tuple[At | Ended, int]:
        """Goes on to the first point with `limit` steps done, or to the end; the steps done."""
        table = {f.name: f for f in self.converted.program.functions}
        machine = Machine(table, self.prims, tape, MAX_DEPTH)
        while True:
            segment, values = state.segment, state.values
            match segment.entry:
                case None:
                    pass
                case _ if steps >= limit:
                    return state, steps
                case Asks(cost=cost):
                    steps += cost
                case AsksForChunk() as asks:
                    k, trips = values[-2:]
                    end = chunk_end(k, trips, limit - steps, asks.cost, self.grain, asks.from_end)
                    values = (*values, end - k)
                    steps += asks.cost * (end - k)
            after = self.passed_on(segment, machine.call(table[segment.name], values), state.outer)
            if isinstance(after, Ended):
                return after, steps
            state = after

    def passed_on(self, segment: Segment, values: Values, outer: Kept | None) -> At | Ended:
        """What follows a segment that has returned values."""
        table = self.converted.segments
        match segment.exit:
            case Goto(segment=name):
                return At(table[name], values, outer)
            case Either(yes=yes, count=count, no=no):
                if values[0]:
                    return At(table[yes], values[1 : 1 + count], outer)
                return At(table[no], values[1 + count :], outer)
            case Enter(function=function, count=count, back=back, place=place):
                kept = Kept(table[back], place, values[count:], outer)
                return At(table[self.converted.first[function]], values[:count], kept)
            case LeaveFunction():
                if outer is None:
                    return Ended(values)
                return At(outer.back, (*values, *outer.values), outer.outer)

    def frames(self, state: At) -> tuple[Frame, ...]:
        """The calls that an interrupted run is in, innermost first."""
        return tuple(_frames(state))


def _frames(state: At) -> Iterable[Frame]:
    segment = state.segment
    if segment.entry is None:
        raise CompilerBug("a run does not stop between points")
    yield segment.frame(segment.entry.place, segment.params, state.values)
    kept = state.outer
    while kept is not None:
        params = kept.back.params
        names = params[len(params) - len(kept.values) :]
        yield kept.back.frame(kept.place, names, kept.values)
        kept = kept.outer
