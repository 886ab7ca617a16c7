"""Loop-invariant scalars and checks move out of loops.

Only pure primitives on scalars, and `dim`, so nothing that could fail runs where it did not before;
and checks of invariants that are the first in a counted loop that could fail, so that no other
error, and no output, could have come before. They hold wherever the loop has no iteration.
Only statements at the top of a loop's body move, and out of branches what costs next to nothing:
a branch may be there to avoid the cost of the rest. One bottom-up walk moves a statement out of
as many loops as it is invariant in. Out of a loop of one iteration nothing moves: that would gain
nothing, and such a loop is a part of a long straight line (`straight`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
    ilit,
)
from retrograd.ir.traverse import binders, blocks, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.records import Itself
from retrograd.transforms.analysis.effects import callees, effectful, may_act, prim_effect
from retrograd.transforms.passes import per_function, unless_settled

__all__ = ["hoist", "hoist_in_function"]


def hoist(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Moves loop-invariant scalar operations and checks out of the loops of every function."""
    effects = effectful(program, prims)

    def hoisted(function: Function) -> Function:
        acting = tuple(name in effects for name in callees(function))
        key = "hoisted", Itself(prims), acting
        return unless_settled(
            function, names, key, lambda f: hoist_in_function(f, names, prims, effects)
        )

    return per_function(program, hoisted)


def hoist_in_function(
    function: Function, names: NameSupply, prims: PrimitiveSet, effects: Collection[str]
) -> Function:
    """As `hoist`, for one function; `effects` names the functions that may act."""
    walk = _Walk(names, prims, effects, {p.name: 0 for p in function.params})
    walk.pending.append([])
    return function.with_body(walk.block(function.body, 0, inside_branch=False))


@dataclass(slots=True)
class _Walk:
    """`level` is the loop depth at which each variable lives; `pending` what moves to a depth.

    Nothing moves out of the loops around the depth `floor`. `loops` are the loops around, each with
    whether something that stays in it may have failed, or written output, already.
    """

    names: NameSupply
    prims: PrimitiveSet
    effects: Collection[str]
    level: dict[str, int]
    pending: list[list[Stm]] = field(default_factory=list["list[Stm]"])
    floor: int = 0
    loops: list[_Loop] = field(default_factory=list["_Loop"])

    def block(self, block: Block, depth: int, *, inside_branch: bool) -> Block:
        kept: list[Stm] = []
        for stm in block.stms:
            target = self.target(stm.expr, depth, inside_branch=inside_branch)
            if not inside_branch and (found := self.leaving(stm, depth)) < depth:
                self.leave(stm, found, depth)
                continue
            if target < depth:
                self.bind(stm.outs, target)
                self.pending[target + 1].append(stm)
                continue
            self.bind(stm.outs, depth)
            if self.loops and self.seen(stm.expr):
                self.loops[-1].acted = True
            inner = self.inner(stm.expr, depth, inside_branch=inside_branch)
            if isinstance(inner, For | While):
                kept.extend(self.pending.pop())
            kept.append(stm.with_expr(inner))
        return block.changed(tuple(kept), block.results)

    def bind(self, variables: tuple[Var, ...], depth: int) -> None:
        for var in variables:
            self.level[var.name] = depth

    def inner(self, expr: Expr, depth: int, *, inside_branch: bool) -> Expr:
        match expr:
            case For() | While():
                # Statements that leave this loop for `depth` are put in front of it.
                self.pending.append([])
                self.loops.append(_Loop(expr.trips if isinstance(expr, For) else None))
                self.bind(binders(expr), depth + 1)
                outer = self.floor
                if isinstance(expr, For) and isinstance(expr.trips, Lit) and expr.trips.value == 1:
                    self.floor = depth + 1
                new = tuple(self.block(b, depth + 1, inside_branch=False) for b in blocks(expr))
                self.floor = outer
                if self.loops.pop().acted and self.loops:
                    self.loops[-1].acted = True
                return with_blocks(expr, new)
            case If():
                new = (self.block(b, depth, inside_branch=True) for b in blocks(expr))
                return with_blocks(expr, tuple(new))
            case Prim() | Call() | Jvp() | Vjp():
                return expr
            case _:
                unhandled(expr)

    def target(self, expr: Expr, depth: int, *, inside_branch: bool) -> int:
        """The outermost loop depth at which a statement can run."""
        if not isinstance(expr, Prim) or depth == 0 or not self.movable(expr):
            return depth
        if inside_branch and self.prims[expr.op].cost > self.prims.costs.hoist_cost:
            return depth
        levels = (self.level[a.name] for a in expr.args if isinstance(a, Var))
        return max(self.floor, *levels, 0)

    def movable(self, expr: Prim) -> bool:
        if expr.op == "dim":
            return True
        if prim_effect(expr, self.prims) is not Effect.PURE or not expr.args:
            return False
        return all(a.type.is_scalar for a in expr.args) and _scalar_result(expr, self.prims)

    # Checks.

    def seen(self, expr: Expr) -> bool:
        """Whether a check that is moved in front of this could change what the user sees."""
        match expr:
            case Prim():
                return prim_effect(expr, self.prims) in (Effect.CHECK, Effect.OUTPUT)
            case _:
                return may_act(expr, self.prims, self.effects)

    def leaving(self, stm: Stm, depth: int) -> int:
        """The outermost loop depth at which a check can be made instead."""
        if not isinstance(stm.expr, Prim) or stm.expr.op not in _CHECKS:
            return depth
        least = max(self.floor, *(self.depth_of(a) for a in stm.expr.args), 0)
        found = depth
        while found > least:
            loop = self.loops[found - 1]
            if loop.acted or loop.trips is None:
                break
            found -= 1
        while any(self.depth_of(loop.trips) > found for loop in self.loops[found:depth]):
            found += 1
        return found

    def depth_of(self, atom: Atom | None) -> int:
        return self.level[atom.name] if isinstance(atom, Var) else 0

    def leave(self, stm: Stm, target: int, depth: int) -> None:
        """Makes a check in front of loops, where each of them has an iteration."""
        assert isinstance(stm.expr, Prim)
        b = Builder(self.names, self.prims.result_types, stm.prov)
        first, *rest = stm.expr.args
        for loop in self.loops[target:depth]:
            trips = loop.trips
            assert trips is not None
            if isinstance(trips, Lit) and trips.value > 0:
                continue
            if rest:
                first = b.prim("select", b.prim("gt", trips, ilit(0)), first, rest[0])
            else:
                first = b.prim("or_", b.prim("le", trips, ilit(0)), first)
        b.bind(replace(stm.expr, args=(first, *rest)), ())
        for new in b.stms:
            self.bind(new.outs, target)
        self.pending[target + 1] += b.stms


@dataclass(slots=True)
class _Loop:
    """A loop that is being walked; `trips` is None where they are not counted."""

    trips: Atom | None
    acted: bool = False


_CHECKS = ("check", "check_extents")


def _scalar_result(expr: Prim, prims: PrimitiveSet) -> bool:
    types = prims.result_types(expr.op, tuple(a.type for a in expr.args), expr.params)
    return all(t.is_scalar for t in types)
