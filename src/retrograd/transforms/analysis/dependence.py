"""Which variables of a function depend on others: smoothly or not, through control as well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import Atom, Block, Call, For, Function, If, Jvp, Prim, Stm, Var, Vjp, While
from retrograd.ir.traverse import atoms
from retrograd.prims.core import PrimitiveSet

__all__ = ["depending"]


def depending(function: Function, sources: Iterable[Var], prims: PrimitiveSet) -> frozenset[Var]:
    """The variables that depend on some of `sources`, which are among them; extents do not count.

    All results of a call depend on all its arguments.
    """
    walk = _Walk(prims, set(sources))
    before = -1
    while len(walk.found) != before:
        before = len(walk.found)
        walk.block(function.body, False)
    return frozenset(walk.found)


@dataclass(slots=True)
class _Walk:
    prims: PrimitiveSet
    found: set[Var]

    def on(self, given: Iterable[Atom]) -> bool:
        return any(isinstance(a, Var) and a in self.found for a in given)

    def mark(self, outs: Iterable[Var], on: bool) -> None:
        if on:
            self.found.update(outs)

    def block(self, block: Block, around: bool) -> None:
        """`around`: whether it runs depends on a source."""
        for stm in block.stms:
            self.stm(stm, around)

    def stm(self, stm: Stm, around: bool) -> None:
        expr = stm.expr
        match expr:
            case Prim():
                shapes = self.prims[expr.op].facts.shape_only
                read = (a for k, a in enumerate(expr.args) if k not in shapes)
                self.mark(stm.outs, around or self.on(read))
            case Call() | Jvp() | Vjp():
                self.mark(stm.outs, around or self.on(atoms(expr)))
            case If():
                chosen = around or self.on((expr.cond,))
                self.block(expr.then, chosen)
                self.block(expr.orelse, chosen)
                pairs = zip(stm.outs, expr.then.results, expr.orelse.results, strict=True)
                for out, one, other in pairs:
                    self.mark((out,), chosen or self.on((one, other)))
            case For():
                self.loop(stm, expr, around or self.on((expr.trips,)))
            case While():
                self.block(expr.cond, around)
                self.loop(stm, expr, around or self.on(expr.cond.results))
            case _:
                unhandled(expr)

    def loop(self, stm: Stm, expr: For | While, around: bool) -> None:
        self.block(expr.body, around)
        results, count = expr.body.results, len(expr.carried)
        for var, init, result in zip(expr.carried, expr.inits, results, strict=False):
            self.mark((var,), around or self.on((init, result)))
        for out, source in zip(stm.outs, (*expr.carried, *results[count:]), strict=True):
            self.mark((out,), around or self.on((source,)))
