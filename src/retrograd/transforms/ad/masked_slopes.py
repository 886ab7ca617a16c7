"""What a selection alone uses has slopes only where it is taken.

    y = p * log(p)                      s = select(c, p, 1.0)
    z = select(c, y, 0.0)               y = s * log(s)
                                        z = select(c, y, 0.0)

The way back would multiply the cotangent of an element that is not taken, 0, with a slope that may
be infinite there, which is not a number: `np.where(p > 0, p * np.log(p), 0.0)` at 0. Such an
element has no part in the result. So what leads to the selection, and nowhere else, is calculated
of ones there, and the cotangents of what it is calculated of are 0. Elements that are taken keep
their bits.

It is done for what is calculated element by element where some slope in it may be infinite
(`is_steep`), for all selections by a condition together: a value and its tangent are selected by
one. What is calculated before the condition moves behind it. Forward mode needs none of this: the
tangent of what is taken is the answer.

Source: the way out that JAX's documentation gives for nan in gradients of `where`, two selections.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, Function, Prim, Program, Stm, Var, flit
from retrograd.ir.traverse import blocks, free_vars_expr, substitute, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.branch_values import is_steep
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Shapes
from retrograd.transforms.passes import per_function

__all__ = ["mask_slopes"]


def mask_slopes(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose selections have no cotangents where they are not taken."""
    agreed = cache(lambda: agreed_shapes(program, prims))

    def one(function: Function) -> Function:
        search = _Search(names, prims, lambda: agreed()[function.name])
        return function.with_body(search.block(function.body))

    return per_function(program, one)


@dataclass(frozen=True, slots=True)
class _Search:
    names: NameSupply
    prims: PrimitiveSet
    shapes: Callable[[], Shapes]

    def block(self, block: Block) -> Block:
        """A block whose selections, and those inside of it, are of masked values."""
        stms = [
            stm.with_expr(with_blocks(stm.expr, tuple(map(self.block, inner))))
            if (inner := blocks(stm.expr))
            else stm
            for stm in block.stms
        ]
        for cond, side in dict.fromkeys(k for s in stms for k in _sides(s)):
            region = self.region(stms, block.results, cond, side)
            if region:
                stms = self.masked(stms, region, cond, side)
        return block.changed(tuple(stms), block.results)

    def region(
        self, stms: Sequence[Stm], results: Sequence[Atom], cond: Var, side: int
    ) -> list[int]:
        """Where that is calculated which selections by a condition use on one side, and nothing
        else does, in order; nothing where no slope of it may be infinite."""
        users = {p for p, s in enumerate(stms) if (cond, side) in _sides(s)}
        places = {out: p for p, stm in enumerate(stms) for out in stm.outs}
        atoms = [_side(stms[p], side) for p in sorted(users)]
        if not self.may_be_steep(stms, places, atoms):
            return []
        uses = _uses(stms, results)
        known = places.get(cond, -1)
        chosen: set[int] = set()
        waiting: list[int] = []
        _wait(waiting, places, atoms)
        while waiting:  # from the last to the first, so that those that use it come before it
            p = -heappop(waiting)
            stm = stms[p]
            if p in chosen or not uses[stm.outs[0]] <= chosen | users:
                continue
            others = (u for u in uses[stm.outs[0]] & users if u not in chosen)
            if any(_elsewhere(stms[u], stm.outs[0], side) for u in others):
                continue
            if self.is_alone(stm, cond) and self.stays(stms[p + 1 : known + 1], stm):
                chosen.add(p)
                _wait(waiting, places, stm.expr.args if isinstance(stm.expr, Prim) else ())
        steep = any(self.is_steep(stms[p]) for p in chosen)
        return sorted(chosen) if steep else []

    def may_be_steep(
        self, stms: Sequence[Stm], places: Mapping[Var, int], atoms: Sequence[Atom]
    ) -> bool:
        """Whether the elementwise operations that lead to values have one with such a slope."""
        waiting, seen = list(atoms), set[Atom]()
        while waiting:
            place = places.get(found) if isinstance(found := waiting.pop(), Var) else None
            if place is None or found in seen:
                continue
            seen.add(found)
            expr = stms[place].expr
            if isinstance(expr, Prim) and self.prims[expr.op].elementwise:
                if self.is_steep(stms[place]):
                    return True
                waiting += expr.args
        return False

    def is_steep(self, stm: Stm) -> bool:
        """Whether a slope of it may be infinite where the value is a number."""
        assert isinstance(stm.expr, Prim)
        return is_steep(stm.expr, self.prims) and not self.prims[stm.expr.op].facts.lipschitz

    def is_alone(self, stm: Stm, cond: Var) -> bool:
        """Whether it is a float for each element of a condition, calculated of others."""
        expr = stm.expr
        if not isinstance(expr, Prim) or len(stm.outs) != 1 or not stm.outs[0].type.is_float:
            return False
        primitive = self.prims[expr.op]
        if _masks(expr, cond):
            return False
        pure = primitive.elementwise and prim_effect(expr, self.prims) is Effect.PURE
        if not pure or primitive.consumes or stm.outs[0].type.rank != cond.type.rank:
            return False
        arrays = self.shapes().arrays
        pairs = zip(arrays.get(stm.outs[0].name, ()), arrays.get(cond.name, ()), strict=False)
        return not any(mine == 1 != theirs for mine, theirs in pairs)  # else it becomes larger

    def stays(self, after: Sequence[Stm], stm: Stm) -> bool:
        """Whether no statement takes over an array that another one reads, which moves behind."""
        read = {a for a in free_vars_expr(stm.expr) if a.type.rank}
        return not read or not any(self.may_take(later, read) for later in after)

    def may_take(self, stm: Stm, arrays: set[Var]) -> bool:
        if isinstance(stm.expr, Prim):
            return any(stm.expr.args[k] in arrays for k in self.prims[stm.expr.op].consumes)
        return not arrays.isdisjoint(free_vars_expr(stm.expr))

    def masked(self, stms: Sequence[Stm], region: Sequence[int], cond: Var, side: int) -> list[Stm]:
        """The statements with those of a region behind the condition, of ones where it is not
        taken."""
        known = next((p for p, s in enumerate(stms) if cond in s.outs), -1)
        early = [p for p in region if p < known]
        made = {out for p in region for out in stms[p].outs}
        masks: dict[Var, Atom] = {}
        already = {s.outs[0] for s in stms if _masks(s.expr, cond)}
        found: list[Stm] = []

        def add(stm: Stm) -> None:
            b = Builder(self.names, self.prims.result_types, stm.prov)
            for var in free_vars_expr(stm.expr) if stm.outs[0] in made else ():
                if var.type.is_float and var not in made | already and var not in masks:
                    pair = (var, flit(1.0)) if side == 1 else (flit(1.0), var)
                    masks[var] = b.prim("select", cond, *pair)
            own = Block((stm,), ())
            found.extend((*b.stms, *(substitute(own, masks) if stm.outs[0] in made else own).stms))

        for p, stm in enumerate(stms):
            if p in early:
                continue
            if stm.outs:
                add(stm)
            else:
                found.append(stm)
            for q in early if p == known else ():
                add(stms[q])
        return found


def _sides(stm: Stm) -> list[tuple[Var, int]]:
    """The condition by which a statement selects floats, with the sides that are calculated."""
    expr = stm.expr
    if not isinstance(expr, Prim) or expr.op != "select" or not stm.outs[0].type.is_float:
        return []
    cond, *values = expr.args
    if not isinstance(cond, Var):
        return []
    return [(cond, k) for k, value in enumerate(values, start=1) if isinstance(value, Var)]


def _masks(expr: Expr, cond: Var) -> bool:
    """Whether it selects by this condition itself."""
    return isinstance(expr, Prim) and expr.op == "select" and expr.args[0] == cond


def _side(stm: Stm, side: int) -> Atom:
    """What is selected on one side."""
    assert isinstance(stm.expr, Prim)
    return stm.expr.args[side]


def _elsewhere(stm: Stm, var: Var, side: int) -> bool:
    """Whether a selection mentions a value but on that side."""
    assert isinstance(stm.expr, Prim)
    return any(a == var for k, a in enumerate(stm.expr.args) if k != side)


def _uses(stms: Sequence[Stm], results: Sequence[Atom]) -> Mapping[Var, set[int]]:
    """Which statements mention each variable, but to write over all of it; -1 for the results."""
    found: dict[Var, set[int]] = defaultdict(set)
    for place, stm in enumerate(stms):
        expr = stm.expr
        over = isinstance(expr, Prim) and expr.op == "update_slice" and _is_whole(expr)
        for var in free_vars_expr(expr):
            if not (over and isinstance(expr, Prim) and var not in expr.args[1:]):
                found[var].add(place)
    for result in results:
        if isinstance(result, Var):
            found[result].add(-1)
    return found


def _is_whole(expr: Prim) -> bool:
    """Whether it writes to all of an array."""
    return set(str(expr.param("spec"))) == {"a"}


def _wait(waiting: list[int], places: Mapping[Var, int], atoms: Sequence[Atom]) -> None:
    """Adds the places where variables are calculated, so that the last one comes first."""
    for atom in atoms:
        if isinstance(atom, Var) and atom in places:
            heappush(waiting, -places[atom])
