"""Sums of rows in a loop become loops, which are jammed (`unroll_and_jam.py`).

    for i < k:                          if 6 <= n < 32:
        row = c[i]                          for i < k:
        d = sub(p, row)                         for j < n: d = p[j] - c[i, j]; s = s + d * d
        y[i] = sum(mul(d, d))                   y[i] = s
                                        else: as it was

A sum of fewer than 32 terms is serial, from 0 (`retrograd.prims.reduce`), so its additions wait for
each other. Those of eight rows do not, and what they begin with are vectors. From 32 terms on a sum
is in lanes already.

It is done where the arrays that are summed are known to be as long as each other and nothing else
is done with them, and where the loop that it makes would be jammed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Prim, Program, Stm, Var, flit, ilit
from retrograd.ir.traverse import free_vars, free_vars_expr, freshen_block
from retrograd.ir.types import F64, I64, Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.reduce import LANES
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Extent, Shapes
from retrograd.transforms.loops.facts import rewritten, straight
from retrograd.transforms.loops.unroll_and_jam import jammed_together
from retrograd.transforms.passes import per_function

__all__ = ["loop_row_sums"]

_LEAST = 6
"""Sums of fewer terms take longer side by side than one after the other."""


def loop_row_sums(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program in which short sums of rows that can be jammed are loops."""
    agreed = cache(lambda: agreed_shapes(program, prims))

    def rewrite(stm: Stm, loop: For, shapes: Callable[[], Shapes]) -> list[Stm] | None:
        found = _row_sum(loop, prims)
        extent = None if found is None else found.extent(shapes())
        if found is None or extent is None or not _serves(extent):
            return None
        b = Builder(names, prims.result_types, stm.prov)
        count = found.length(b)
        short = found.looped(b, count)
        if not jammed_together(short, prims):
            return None
        if isinstance(extent, int):
            return [*b.stms, replace(stm, expr=short)]
        cond = b.prim("and_", b.prim("ge", count, ilit(_LEAST)), b.prim("lt", count, ilit(LANES)))
        return [*b.stms, replace(stm, expr=If(cond, _alone(b, stm, short), _alone(b, stm, loop)))]

    return per_function(
        program,
        lambda f: rewritten(f, lambda s, loop: rewrite(s, loop, lambda: agreed()[f.name])),
    )


def _serves(extent: Extent) -> bool:
    """Whether sums of such a length may be jammed."""
    return not isinstance(extent, int) or _LEAST <= extent < LANES


def _alone(b: Builder, stm: Stm, loop: For) -> Block:
    """A block of a loop."""
    outs = tuple(b.names.var(v.name, v.type) for v in stm.outs)
    return Block((replace(stm, outs=outs, expr=loop),), outs)


@dataclass(frozen=True, slots=True)
class _RowSum:
    """A loop that sums a row in each iteration: the arrays that lead to the sum, which are made in
    `chain` one after the other, what is before it and what is after it."""

    loop: For
    chain: tuple[Stm, ...]
    total: Stm
    before: tuple[Stm, ...]
    after: tuple[Stm, ...]
    prims: PrimitiveSet

    def vectors(self) -> list[Var]:
        """The vectors from outside, each once."""
        made = {v for s in self.chain for v in s.outs}
        used = (v for s in self.chain if not _is_row(s) for v in free_vars_expr(s.expr))
        return list(dict.fromkeys(v for v in used if v.type.rank and v not in made))

    def extent(self, shapes: Shapes) -> Extent | None:
        """The length of all arrays that the sum depends on, where it is known to be one."""
        names = [v.name for v in (*self.vectors(), *(v for s in self.chain for v in s.outs))]
        found = {shapes.arrays[n][0] if n in shapes.arrays else None for n in names}
        return found.pop() if len(found) == 1 else None

    def length(self, b: Builder) -> Atom:
        """How many terms there are, by one of the arrays from outside."""
        for vector in self.vectors():
            return b.prim("dim", vector, axis=0)
        (row, *_) = (s.expr for s in self.chain if _is_row(s))
        assert isinstance(row, Prim)
        return b.prim("dim", row.args[0], axis=_spec(row).index("a"))

    def looped(self, b: Builder, count: Atom) -> For:
        """The loop with another one for the sum, all of whose names are new."""
        names, inner = b.names, b.inner()
        at, so_far = names.var("j", I64), names.var("sum", F64)
        known: dict[Atom, Atom] = {}
        for vector in self.vectors():
            known[vector] = inner.prim("index", vector, at, checked=False, span=None)
        for stm in self.chain:
            inner.prov = stm.prov
            known[stm.outs[0]] = _scalar(inner, stm, known, at)
        assert isinstance(self.total.expr, Prim)
        inner.prov = self.total.prov
        end = inner.prim("add", so_far, known[self.total.expr.args[0]])
        sums = For(at, count, (so_far,), (flit(0.0),), inner.block((end,)))
        stms = (*self.before, replace(self.total, expr=sums), *self.after)
        loop = replace(self.loop, body=Block(stms, self.loop.body.results), point=None)
        (fresh,) = freshen_block(Block((Stm((), loop),), ()), names, {}).stms
        assert isinstance(fresh.expr, For)
        return fresh.expr


def _scalar(b: Builder, stm: Stm, known: Mapping[Atom, Atom], at: Var) -> Atom:
    """An element of an array of the chain."""
    assert isinstance(stm.expr, Prim)
    if _is_row(stm):
        base, place = stm.expr.args
        places = (place, at) if _spec(stm.expr) == "ia" else (at, place)
        return b.prim("index", base, *places, checked=False, span=None)
    expr = replace(stm.expr, args=tuple(known.get(a, a) for a in stm.expr.args))
    return b.bind(expr, (Type(stm.outs[0].type.dtype, 0),))[0]


def _row_sum(loop: For, prims: PrimitiveSet) -> _RowSum | None:
    """The sum of a row in a loop, where its iterations are primitives and nothing else."""
    if not straight(loop.body, prims):
        return None
    stms = loop.body.stms
    at = [k for k, s in enumerate(stms) if _sums(s)]
    if len(at) != 1:
        return None
    chain = tuple(s for s in stms if _is_row(s) or _is_elementwise(s, prims))
    arrays = {v for s in chain for v in s.outs}
    rest = [s for k, s in enumerate(stms) if k != at[0] and s not in chain]
    others = free_vars(Block(tuple(rest), loop.body.results))
    (summed,) = free_vars_expr(stms[at[0]].expr)
    if summed not in arrays or not arrays.isdisjoint(others):
        return None
    if any(a in loop.carried for s in chain for a in free_vars_expr(s.expr)):
        return None
    first = tuple(s for s in stms[: at[0]] if s not in chain)
    last = tuple(s for s in stms[at[0] + 1 :] if s not in chain)
    return _RowSum(loop, chain, stms[at[0]], first, last, prims)


def _sums(stm: Stm) -> bool:
    """Whether a statement sums a vector of numbers."""
    expr = stm.expr
    if not isinstance(expr, Prim) or expr.op != "reduce_sum" or not isinstance(expr.args[0], Var):
        return False
    return expr.args[0].type == Type(F64.dtype, 1) and stm.outs[0].type.is_scalar


def _is_row(stm: Stm) -> bool:
    """Whether a statement takes a row, or a column, of a matrix."""
    expr = stm.expr
    return isinstance(expr, Prim) and expr.op == "slice" and _spec(expr) in ("ia", "ai")


def _spec(expr: Prim) -> str:
    return str(expr.param("spec"))


def _is_elementwise(stm: Stm, prims: PrimitiveSet) -> bool:
    expr = stm.expr
    if not isinstance(expr, Prim) or not prims[expr.op].elementwise or prims[expr.op].consumes:
        return False
    return [v.type.rank for v in stm.outs] == [1]
