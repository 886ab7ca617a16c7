"""Running maxima and minima in lanes.

    for i: m = x[i] if x[i] > m else m        (or <, or NumPy's maximum and minimum)

Each of 32 lanes takes every 32nd element, from the same start, and the lanes are merged by the same
step. That is what the loop would have found, to the bit, except where it found a zero: which of
0.0 and -0.0 came first is not known to lanes. Then the loop is run as it stands.

NaN: a comparison with NaN is false, so such an element is never taken, and a start that is NaN
stays, in every lane. NumPy's functions hand a NaN on, in every order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Lit, Prim, Program, Stm, Var, ilit, true
from retrograd.ir.types import F64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.loops.facts import (
    LANES,
    each_loop,
    element,
    inlined,
    loop,
    place,
    plain,
    pure,
    stored,
    variables,
    whole_blocks,
)

__all__ = ["lane_extremes"]

_FLIPPED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}


def lane_extremes(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Puts the running extremes of every loop that does nothing else in lanes."""

    def rewrite(stm: Stm, expr: For) -> list[Stm] | None:
        short = isinstance(expr.trips, Lit) and expr.trips.value < prims.costs.extreme_trips
        if short or not plain(expr) or not expr.carried:
            return None
        found = _extremes(expr, prims)
        if found is None:
            return None
        b = Builder(names, prims.result_types, stm.prov)
        _emit(b, names, stm, expr, *found, prims.costs.extreme_trips)
        return b.stms

    return each_loop(program, rewrite)


@dataclass(frozen=True, slots=True)
class _Extreme:
    """`op` combines: a comparison under which `candidate` replaces the value, or NumPy's function.

    `first` says that the candidate is the first operand of NumPy's function.
    """

    op: str
    candidate: Atom
    first: bool = False

    def step(self, b: Builder, candidate: Atom, value: Atom) -> Atom:
        """The value after one more candidate."""
        if self.op in _FLIPPED:
            return b.prim("select", b.prim(self.op, candidate, value), candidate, value)
        return b.prim(self.op, *((candidate, value) if self.first else (value, candidate)))


def _extremes(expr: For, prims: PrimitiveSet) -> tuple[list[_Extreme], tuple[Stm, ...]] | None:
    """How each carried value moves, and the statements that make the candidates."""
    if any(var.type != F64 for var in expr.carried):
        return None
    carried = {var.name for var in expr.carried}
    made: dict[str, Stm] = {}
    rest: list[Stm] = []
    for stm in expr.body.stms:
        choice = isinstance(stm.expr, If) and not (stm.expr.then.stms or stm.expr.orelse.stms)
        if not choice and (not pure(stm, prims) or any(not o.type.is_scalar for o in stm.outs)):
            return None
        made.update((out.name, stm) for out in stm.outs)
    found: list[_Extreme] = []
    steps: set[str] = set()
    for var, result in zip(expr.carried, expr.body.results, strict=True):
        extreme = _step(var, result, made, steps)
        if extreme is None:
            return None
        found.append(extreme)
    for stm in expr.body.stms:
        if any(out.name in steps for out in stm.outs):
            continue
        mentioned = variables(stm.expr.args) if isinstance(stm.expr, Prim) else list(carried)
        if not (carried | steps).isdisjoint(mentioned):
            return None
        rest.append(stm)
    candidates = variables(extreme.candidate for extreme in found)
    return (found, tuple(rest)) if (carried | steps).isdisjoint(candidates) else None


def _step(var: Var, result: Atom, made: dict[str, Stm], steps: set[str]) -> _Extreme | None:
    """The step of one carried value; its statements are added to `steps`."""
    stm = made.get(result.name) if isinstance(result, Var) else None
    if stm is None or result == var:
        return None
    match stm.expr:
        case Prim("maximum" | "minimum" as op, (a, b)) if (a == var) != (b == var):
            steps.add(stm.outs[0].name)
            return _Extreme(op, b if a == var else a, first=b == var)
        case Prim("select", (cond, taken, kept)):
            pass
        case If(cond, then, orelse) if len(stm.outs) == 1:
            taken, kept = then.results[0], orelse.results[0]
        case _:
            return None
    test = made.get(cond.name) if isinstance(cond, Var) else None
    if test is None or not isinstance(test.expr, Prim) or test.expr.op not in _FLIPPED:
        return None
    steps.update((stm.outs[0].name, test.outs[0].name))
    kept = _untied(kept, made, steps)
    if kept != var or taken == var:
        return None
    match test.expr.args:
        case (a, b) if a == taken and b == var:
            return _Extreme(test.expr.op, taken)
        case (a, b) if a == var and b == taken:
            return _Extreme(_FLIPPED[test.expr.op], taken)
        case _:
            return None


def _untied(kept: Atom, made: dict[str, Stm], steps: set[str]) -> Atom:
    """What `a if a == b else ...` chooses from of two that are the same number: see `tied`."""
    chosen = _defined(kept, made, "select")
    if chosen is None:
        return kept
    tie, equal, plain = chosen.args
    tied = _defined(equal, made, "tied")
    if tied is None or tied.args[0] != plain:
        return kept
    own = {v.name for v in (kept, tie, equal) if isinstance(v, Var)}
    steps.update(own & made.keys())
    return plain


def _defined(atom: Atom, made: dict[str, Stm], op: str) -> Prim | None:
    """The application of that primitive which an atom is the result of."""
    stm = made.get(atom.name) if isinstance(atom, Var) else None
    if stm is None or not isinstance(stm.expr, Prim) or stm.expr.op != op:
        return None
    return stm.expr


def _emit(
    b: Builder, names: NameSupply, stm: Stm, expr: For, found: list[_Extreme],
    rest: tuple[Stm, ...], least: int,
) -> None:  # fmt: skip
    """Lanes from `least` iterations on; the loop itself where it is shorter, or a zero came out."""
    types = [F64] * len(found)
    fast = b.inner()
    values = _in_lanes(fast, names, expr, found, rest)
    again: Atom = fast.prim("eq", values[0], Lit(0.0, F64))
    for value in values[1:]:
        again = fast.prim("or_", again, fast.prim("eq", value, Lit(0.0, F64)))
    long = b.prim("ge", expr.trips, ilit(least))
    split = If(long, fast.block((*values, again)), Block((), (*expr.inits, true)))
    *values, again = b.bind(split, (*types, again.type), "m")
    mapping: dict[Var, Atom] = {}
    plain_loop = b.inner()
    outs = inlined(plain_loop, names, [stm], stm.outs, mapping)
    choice = If(again, plain_loop.block(outs), Block((), tuple(values)))
    b.stms.append(replace(stm, expr=choice))


def _in_lanes(
    b: Builder, names: NameSupply, expr: For, found: list[_Extreme], rest: tuple[Stm, ...]
) -> tuple[Atom, ...]:
    blocks, done = whole_blocks(b, expr.trips, LANES)
    lanes = [b.prim("empty", ilit(LANES), dtype="f64") for _ in found]
    arrays = [x.type for x in lanes]
    candidates = [extreme.candidate for extreme in found]

    def start(inner: Builder, q: Var, now: tuple[Var, ...]) -> Sequence[Atom]:
        return [stored(inner, x, init, q) for x, init in zip(now, expr.inits, strict=True)]

    def candidates_at(inner: Builder, position: Atom) -> tuple[Atom, ...]:
        mapping: dict[Var, Atom] = {expr.index: place(inner, expr, position)}
        return inlined(inner, names, rest, candidates, mapping)

    def block(inner: Builder, k: Var, now: tuple[Var, ...]) -> Sequence[Atom]:
        base = inner.prim("mul", k, ilit(LANES))

        def lane(deep: Builder, q: Var, held: tuple[Var, ...]) -> Sequence[Atom]:
            made = candidates_at(deep, deep.prim("add", base, q))
            new: list[Atom] = []
            for extreme, x, candidate in zip(found, held, made, strict=True):
                value = extreme.step(deep, candidate, element(deep, x, q))
                new.append(stored(deep, x, value, q))
            return new

        return loop(inner, ilit(LANES), now, arrays, lane)

    started = loop(b, ilit(LANES), lanes, arrays, start)
    filled = loop(b, blocks, started, arrays, block)

    def merge(inner: Builder, q: Var, now: tuple[Var, ...]) -> Sequence[Atom]:
        merged = zip(found, filled, now, strict=True)
        return [e.step(inner, element(inner, x, q), v) for e, x, v in merged]

    def finish(inner: Builder, k: Var, now: tuple[Var, ...]) -> Sequence[Atom]:
        made = candidates_at(inner, inner.prim("add", done, k))
        return [e.step(inner, c, v) for e, c, v in zip(found, made, now, strict=True)]

    types = [F64] * len(found)
    merged = loop(b, ilit(LANES), expr.inits, types, merge)
    return loop(b, b.prim("sub", expr.trips, done), merged, types, finish)
