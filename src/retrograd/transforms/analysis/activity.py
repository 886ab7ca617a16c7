"""Which variables of a function have tangents: an over-approximation, found before any is made."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import Atom, Block, Call, For, Function, If, Jvp, Prim, Stm, Var, Vjp, While
from retrograd.ir.traverse import atoms
from retrograd.prims.core import PrimitiveSet, Zero

__all__ = ["active_vars"]


def active_vars(function: Function, active: frozenset[Var], prims: PrimitiveSet) -> frozenset[Var]:
    """Float variables that may depend smoothly on those in `active`, through loops as well."""
    live = set(active)
    before = -1
    while len(live) != before:
        before = len(live)
        _spread(function.body, live, prims)
    return frozenset(live)


def _mark(live: set[Var], outs: Sequence[Var], sources: Sequence[Sequence[Atom]]) -> None:
    for out, group in zip(outs, sources, strict=True):
        if out.type.is_float and any(atom in live for atom in group):
            live.add(out)


def _spread(block: Block, live: set[Var], prims: PrimitiveSet) -> None:
    for stm in block.stms:
        _spread_stm(stm, live, prims)


def _spread_stm(stm: Stm, live: set[Var], prims: PrimitiveSet) -> None:
    match stm.expr:
        case Prim() as expr:
            if not isinstance(prims[expr.op].jvp, Zero):
                _mark(live, stm.outs, [expr.args] * len(stm.outs))
        case Call() | Jvp() | Vjp() as expr:
            _mark(live, stm.outs, [atoms(expr)] * len(stm.outs))
        case If() as expr:
            _spread(expr.then, live, prims)
            _spread(expr.orelse, live, prims)
            pairs = list(zip(expr.then.results, expr.orelse.results, strict=True))
            _mark(live, stm.outs, pairs)
        case For() as expr:
            _spread(expr.body, live, prims)
            count = len(expr.carried)
            values = expr.body.results
            _mark(live, expr.carried, list(zip(expr.inits, values[:count], strict=True)))
            carried = [(var,) for var in expr.carried]
            _mark(live, stm.outs, [*carried, *((value,) for value in values[count:])])
        case While() as expr:
            _spread(expr.body, live, prims)
            _mark(live, expr.carried, list(zip(expr.inits, expr.body.results, strict=True)))
            _mark(live, stm.outs, [(var,) for var in expr.carried])
        case _:
            unhandled(stm.expr)
