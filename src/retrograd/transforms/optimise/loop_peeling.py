"""The iterations at the edges of a loop, where an index comes round, get loops of their own.

On a torus the neighbours of cell k are (k - 1) % n and (k + 1) % n, which range analysis may have
made into k - 1 and k + 1 - n, plus n where that is negative. It is so in the first iteration for
the one and in all but the last for the other. In a loop over the iterations between no index comes
round: its accesses are those of any stencil, which have their checks before the loop, vector
registers and windows. The same goes for a[k - 1] in a loop from 0, which begins at the end of a.

What is proved of each of the three loops is for range analysis to say; here is only decided where
to divide. Iterations stay in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, For, Function, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import defined_in
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.costs import Costs
from retrograd.transforms.analysis.affine import SUM_SIGNS
from retrograd.transforms.analysis.bounds import Linear, constant
from retrograd.transforms.analysis.trip_counts import ends_of
from retrograd.transforms.loops.facts import inlined, loop, plain, rewritten
from retrograd.transforms.passes import per_function

__all__ = ["divide_edges"]

Defined = Mapping[str, Prim]


def divide_edges(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Divides the innermost loops with indices that come round at an edge."""

    def one(function: Function) -> Function:
        defined = defined_in(function.body)

        def divided(stm: Stm, expr: For) -> list[Stm] | None:
            low, high = _edges(expr, defined, prims.costs)
            return _divided(stm, expr, names, prims, low, high) if low or high else None

        return rewritten(function, divided)

    return per_function(program, one)


def _edges(expr: For, defined: Defined, costs: Costs) -> tuple[int, int]:
    """How many iterations at the beginning and at the end are to be apart."""
    body, low, high = expr.body.stms, 0, 0
    short = isinstance(expr.trips, Lit) and expr.trips.value < costs.edge_trips
    marked = expr.directions or expr.rematerialised or expr.point is not None
    if short or marked or expr.descending or not plain(expr):
        return 0, 0
    if len(body) > costs.edge_statements:
        return 0, 0
    widest = costs.edge_iterations
    trips = _linear(expr.trips, defined)
    for stm in body:
        if not isinstance(stm.expr, Prim):
            return 0, 0
        if stm.expr.op in ("wrap", "mod"):
            place, extent = (_linear(a, defined) for a in stm.expr.args)
            first = place.plus(Linear(0, {expr.index.name: 1}), -1)
            if expr.index.name in first.terms:
                continue
            # Where the iteration after the last one is, beyond what comes round.
            past = first.plus(trips)
            if stm.expr.op == "mod":
                past = past.plus(extent, -1)
            if not first.terms and -widest <= first.const < 0:
                low = max(low, -first.const)
            elif not past.terms and 0 < past.const <= widest:
                high = max(high, past.const)
    return low, high


def _linear(atom: Atom, defined: Defined, depth: int = 8) -> Linear:
    """The value of an i64 atom if nothing overflows: a guess is enough to know where to divide."""
    if isinstance(atom, Lit):
        return constant(int(atom.value))
    source = defined.get(atom.name)
    ends = ends_of(source)
    if ends is not None and ends.size == 1:
        source = Prim("sub", (ends.high, ends.low))
    sign = SUM_SIGNS.get(source.op, 0) if source else 0
    if source is None or not sign or not depth:
        return Linear(0, {atom.name: 1})
    left, right = (_linear(a, defined, depth - 1) for a in source.args)
    return left.plus(right, sign)


@dataclass(frozen=True, slots=True)
class _Part:
    """So many iterations of a loop, from one number on."""

    trips: Atom
    start: Atom


def _divided(
    stm: Stm, expr: For, names: NameSupply, prims: PrimitiveSet, low: int, high: int
) -> list[Stm]:
    b = Builder(names, prims.result_types, stm.prov)
    # Nothing overflows, whatever the number of trips is.
    whole = b.prim("imax", expr.trips, ilit(low + high))
    after = b.prim("imax", expr.trips, ilit(low))
    last = b.prim("imin", b.prim("sub", after, ilit(low)), ilit(high))
    parts = [
        _Part(b.prim("imin", expr.trips, ilit(low)), ilit(0)),
        _Part(b.prim("sub", whole, ilit(low + high)), ilit(low)),
        _Part(last, b.prim("sub", after, last)),
    ]
    inits = expr.inits
    for part in [p for p, size in zip(parts, (low, 1, high), strict=True) if size]:
        inits = _part(b, names, expr, part, inits)
    return [*b.stms[:-1], Stm(stm.outs, b.stms[-1].expr, stm.prov)]


def _part(
    b: Builder, names: NameSupply, expr: For, part: _Part, inits: Sequence[Atom]
) -> Sequence[Atom]:
    def body(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        mapping: dict[Var, Atom] = dict(zip(expr.carried, carried, strict=True))
        mapping[expr.index] = inner.prim("add", part.start, k)
        return inlined(inner, names, expr.body.stms, expr.body.results, mapping)

    return loop(b, part.trips, inits, [v.type for v in expr.carried], body)
