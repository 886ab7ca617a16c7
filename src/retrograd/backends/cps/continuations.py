"""The machine program evaluated in continuation-passing style.

A continuation is a chain of records, each of which says what is done with the values of a
statement, an iteration or a call, and holds the variables that this needs. A state is what is done
next with the continuation after it. A loop makes a state of the state before; so the depth of a run
is bounded by memory, and an interrupted run is its state. Units are evaluated in direct style:
nothing stops inside of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrograd.backends.cps.code import Code, code_of
from retrograd.backends.cps.runs import MAX_DEPTH, Ended, Frame
from retrograd.backends.cps.states import (
    Again,
    Calling,
    Conditional,
    Counted,
    Entered,
    Env,
    Give,
    Head,
    Leave,
    Rest,
    Returned,
    Run,
    State,
    Test,
    Tested,
    Then,
    Turn,
    Values,
    carried,
    is_point,
)
from retrograd.backends.cps.sums import OpenSum
from retrograd.backends.interp.eval import Machine
from retrograd.backends.interp.tape import Tape
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Atom, Call, For, If, Program, Var, While
from retrograd.ir.traverse import supply_for
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.reduce import LANES
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.points.atomic_regions import interruptible_functions, with_units
from retrograd.transforms.points.cost_model import (
    CALL,
    CallPlace,
    call_places,
    chunk_end,
    iteration_cost,
    runs_in_chunks,
)

__all__ = ["Continuations", "by_continuations"]


def by_continuations(program: Program, prims: PrimitiveSet, grain: int = LANES) -> Continuations:
    """The evaluator of a machine program, for `runs.primops` and `runs.interrupt`.

    Args:
        program: its points are numbered, and derivative nodes are gone.
        prims: the primitives.
        grain: that of `charges.chunk_end`, the same as for native code.

    >>> from retrograd.backends.cps.runs import interrupt, resume
    >>> from retrograd.ir.parse import parse_program
    >>> from retrograd.prims import DEFAULT
    >>> program = parse_program('''program f
    ... function f(n: i64) -> (i64):
    ...   a: i64 = for k < n with (c: i64 = 0) point=0:
    ...       d: i64 = add(c, k)
    ...       yield d
    ...   return a
    ... ''')
    >>> capsule = interrupt(by_continuations(program, DEFAULT, 1), (10,), 4)
    >>> capsule.steps, int(capsule.frames[0].live["c"]), capsule.frames[0].loops
    (4, 6, ((4, 10),))
    >>> int(resume(capsule)[0])
    45
    """
    program = with_units(program, supply_for(program), prims)
    recursive = recursive_functions(program)
    pointed = interruptible_functions(program)
    code = {
        f.name: code_of(f.body, call_places(f, recursive))
        for f in program.functions
        if f.name in pointed
    }
    return Continuations(program, prims, grain, code)


@dataclass(frozen=True, slots=True, eq=False)
class Continuations:
    """The evaluator of one program; `code` has the functions that can be interrupted.

    It is a `runs.Evaluator`.
    """

    program: Program
    prims: PrimitiveSet
    grain: int
    code: Mapping[str, Code]

    def begin(self, args: Sequence[Any]) -> State:
        """The state before the first statement."""
        main = self.program.main
        if len(args) != len(main.params):
            raise CompilerBug(f"{main.name!r} takes {len(main.params)} arguments")
        env = dict(zip((p.name for p in main.params), args, strict=True))
        return Run(self.code[main.name], 0, env, None)

    def go(self, state: State, steps: int, limit: int, tape: Tape) -> tuple[State | Ended, int]:
        """Goes on to the first point with `limit` steps done, or to the end; the steps done."""
        table = {f.name: f for f in self.program.functions}
        leg = _Leg(self, Machine(table, self.prims, tape, MAX_DEPTH), steps, limit)
        while True:
            match state:
                case Run():
                    state = leg.run(state)
                case Give(values=values, then=None):
                    return Ended(values), leg.steps
                case Give():
                    state = leg.give(state.values, state.then)
                case Test():
                    loop = state.loop
                    env = {**loop.env, **carried(loop.expr, state.values)}
                    state = Run(loop.part.inner[0], 0, env, Tested(loop, state.values))
                case Head() if state.k >= state.loop.trips:
                    totals = (s.total for s in state.sums)
                    state = Give((*state.values, *totals), state.loop.then)
                case _ if is_point(state) and leg.steps >= limit:
                    return state, leg.steps
                case _:
                    state = leg.after_point(state)

    def frames(self, state: State) -> tuple[Frame, ...]:
        """The calls that an interrupted run is in, innermost first."""
        place, live, loops, then = _here(state)
        found: list[Frame] = []
        while then is not None:
            match then:
                case Rest():
                    live |= then.env
                    then = then.then
                case Turn():
                    live |= then.loop.env
                    loops.append((then.k, then.loop.trips))
                    then = then.loop.then
                case Tested():
                    live |= {**then.loop.env, **carried(then.loop.expr, then.values)}
                    then = then.loop.then
                case Again():
                    live |= then.loop.env
                    then = then.loop.then
                case Leave():
                    found.append(Frame(then.callee, place, live, tuple(loops)))
                    place, live, loops = then.place.inside, dict[str, Any](), []
                    then = then.then
        return (*found, Frame(self.program.entry, place, live, tuple(loops)))


@dataclass(slots=True)
class _Leg:
    """The transitions of one leg, and the steps done by then."""

    evaluator: Continuations
    machine: Machine
    steps: int
    limit: int

    def run(self, state: Run) -> State:
        code, env, position = state.code, state.env, state.part
        if position == len(code.parts):
            for stm in code.last:
                self.machine.stm(stm, env)
            return Give(_values(code.results, env), state.then)
        part = code.parts[position]
        for stm in part.unit:
            self.machine.stm(stm, env)
        rest = Rest(code, position + 1, {n: env[n] for n in part.rest}, state.then)
        inside = {n: env[n] for n in part.inside}
        match part.stm.expr:
            case If(cond=cond):
                taken = part.inner[0 if _value(cond, env) else 1]
                return Run(taken, 0, inside, rest)
            case For() as expr:
                trips = max(0, int(_value(expr.trips, env)))
                loop = Counted(part, expr, trips, inside, rest)
                return Head(loop, 0, _values(expr.inits, env), (OpenSum(trips),) * expr.sums)
            case While() as expr:
                return Test(Conditional(part, expr, inside, rest), _values(expr.inits, env))
            case Call() as expr:
                return Calling(part, expr, _values(expr.args, env), rest)
            case expr:
                raise CompilerBug(f"{type(expr).__name__} has points", part.stm.prov.span)

    def give(self, values: Values, then: Then) -> State:
        """What a continuation that is not the end does with values."""
        match then:
            case Rest():
                outs = then.code.parts[then.part - 1].stm.outs
                env = {**then.env, **dict(zip((v.name for v in outs), values, strict=True))}
                return Run(then.code, then.part, env, then.then)
            case Turn(loop=loop, k=k, sums=sums):
                count = len(loop.expr.carried)
                terms = values[count:]
                sums = tuple(s.added(k, [t]) for s, t in zip(sums, terms, strict=True))
                return Head(loop, k + 1, values[:count], sums)
            case Tested(loop=loop):
                return Entered(loop, then.values) if values[0] else Give(then.values, loop.then)
            case Again():
                return Test(then.loop, values)
            case Leave(place=CallPlace(after=None)):
                return Give(values, then.then)
            case Leave(place=CallPlace(after=int(place))):
                return Returned(then.part, place, values, then.then)
            case _:
                raise CompilerBug("values for no one")

    def after_point(self, state: State) -> State:
        """What follows a point at which there are steps left."""
        match state:
            case Head(loop=loop):
                if runs_in_chunks(loop.expr, self.machine.prims):
                    return self.chunk(state)
                if loop.expr.point is not None:
                    self.steps += iteration_cost(loop.expr.body)
                index = loop.trips - 1 - state.k if loop.expr.descending else state.k
                env = {**loop.env, loop.expr.index.name: index}
                env |= carried(loop.expr, state.values)
                return Run(loop.part.inner[0], 0, env, Turn(loop, state.k, state.sums))
            case Entered(loop=loop):
                if loop.expr.point is not None:
                    self.steps += iteration_cost(loop.expr.body)
                env = {**loop.env, **carried(loop.expr, state.values)}
                return Run(loop.part.inner[1], 0, env, Again(loop))
            case Calling(expr=expr):
                self.steps += CALL
                callee = self.machine.functions[expr.function]
                env = dict(zip((p.name for p in callee.params), state.args, strict=True))
                assert state.part.place is not None
                leave = Leave(expr.function, state.part, state.part.place, state.then)
                return Run(self.evaluator.code[expr.function], 0, env, leave)
            case Returned():
                self.steps += CALL
                return Give(state.values, state.then)
            case _:
                raise CompilerBug(f"no point is before {type(state).__name__}")

    def chunk(self, state: Head) -> State:
        """As many iterations at once as there are steps left for."""
        loop, k, expr = state.loop, state.k, state.loop.expr
        cost = iteration_cost(expr.body)
        end = chunk_end(
            k, loop.trips, self.limit - self.steps, cost, self.evaluator.grain, not expr.sums
        )
        self.steps += cost * (end - k)
        top = loop.trips - 1
        indices = range(top - k, top - end, -1) if expr.descending else range(k, end)
        values, terms = self.machine.iterations(expr, indices, state.values, dict(loop.env))
        sums = tuple(s.added(k, t) for s, t in zip(state.sums, terms, strict=True))
        return Head(loop, end, values, sums)


def _value(atom: Atom, env: Env) -> Any:
    return env[atom.name] if isinstance(atom, Var) else atom.value


def _values(atoms: Sequence[Atom], env: Env) -> Values:
    return tuple([_value(a, env) for a in atoms])


def _here(state: State) -> tuple[int, dict[str, Any], list[tuple[int, int]], Then]:
    """Of a state at a point: its number, what it holds itself, the loop that it is at, and then."""
    match state:
        case Head(loop=loop) if loop.expr.point is not None:
            live = {**loop.env, **carried(loop.expr, state.values)}
            return loop.expr.point, live, [(state.k, loop.trips)], loop.then
        case Entered(loop=loop) if loop.expr.point is not None:
            live = {**loop.env, **carried(loop.expr, state.values)}
            return loop.expr.point, live, [], loop.then
        case Calling(expr=expr) if expr.point is not None:
            pairs = zip(expr.args, state.args, strict=True)
            live = {a.name: value for a, value in pairs if isinstance(a, Var)}
            return expr.point, live, [], state.then
        case Returned():
            names = (v.name for v in state.part.stm.outs)
            return state.place, dict(zip(names, state.values, strict=True)), [], state.then
        case _:
            raise CompilerBug("a run does not stop between points")
