"""What only a branch differentiates is calculated in it, before sweeps are made.

In `r = sqrt(x)`, `if r < 1e-4: return x`, `return 2.0 * r` the way back would add 0 times the slope
of the square root where the first branch is taken, which is not a number at 0. The second branch
gets a square root of its own. Where values are calculated nothing changes: common subexpressions
are found again afterwards, and the way back does less.

Of scalars only, and of those where something with a slope of its own is between: a quotient's in
its denominator, or any function that is not linear. Comparisons go on with the value outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, If, Lit, Prim, Program, Stm, Var
from retrograd.ir.traverse import atoms, blocks, freshen_block, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.records import Itself
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.passes import per_function

__all__ = ["calculate_in_branches", "is_steep"]


def calculate_in_branches(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Copies scalars into the branches that alone differentiate them."""
    walk = _Walk(names, prims)
    return per_function(program, lambda f: replace(f, body=walk.block(f.body)))


def is_steep(expr: Prim, prims: PrimitiveSet) -> bool:
    """Whether a slope in a variable may be infinite where the value is a number."""
    linear = prims[expr.op].facts.linear_in
    if linear is None:
        return any(isinstance(a, Var) and a.type.is_float for a in expr.args)
    inside = {k for term in linear.terms(len(expr.args)) for k in term}
    return any(
        a.type.is_float and not isinstance(a, Lit) and k not in inside
        for k, a in enumerate(expr.args)
    )


@dataclass(frozen=True, slots=True)
class _Walk:
    """`known` are the names inside of blocks, each found once: it is asked at all depths."""

    names: NameSupply
    prims: PrimitiveSet
    known: dict[Itself, frozenset[str]] = field(default_factory=dict[Itself, frozenset[str]])

    def block(self, block: Block) -> Block:
        stms = list(block.stms)
        if any(isinstance(stm.expr, If) for stm in stms):
            uses = self.uses(block)
            places = {out.name: p for p, stm in enumerate(stms) for out in stm.outs}
            for q, stm in enumerate(stms):
                if isinstance(stm.expr, If):
                    stms[q] = replace(stm, expr=self.branches(stm.expr, q, stms, places, uses))
        done = tuple(
            s.with_expr(with_blocks(s.expr, tuple(map(self.block, inner))))
            if (inner := blocks(s.expr))
            else s
            for s in stms
        )
        return Block(done, block.results)

    def uses(self, block: Block) -> dict[str, set[int]]:
        """Where each variable is used by something that has a derivative; -1 for the results."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, stm in enumerate(block.stms):
            for name in self.mentioned(stm):
                found[name].add(place)
        for result in block.results:
            if isinstance(result, Var):
                found[result.name].add(-1)
        return found

    def branches(
        self, expr: If, q: int, stms: Sequence[Stm], places: Mapping[str, int],
        uses: Mapping[str, set[int]],
    ) -> If:  # fmt: skip
        """The branches with copies of what is used in them alone."""
        chosen: set[int] = set()
        names = self.inside(expr.then) | self.inside(expr.orelse)
        waiting = [-places[name] for name in names if places.get(name, q) < q]
        heapify(waiting)
        while waiting:  # from the last to the first, so that those that use it come before it
            p = -heappop(waiting)
            if p not in chosen and self.movable(stms[p]) and self.within(stms[p], uses, chosen, q):
                chosen.add(p)
                for name in self.mentioned(stms[p]) & places.keys():
                    heappush(waiting, -places[name])
        steep: set[str] = set()
        for p in sorted(chosen):
            source = stms[p].expr
            assert isinstance(source, Prim)
            if is_steep(source, self.prims) or any(_name(a) in steep for a in source.args):
                steep.add(stms[p].outs[0].name)
        lines = [stms[p] for p in sorted(chosen) if stms[p].outs[0].name in steep]
        wanted = [self.wanted(lines, branch) for branch in (expr.then, expr.orelse)]
        alone = (wanted[0] - wanted[1], wanted[1] - wanted[0])
        then, orelse = (
            self.own(branch, [s for s in lines if s.outs[0].name in names])
            for branch, names in zip((expr.then, expr.orelse), alone, strict=True)
        )
        return replace(expr, then=then, orelse=orelse)

    def mentioned(self, stm: Stm) -> set[str]:
        """The names in a statement, and inside of it, where they have a derivative."""
        if self.flat(stm):
            return set()
        found = {_name(a) for a in atoms(stm.expr)}
        for inner in blocks(stm.expr):
            found |= self.inside(inner)
        return found

    def inside(self, block: Block) -> frozenset[str]:
        key = Itself(block)
        if key not in self.known:
            found = frozenset(_name(a) for a in block.results)
            self.known[key] = found.union(*map(self.mentioned, block.stms))
        return self.known[key]

    def flat(self, stm: Stm) -> bool:
        """Whether nothing that a statement makes has a derivative."""
        if not isinstance(stm.expr, Prim) or prim_effect(stm.expr, self.prims) is Effect.TAPE:
            return False
        return not any(out.type.is_float for out in stm.outs)

    def within(self, stm: Stm, uses: Mapping[str, set[int]], chosen: set[int], q: int) -> bool:
        """Whether all that differentiates a value is in the branches, or goes there."""
        return uses[stm.outs[0].name] <= chosen | {q}

    def movable(self, stm: Stm) -> bool:
        if not isinstance(stm.expr, Prim) or len(stm.outs) != 1:
            return False
        out = stm.outs[0].type
        return out.is_float and out.is_scalar and prim_effect(stm.expr, self.prims) is Effect.PURE

    def wanted(self, lines: Sequence[Stm], branch: Block) -> frozenset[str]:
        """The names of what a branch needs of these statements."""
        needed = set(self.inside(branch))
        for stm in reversed(lines):
            if stm.outs[0].name in needed:
                needed |= self.mentioned(stm)
        return frozenset(stm.outs[0].name for stm in lines if stm.outs[0].name in needed)

    def own(self, branch: Block, lines: Collection[Stm]) -> Block:
        if not lines:
            return branch
        return freshen_block(Block((*lines, *branch.stms), branch.results), self.names, {})


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Var) else ""
