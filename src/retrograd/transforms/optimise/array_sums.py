"""Sums of cotangents that no array holds yet: one loop calculates their terms and adds them.

    t = mul(a, b)                        t = mul(a, b)
    r = slice(x, i)                      r = slice(x, i)
    s = accumulate(t, c)                 s = add(t, c)
    u = accumulate(r, s)                 u = add(r, s)

`accumulate` adds to an array in place, which is right where there is one. What is elementwise and
used once, or besides by what may be in the same loop, is no array: it would be made one, to be gone
through again for each term that is added. What is read through another array would be copied
before. `add` evaluates all terms where the sum is needed. The bits are the same: nothing is
contracted after derivatives have been made. An array that is zero everywhere is the number: it
stays a term, which makes zeros positive.

It is done where the terms are known to have the same extents, and nothing that the first term reads
is taken over before the sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import is_not

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Function, Prim, Program, Stm, Var, flit
from retrograd.ir.traverse import blocks, free_vars_expr, mentions, with_blocks
from retrograd.ir.types import DType
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.shape import ALL_ZEROS
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Shapes
from retrograd.transforms.passes import per_function

__all__ = ["add_in_one_loop"]


def add_in_one_loop(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program in which sums evaluate the terms that are no arrays yet."""
    agreed = cache(lambda: agreed_shapes(program, prims))

    def one(function: Function) -> Function:
        sums = _Sums(prims, mentions(function.body), lambda: agreed()[function.name])
        return function.with_body(sums.block(function.body))

    return per_function(program, one)


@dataclass(slots=True)
class _Sums:
    """The search in one function: `uses` has how often each variable is mentioned."""

    prims: PrimitiveSet
    uses: Counter[Var]
    shapes: Callable[[], Shapes]

    def block(self, block: Block) -> Block:
        """A block with the sums in it, and in those inside it."""
        made: dict[Var, tuple[int, Prim]] = {}
        stms: list[Stm] = []
        for k, stm in enumerate(block.stms):
            new = self.inside(stm)
            expr = new.expr
            if isinstance(expr, Prim) and expr.op == "accumulate":
                found = self.added(expr, made, stms)
                expr = expr if found is None else found
                new = replace(new, expr=expr)
            if isinstance(expr, Prim) and len(stm.outs) == 1:
                made[stm.outs[0]] = k, expr
            stms.append(new)
        changed = any(map(is_not, stms, block.stms))
        return Block(tuple(stms), block.results) if changed else block

    def inside(self, stm: Stm) -> Stm:
        """A statement with the sums in its blocks."""
        inner = blocks(stm.expr)
        new = tuple(map(self.block, inner))
        changed = any(map(is_not, new, inner))
        return replace(stm, expr=with_blocks(stm.expr, new)) if changed else stm

    def added(
        self, expr: Prim, made: Mapping[Var, tuple[int, Prim]], before: Sequence[Stm]
    ) -> Prim | None:
        """A sum as one of elements, where its first term is no array yet."""
        base, extra = expr.args
        if not isinstance(base, Var) or not base.type.rank:
            return None
        position, term = made.get(base, (0, None))
        if term is not None and term.op in ALL_ZEROS and base.type.dtype is DType.F64:
            return Prim("add", (flit(0.0), extra))
        if term is None or not self.alike(base, extra):
            return None
        after = before[position + 1 :]
        first = _stretched(term) or self.summed(base, term, after)
        if first is None and not self.is_late(base, term, after):
            return None
        other = made[extra][1] if isinstance(extra, Var) and extra in made else None
        second = None if other is None or first is not None else _stretched(other)
        return Prim("add", (first or base, second or extra))

    def alike(self, base: Var, extra: Atom) -> bool:
        """Whether two arrays are known to have the same extents."""
        arrays = self.shapes().arrays
        known = arrays.get(base.name)
        return known is not None and isinstance(extra, Var) and arrays.get(extra.name) == known

    def summed(self, base: Var, term: Prim, after: Sequence[Stm]) -> Var | None:
        """What is summed to an array of its own extents, and is there until it is added to."""
        given = term.args[0] if term.op == "sum_like" else None
        if not isinstance(given, Var) or not self.alike(base, given):
            return None
        return None if any(self.may_take(stm, given) for stm in after) else given

    def is_late(self, base: Var, term: Prim, after: Sequence[Stm]) -> bool:
        """Whether a term is evaluated where it is used: what it reads is there until the sum."""
        primitive = self.prims[term.op]
        fused = (
            primitive.elementwise and not primitive.consumes and self.is_fused(base, term, after)
        )
        if not (fused or primitive.facts.view):
            return False
        read = [a for a in term.args if isinstance(a, Var) and a.type.rank]
        return not any(self.may_take(stm, v) for stm in after for v in (base, *read))

    def is_fused(self, base: Var, term: Prim, after: Sequence[Stm]) -> bool:
        """Whether nothing, or only what may be evaluated in the same loop, reads a term besides."""
        others = [s.expr for s in after if base in free_vars_expr(s.expr)]
        if not others:
            return self.uses[base] == 1
        together = all(isinstance(e, Prim) and self.prims[e.op].elementwise for e in others)
        cheap = self.prims[term.op].cost < self.prims.costs.row_cost
        return together and cheap and len(others) <= self.prims.costs.summed_readers

    def may_take(self, stm: Stm, array: Var) -> bool:
        """Whether a statement could change an array: it takes it over, or has blocks that may."""
        if isinstance(stm.expr, Prim):
            return any(stm.expr.args[k] == array for k in self.prims[stm.expr.op].consumes)
        return array in free_vars_expr(stm.expr)


def _stretched(term: Prim) -> Atom | None:
    """The number that all elements of a term are."""
    if term.op == "broadcast" and term.args[0].type.is_scalar:
        return term.args[0]
    whole = term.op == "update_slice" and set(str(term.param("spec"))) == {"a"}
    return term.args[1] if whole and len(term.args) == 2 and term.args[1].type.is_scalar else None
