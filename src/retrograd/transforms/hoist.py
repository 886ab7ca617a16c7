"""Loop-invariant scalars move out of loops.

Only pure primitives on scalars, and `dim`, so nothing that could fail runs where it did not before.
Only statements at the top of a loop's body move, and out of branches what costs next to nothing:
a branch may be there to avoid the cost of the rest. One bottom-up walk moves a statement out of
as many loops as it is invariant in. Out of a loop of one iteration nothing moves: that would gain
nothing, and such a loop is a part of a long straight line (`straight`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Expr, For, Function, If, Lit, Prim, Program, Stm, Var, While
from retrograd.ir.traverse import binders, blocks, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.effects import prim_effect
from retrograd.transforms.passes import per_function

__all__ = ["hoist", "hoist_in_function"]

_CHEAP = 2.0


def hoist(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Moves loop-invariant scalar operations out of the loops of every function."""
    return per_function(program, lambda f: hoist_in_function(f, prims))


def hoist_in_function(function: Function, prims: PrimitiveSet) -> Function:
    """Moves loop-invariant scalar operations of `function` out of its loops."""
    walk = _Walk(prims, {p.name: 0 for p in function.params})
    walk.pending.append([])
    return replace(function, body=walk.block(function.body, 0, inside_branch=False))


@dataclass(slots=True)
class _Walk:
    """`level` is the loop depth at which each variable lives; `pending` what moves to a depth.

    Nothing moves out of the loops around the depth `floor`.
    """

    prims: PrimitiveSet
    level: dict[str, int]
    pending: list[list[Stm]] = field(default_factory=list["list[Stm]"])
    floor: int = 0

    def block(self, block: Block, depth: int, *, inside_branch: bool) -> Block:
        kept: list[Stm] = []
        for stm in block.stms:
            target = self.target(stm.expr, depth, inside_branch=inside_branch)
            if target < depth:
                self.bind(stm.outs, target)
                self.pending[target + 1].append(stm)
                continue
            self.bind(stm.outs, depth)
            inner = self.inner(stm.expr, depth, inside_branch=inside_branch)
            if isinstance(inner, For | While):
                kept.extend(self.pending.pop())
            kept.append(replace(stm, expr=inner))
        return Block(tuple(kept), block.results)

    def bind(self, variables: tuple[Var, ...], depth: int) -> None:
        for var in variables:
            self.level[var.name] = depth

    def inner(self, expr: Expr, depth: int, *, inside_branch: bool) -> Expr:
        match expr:
            case For() | While():
                # Statements that leave this loop for `depth` are put in front of it.
                self.pending.append([])
                self.bind(binders(expr), depth + 1)
                outer = self.floor
                if isinstance(expr, For) and isinstance(expr.trips, Lit) and expr.trips.value == 1:
                    self.floor = depth + 1
                new = tuple(self.block(b, depth + 1, inside_branch=False) for b in blocks(expr))
                self.floor = outer
                return with_blocks(expr, new)
            case If():
                new = (self.block(b, depth, inside_branch=True) for b in blocks(expr))
                return with_blocks(expr, tuple(new))
            case _:
                return expr

    def target(self, expr: Expr, depth: int, *, inside_branch: bool) -> int:
        """The outermost loop depth at which a statement can run."""
        if not isinstance(expr, Prim) or depth == 0 or not self.movable(expr):
            return depth
        if inside_branch and self.prims[expr.op].cost > _CHEAP:
            return depth
        levels = (self.level[a.name] for a in expr.args if isinstance(a, Var))
        return max(self.floor, *levels, 0)

    def movable(self, expr: Prim) -> bool:
        if expr.op == "dim":
            return True
        if prim_effect(expr, self.prims) is not Effect.PURE or not expr.args:
            return False
        return all(a.type.is_scalar for a in expr.args) and _scalar_result(expr, self.prims)


def _scalar_result(expr: Prim, prims: PrimitiveSet) -> bool:
    types = prims.result_types(expr.op, tuple(a.type for a in expr.args), expr.params)
    return all(t.is_scalar for t in types)
