"""CPS conversion: a machine program becomes segments that pass control on.

As in Siskind and Pearlmutter (2018), section 7, the code is converted and then run in direct style;
as the language has no closures, a continuation is a segment and the live variables that it needs.
Every function is cut before its points and where paths meet. The conversion goes from the end of a
block to its beginning: what comes after a statement is an `Ending`, straight-line code and an exit,
whose free variables are what is live. Loops count, and keep the lanes of their sums, in variables
like others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.backends.cps.segments import (
    Asks,
    AsksForChunk,
    Converted,
    Either,
    Enter,
    Goto,
    LeaveFunction,
    Segment,
    Segments,
)
from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Prim,
    Program,
    Stm,
    Var,
    While,
    flit,
    ilit,
)  # fmt: skip
from retrograd.ir.traverse import free_vars, freshen_block, supply_for
from retrograd.ir.types import F64, I64, Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.reduce import BLOCK, LANES
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.points.atomic_regions import interruptible_functions, with_units
from retrograd.transforms.points.cost_model import (
    CALL,
    CallPlace,
    call_places,
    iteration_cost,
    pointful,
    runs_in_chunks,
)

__all__ = ["by_segments", "converted"]

Exit = Goto | Either | Enter | LeaveFunction
Entry = Asks | AsksForChunk | None


def by_segments(program: Program, prims: PrimitiveSet, grain: int = LANES) -> Segments:
    """The hybrid: a machine program, converted, with its segments run in direct style.

    Args:
        program: its points are numbered, and derivative nodes are gone.
        prims: the primitives.
        grain: that of `charges.chunk_end`, the same as for native code.

    >>> from retrograd.backends.cps.runs import interrupt, resume
    >>> from retrograd.ir.parse import parse_program
    >>> from retrograd.prims import DEFAULT
    >>> program = parse_program('''program f
    ... function f(n: i64) -> (i64):
    ...   a: i64 = while (c: i64 = 1) point=0:
    ...       go: bool = lt(c, n)
    ...       yield go
    ...     do:
    ...       d: i64 = add(c, c)
    ...       yield d
    ...   return a
    ... ''')
    >>> capsule = interrupt(by_segments(program, DEFAULT), (1000,), 3)
    >>> {name: int(value) for name, value in capsule.frames[0].live.items()}
    {'c': 8, 'n': 1000}
    >>> int(resume(capsule)[0])
    1024
    """
    return Segments(converted(program, prims), prims, grain)


def converted(program: Program, prims: PrimitiveSet) -> Converted:
    """A machine program (points are numbered, derivative nodes are gone) in segments.

    The result is well typed, but does not say who consumes which array: a segment hands on what the
    next one needs, under all its names.
    """
    program = with_units(program, supply_for(program), prims)
    names, recursive = supply_for(program), recursive_functions(program)
    pointed = interruptible_functions(program)
    segments: dict[str, Segment] = {}
    functions = [f for f in program.functions if f.name not in pointed]
    first: dict[str, str] = {}
    for function in program.functions:
        if function.name in pointed:
            work = _Converter(function, call_places(function, recursive), names, prims)
            first[function.name] = work.function_in_segments()
            segments |= {s.name: s for s in work.segments}
            functions += work.functions
    return Converted(Program(tuple(functions), first[program.entry]), segments, first)


@dataclass(frozen=True, slots=True)
class _Ending:
    """Straight-line code, what it hands on, and to whom."""

    stms: tuple[Stm, ...]
    results: tuple[Atom, ...]
    exit: Exit

    def needs(self, bound: Iterable[Var] = ()) -> tuple[Var, ...]:
        """Its free variables, without those of `bound`."""
        given = frozenset(bound)
        free = free_vars(Block(self.stms, self.results))
        return tuple(v for v in free if v not in given)

    def after(self, stms: Sequence[Stm]) -> _Ending:
        """The same with statements before it."""
        return replace(self, stms=(*stms, *self.stms))


Finish = Callable[[Sequence[Atom]], _Ending]
"""What is done with the results of a block."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """A counted loop: its counter and trip count, the lanes and totals of its sums.

    `env` is what it needs besides, inside or after it.
    """

    expr: For
    k: Var
    trips: Var
    lanes: tuple[Var, ...]
    totals: tuple[Var, ...]
    env: tuple[Var, ...]

    @property
    def state(self) -> tuple[Var, ...]:
        """All that it is between two iterations."""
        return (*self.expr.carried, *self.lanes, *self.totals, *self.env, self.k, self.trips)


@dataclass(slots=True)
class _Converter:
    """The conversion of one function."""

    source: Function
    places: Mapping[int, CallPlace]
    names: NameSupply
    prims: PrimitiveSet
    segments: list[Segment] = field(default_factory=list[Segment])
    functions: list[Function] = field(default_factory=list[Function])
    loops: tuple[tuple[Var, Var], ...] = ()
    made: set[Var] = field(default_factory=set[Var])

    def function_in_segments(self) -> str:
        """Converts the function; the name of its first segment."""
        body, params = self.source.body, self.source.params
        whole = self.block(body, lambda results: _Ending((), tuple(results), LeaveFunction()))
        name = self.names.name(self.source.name)
        self.segment(name, params, whole)
        return name

    def segment(
        self, name: str, params: tuple[Var, ...], code: _Ending, entry: Entry = None
    ) -> None:
        """Adds a segment."""
        made = frozenset(v for v in params if v in self.made)
        self.segments.append(
            Segment(name, self.source.name, params, entry, code.exit, self.loops, made)
        )
        self.functions.append(Function(name, params, Block(code.stms, code.results)))

    def block(self, block: Block, finish: Finish) -> _Ending:
        """A block and what is done with its results, as far as it is straight."""
        stms = block.stms
        for position, stm in enumerate(stms):
            if pointful(stm.expr):
                rest = self.block(Block(stms[position + 1 :], block.results), finish)
                return self.statement(stm, rest).after(stms[:position])
        return finish(block.results).after(stms)

    def statement(self, stm: Stm, rest: _Ending) -> _Ending:
        """A statement with points, and what comes after it."""
        match stm.expr:
            case Call() as expr:
                return self.call(stm, expr, rest)
            case If() as expr:
                return self.branch(stm, expr, rest)
            case While() as expr:
                return self.conditional(stm, expr, rest)
            case For() as expr:
                return self.counted(stm, expr, rest)
            case expr:
                raise CompilerBug(f"{type(expr).__name__} has points", stm.prov.span)

    def joined(self, stm: Stm, rest: _Ending, entry: Entry = None) -> tuple[str, tuple[Var, ...]]:
        """A segment for what comes after a statement: its name; what it needs but the results."""
        name, others = self.names.name(f"{self.source.name}_after"), rest.needs(stm.outs)
        self.segment(name, (*stm.outs, *others), rest, entry)
        return name, others

    def call(self, stm: Stm, expr: Call, rest: _Ending) -> _Ending:
        assert expr.point is not None
        place = self.places[expr.point]
        entry = None if place.after is None else Asks(place.after, CALL)
        back, others = self.joined(stm, rest, entry)
        enter = Enter(expr.function, len(expr.args), back, place.inside)
        call = _Ending((), (*expr.args, *others), enter)
        name, params = self.names.name(f"{self.source.name}_call"), call.needs()
        self.segment(name, params, call, Asks(expr.point, CALL))
        return _Ending((), params, Goto(name))

    def branch(self, stm: Stm, expr: If, rest: _Ending) -> _Ending:
        after, others = self.joined(stm, rest)
        sides: list[tuple[str, tuple[Var, ...]]] = []
        for hint, inner in (("then", expr.then), ("else", expr.orelse)):
            code = self.block(inner, lambda rs: _Ending((), (*rs, *others), Goto(after)))
            name = self.names.name(f"{self.source.name}_{hint}")
            self.segment(name, code.needs(), code)
            sides.append((name, code.needs()))
        (yes, one), (no, two) = sides
        return _Ending((), (expr.cond, *one, *two), Either(yes, len(one), no))

    def conditional(self, stm: Stm, expr: While, rest: _Ending) -> _Ending:
        after, others = self.joined(stm, rest)
        env = _besides(expr.carried, free_vars(expr.cond), free_vars(expr.body), others)
        state = (*expr.carried, *env)
        head, body = (self.names.name(f"{self.source.name}_{h}") for h in ("test", "body"))

        def tested(results: Sequence[Atom]) -> _Ending:
            given = (*results, *state, *expr.carried, *others)
            return _Ending((), given, Either(body, len(state), after))

        self.segment(head, state, self.block(expr.cond, tested))
        again = self.block(expr.body, lambda rs: _Ending((), (*rs, *env), Goto(head)))
        asks = None if expr.point is None else Asks(expr.point, iteration_cost(expr.body))
        self.segment(body, state, again, asks)
        return _Ending((), (*expr.inits, *env), Goto(head))

    def counted(self, stm: Stm, expr: For, rest: _Ending) -> _Ending:
        after, others = self.joined(stm, rest)
        k, trips = self.new("done", I64), self.new("trips", I64)
        lanes = tuple(self.new("lanes", F64.with_rank(1)) for _ in range(expr.sums))
        totals = tuple(self.new("total", F64) for _ in range(expr.sums))
        env = _besides((expr.index, *expr.carried), free_vars(expr.body), others)
        loop = _Loop(expr, k, trips, lanes, totals, env)
        head, body = (self.names.name(f"{self.source.name}_{h}") for h in ("head", "body"))
        outer, self.loops = self.loops, ((k, trips), *self.loops)
        b = self.builder()
        test = b.prim("lt", k, trips)
        given = (test, *loop.state, *expr.carried, *totals, *others)
        either = Either(body, len(loop.state), after)
        self.segment(head, loop.state, _Ending(tuple(b.stms), given, either))
        if runs_in_chunks(expr, self.prims):
            self.chunk(loop, head, body)
        else:
            self.each(loop, head, body)
        self.loops = outer
        b = self.builder()
        zeros = [b.prim("zeros", ilit(LANES), dtype="f64") for _ in lanes]
        none = [flit(0.0)] * len(totals)
        given = (*expr.inits, *zeros, *none, *env, ilit(0), expr.trips)
        return _Ending(tuple(b.stms), given, Goto(head))

    def each(self, loop: _Loop, head: str, name: str) -> None:
        """The segments of a loop that may stop before each iteration."""
        expr, count = loop.expr, len(loop.expr.carried)

        def turn(results: Sequence[Atom]) -> _Ending:
            b = self.builder()
            lanes, totals = _summed(b, loop, loop.lanes, loop.totals, loop.k, results[count:])
            given = (*results[:count], *lanes, *totals, *loop.env, b.add(loop.k, ilit(1)))
            return _Ending(tuple(b.stms), (*given, loop.trips), Goto(head))

        b = self.builder()
        index = _index(b, loop, loop.k)
        body = self.block(expr.body, turn).after([*b.stms, Stm((expr.index,), index)])
        asks = None if expr.point is None else Asks(expr.point, iteration_cost(expr.body))
        self.segment(name, loop.state, body, asks)

    def chunk(self, loop: _Loop, head: str, name: str) -> None:
        """The segment of a loop that runs some iterations at once."""
        expr = loop.expr
        assert expr.point is not None
        count, j = self.new("count", I64), self.names.var("j", I64)
        inner = self.builder()
        k = inner.prim("add", loop.k, j)
        (index,) = inner.bind(_index(inner, loop, k), [I64])
        held = tuple(
            self.names.var(v.name, v.type) for v in (*expr.carried, *loop.lanes, *loop.totals)
        )
        given = dict(
            zip((*expr.carried, expr.index), (*held[: len(expr.carried)], index), strict=True)
        )
        body = freshen_block(expr.body, self.names, given)
        inner.stms += body.stms
        at, sums = len(expr.carried), expr.sums
        lanes, totals = _summed(
            inner, loop, held[at : at + sums], held[at + sums :], k, body.results[at:]
        )
        block = inner.block((*body.results[:at], *lanes, *totals))
        now = (*expr.carried, *loop.lanes, *loop.totals)
        b = self.builder()
        some = b.bind(For(j, count, held, now, block, block=expr.block), [v.type for v in held])
        done = b.add(loop.k, count)
        code = _Ending(tuple(b.stms), (*some, *loop.env, done, loop.trips), Goto(head))
        asks = AsksForChunk(expr.point, iteration_cost(expr.body), not expr.sums)
        self.segment(name, (*loop.state, count), code, asks)

    def builder(self) -> Builder:
        return Builder(self.names, self.prims.result_types)

    def new(self, hint: str, type_: Type) -> Var:
        """A variable that the function does not have."""
        var = self.names.var(hint, type_)
        self.made.add(var)
        return var


def _besides(bound: Sequence[Var], *needed: Iterable[Var]) -> tuple[Var, ...]:
    """What is needed and not bound, each once."""
    given = frozenset(bound)
    return tuple(dict.fromkeys(v for some in needed for v in some if v not in given))


def _index(b: Builder, loop: _Loop, k: Var) -> Prim:
    """The loop index of iteration number `k`."""
    if not loop.expr.descending:
        return Prim("add", (k, ilit(0)))
    return Prim("sub", (b.sub(loop.trips, ilit(1)), k))


def _summed(
    b: Builder, loop: _Loop, lanes: Sequence[Var], totals: Sequence[Var], k: Atom,
    terms: Sequence[Atom],
) -> tuple[list[Atom], list[Atom]]:  # fmt: skip
    """Lanes and totals with the terms of iteration number `k`.

    Adding up all 32 lanes is the fold of lanes that `prims.reduce` defines.
    """
    if not terms:
        return [], []
    few = b.prim("lt", loop.trips, ilit(LANES))
    lane = _either(b, few, lambda _: [ilit(0)], lambda c: [c.prim("mod", k, ilit(LANES))])[0]
    done = b.add(k, ilit(1))
    last = b.prim("eq", done, loop.trips)
    full = b.prim("eq", b.prim("mod", done, ilit(BLOCK)), ilit(0))
    folds = b.prim("or_", last, full)
    found: tuple[list[Atom], list[Atom]] = [], []
    for lane_sums, total, term in zip(lanes, totals, terms, strict=True):
        old = b.prim("index", lane_sums, lane, checked=False, span=None)
        more = b.prim("update", lane_sums, b.add(old, term), lane, checked=False, span=None)

        def folded(c: Builder, more: Var = more, total: Var = total) -> list[Atom]:
            whole = c.prim("reduce_sum", more, axes=(0,), keepdims=False)
            return [c.prim("zeros", ilit(LANES), dtype="f64"), c.add(total, whole)]

        new, now = _either(b, folds, folded, lambda _, more=more, total=total: [more, total])
        found[0].append(new)
        found[1].append(now)
    return found


def _either(
    b: Builder, cond: Atom, then: Callable[[Builder], list[Atom]],
    orelse: Callable[[Builder], list[Atom]],
) -> tuple[Var, ...]:  # fmt: skip
    yes, no = b.inner(), b.inner()
    one, two = yes.block(then(yes)), no.block(orelse(no))
    return b.bind(If(cond, one, two), [a.type for a in one.results])
