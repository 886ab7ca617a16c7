"""Activity: which variables of a function depend smoothly on its active parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.prims.core import PrimitiveSet, Zero

__all__ = ["varied_vars"]

CallActivity = Callable[[str, tuple[bool, ...]], tuple[bool, ...]]
"""(function, active arguments) -> active results."""


def varied_vars(
    function: Function, active: tuple[bool, ...], prims: PrimitiveSet, calls: CallActivity
) -> frozenset[Var]:
    """Float variables whose derivative with respect to the active parameters may be nonzero."""
    walk = _Walk(prims, calls)
    for param, on in zip(function.params, active, strict=True):
        walk.mark(param, on)
    walk.block(function.body)
    return frozenset(walk.varied)


@dataclass(slots=True)
class _Walk:
    prims: PrimitiveSet
    calls: CallActivity
    varied: set[Var] = field(default_factory=set[Var])

    def on(self, atom: Atom | None) -> bool:
        return isinstance(atom, Var) and atom in self.varied

    def mark(self, var: Var, on: bool) -> None:
        if on and var.type.is_float:
            self.varied.add(var)

    def block(self, block: Block) -> None:
        for stm in block.stms:
            self.stm(stm)

    def stm(self, stm: Stm) -> None:
        expr: Expr = stm.expr
        match expr:
            case Prim():
                smooth = not isinstance(self.prims[expr.op].vjp, Zero)
                on = smooth and any(map(self.on, expr.args))
                flags = [on] * len(stm.outs)
            case If():
                self.block(expr.then)
                self.block(expr.orelse)
                pairs = zip(expr.then.results, expr.orelse.results, strict=True)
                flags = [self.on(a) or self.on(b) for a, b in pairs]
            case For() | While():
                flags = self.loop(expr)
            case Call():
                flags = list(self.calls(expr.function, tuple(map(self.on, expr.args))))
            case Jvp() | Vjp():
                given = [*expr.args, *(expr.tangents if isinstance(expr, Jvp) else expr.cotangents)]
                flags = [any(map(self.on, given))] * len(stm.outs)
            case _:
                unhandled(expr)
        for out, on in zip(stm.outs, flags, strict=True):
            self.mark(out, on)

    def loop(self, expr: For | While) -> list[bool]:
        """Rounds over the body, until a round activates nothing that is carried to the next."""
        results = expr.body.results
        for var, init in zip(expr.carried, expr.inits, strict=False):
            self.mark(var, self.on(init))
        while True:
            self.block(expr.body)
            before = len(self.varied)
            for var, result in zip(expr.carried, results, strict=False):
                self.mark(var, self.on(result))
            if len(self.varied) == before:
                break
        flags = [
            self.on(init) or self.on(result)
            for init, result in zip(expr.inits, results, strict=False)
        ]
        return flags + [self.on(r) for r in results[len(expr.carried) :]]
