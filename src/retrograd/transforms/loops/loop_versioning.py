"""Loop versioning: a loop in which no index comes round is one of its own.

    for j < n:                          if 0 <= k and k <= dim(a) - n:
        i = wrap(k + j, dim(a))             for j < n:
        s += a[i]                               s += a[k + j]
                                        else:
                                            for j < n:
                                                i = wrap(k + j, dim(a))
                                                s += a[i]

An index that moves by one in each iteration is compared before the loop instead of in each
iteration, and what it reads lies side by side, so the loop can run in lanes. Which version runs is
known when the loop begins: what comes before it, and the order of exceptions, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, If, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import binders, free_vars_expr, freshen_block, substitute
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import Held
from retrograd.transforms.analysis.affine import evaluated, forms_of, linear
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.analysis.shapes import Extent, Shapes, shapes_of
from retrograd.transforms.loops.facts import rewritten
from retrograd.transforms.passes import per_function

__all__ = ["version_loops"]


def version_loops(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose innermost loops have a version for indices that do not come round."""

    def one(function: Function) -> Function:
        shapes = cache(lambda: shapes_of(function, prims))
        return rewritten(function, _Versions(names, prims, shapes).loop)

    return per_function(program, one)


@dataclass(frozen=True, slots=True)
class _Range:
    """The indices `first + step * i` of a loop, of an axis with such an extent."""

    first: Linear
    step: int
    extent: Atom


@dataclass(frozen=True, slots=True)
class _Versions:
    names: NameSupply
    prims: PrimitiveSet
    shapes: Callable[[], Shapes]

    def loop(self, stm: Stm, expr: For) -> list[Stm] | None:
        """A loop that is not short, in two versions where indices of it may come round."""
        costs = self.prims.costs
        if isinstance(expr.trips, Lit) and expr.trips.value < costs.guard_trips:
            return None
        if len(expr.body.stms) > costs.version_statements or expr.block:
            return None
        if not all(isinstance(s.expr, Prim) and self.one(s, s.expr) for s in expr.body.stms):
            return None
        ranges = self.ranges(expr)
        if not ranges:
            return None
        b = Builder(self.names, self.prims.result_types, stm.prov)
        within = self.within(b, expr, list(ranges.values()))
        results = tuple(self.names.var(v.name, v.type) for v in stm.outs)
        quick = Stm(results, replace(expr, body=self.quick(expr.body, ranges)), stm.prov)
        fast = freshen_block(Block((quick,), results), self.names, {})
        others = tuple(self.names.var(v.name, v.type) for v in stm.outs)
        slow = Block((Stm(others, expr, stm.prov),), others)
        return [*b.stms, Stm(stm.outs, If(within, fast, slow), stm.prov)]

    def one(self, stm: Stm, expr: Prim) -> bool:
        """Whether a statement is about scalars and elements: beside what is done to whole arrays an
        index does not count."""
        return self.prims[expr.op].facts.element or all(v.type.is_scalar for v in stm.outs)

    def ranges(self, expr: For) -> dict[Var, _Range]:
        """What each index that may come round is, where it moves by one and begins outside."""
        forms = forms_of(expr.body)
        own = {v.name for v in binders(expr)} | {v.name for s in expr.body.stms for v in s.outs}
        found: dict[Var, _Range] = {}
        for stm in expr.body.stms:
            if not isinstance(stm.expr, Prim) or stm.expr.op != "wrap":
                continue
            place, extent = stm.expr.args
            form = linear(place, forms)
            step = form.terms.get(expr.index.name, 0)
            first = form.plus(Linear(0, {expr.index.name: 1}), -step)
            outside = own.isdisjoint(map(str, first.terms)) and _outside(extent, own)
            if abs(step) == 1 and outside:
                found[stm.outs[0]] = _Range(first, step, extent)
        return found

    def within(self, b: Builder, expr: For, ranges: Sequence[_Range]) -> Atom:
        """Whether all indices are within their axes; nothing overflows, as no extent is negative
        and a loop of less than no iterations is none."""
        known = {v.name: v for v in free_vars_expr(expr)}
        trips = b.prim("imax", expr.trips, ilit(0))
        good: Atom | None = None
        for k, one in enumerate(ranges):
            if one in ranges[:k]:
                continue
            first = evaluated(b, one.first, known)
            if one.step == 1:
                low = b.prim("ge", first, ilit(0))
                high = b.prim("le", first, b.prim("sub", one.extent, trips))
            else:
                low = b.prim("ge", first, b.prim("sub", trips, ilit(1)))
                high = b.prim("lt", first, one.extent)
            both = b.prim("and_", low, high)
            good = both if good is None else b.prim("and_", good, both)
        assert good is not None
        return good

    def quick(self, body: Block, ranges: Mapping[Var, _Range]) -> Block:
        """The body where nothing comes round; what is then known to be in bounds is not checked."""
        stms: list[Stm] = []
        places: dict[Var, Atom] = {}
        sizes: dict[Var, Extent] = {}
        for stm in body.stms:
            assert isinstance(stm.expr, Prim)
            if stm.outs and stm.outs[0] in ranges:
                places[stm.outs[0]] = stm.expr.args[0]
                sizes[stm.outs[0]] = self.shapes().scalar(ranges[stm.outs[0]].extent)
            else:
                stms.append(self.unchecked(stm, stm.expr, sizes))
        return substitute(Block(tuple(stms), body.results), places)

    def unchecked(self, stm: Stm, expr: Prim, sizes: Mapping[Var, Extent]) -> Stm:
        """An access without its check, if all of its places are known to be within the array."""
        facts = self.prims[expr.op].facts
        if facts.access is None or facts.held is not Held.UNCHECKED:
            return stm
        array, places = expr.args[0], expr.args[facts.access.places :]
        extents = self.shapes().arrays.get(array.name, ()) if isinstance(array, Var) else ()
        if len(extents) != len(places):
            return stm
        pairs = zip(places, extents, strict=True)
        if not all(isinstance(p, Var) and sizes.get(p) == n for p, n in pairs):
            return stm
        params = tuple((k, False if k == "checked" else v) for k, v in expr.params)
        return replace(stm, expr=replace(expr, params=params))


def _outside(atom: Atom, own: set[str]) -> bool:
    return isinstance(atom, Lit) or atom.name not in own
