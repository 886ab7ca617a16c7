"""Points in straight-line code: parts of a long block become counted loops of one iteration.

So whoever derives, compiles or interrupts a program finds nothing new there, and a run can stop
between any two parts. What a part calculates for later ones is what its loop carries; parts have
scalars only, which are cheap to carry and belong to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Lit, Prim, Stm, Var
from retrograd.ir.traverse import free_vars_expr, map_atoms
from retrograd.ir.types import BOOL, F64, I64
from retrograd.prims.core import Effect, PrimitiveSet

__all__ = ["cut_straight"]

_ZEROS = {F64: Lit(0.0, F64), I64: Lit(0, I64), BOOL: Lit(False, BOOL)}


def cut_straight(
    block: Block, names: NameSupply, prims: PrimitiveSet, point: Callable[[], int]
) -> Block:
    """The block with its long runs of scalar statements in loops, each with a point."""
    last: dict[Var, int] = {}
    for position, stm in enumerate(block.stms):
        last |= dict.fromkeys(free_vars_expr(stm.expr), position)
    last |= {atom: len(block.stms) for atom in block.results if isinstance(atom, Var)}
    least, size = prims.costs.straight_least, prims.costs.straight_part
    made: list[Stm] = []
    start = 0
    while start < len(block.stms):
        end = start
        while end < len(block.stms) and _is_scalar(block.stms[end], prims):
            end += 1
        if end - start < least:
            end = max(end, start + 1)
            made += block.stms[start:end]
        else:
            for first in range(start, end, size):
                part = block.stms[first : min(first + size, end)]
                beyond = first + len(part)
                live = [v for s in part for v in s.outs if last.get(v, 0) >= beyond]
                made += [_once(part, live, names, point)] if live else part
        start = end
    return Block(tuple(made), block.results)


def _is_scalar(stm: Stm, prims: PrimitiveSet) -> bool:
    """Whether a statement has scalar results only; it may read elements of arrays, and raise."""
    expr = stm.expr
    return (
        isinstance(expr, Prim)
        and prims[expr.op].effect is not Effect.TAPE
        and all(v.type in _ZEROS for v in stm.outs)
        and all(a.type in _ZEROS or a.type.rank for a in expr.args)
        and not prims[expr.op].facts.whole(expr.args)
    )


def _once(
    part: Sequence[Stm], live: Sequence[Var], names: NameSupply, point: Callable[[], int]
) -> Stm:
    """Some statements as a loop of one iteration that carries what is needed later."""
    inside: dict[Atom, Var] = {v: names.var(v.name, v.type) for v in live}

    def renamed(atom: Atom) -> Atom:
        return inside.get(atom, atom)

    body = tuple(
        Stm(tuple(inside.get(v, v) for v in s.outs), map_atoms(s.expr, renamed), s.prov)
        for s in part
    )
    carried = tuple(names.var(v.name, v.type) for v in live)
    inits = tuple(_ZEROS[v.type] for v in live)
    block = Block(body, tuple(inside[v] for v in live))
    loop = For(names.var("once", I64), Lit(1, I64), carried, inits, block, point=point())
    return Stm(tuple(live), loop, part[0].prov)
