"""Execution points: numbered once, on the optimised program, before anything is derived from it.

A point is an iteration of a loop that can be long, a call, or a part of a long straight line. A
counted loop whose whole cost is known to stay below `Costs.unit_cost` belongs to the unit around
it. Numbers follow the text, function by function, so that every variant that is generated from the
program (plain, interruptible, forward, reverse) means the same place by the same number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks, defined_in, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.points.scalar_blocks import cut_straight

__all__ = ["cost_bound", "number_points"]

Defined = Mapping[str, Prim]
"""What variables are, by their names."""

_NOTHING: Defined = {}


def cost_bound(expr: Expr, prims: PrimitiveSet, defined: Defined = _NOTHING) -> float | None:
    """An upper bound of the cost of one evaluation, None where it depends on data or extents."""
    match expr:
        case Prim():
            primitive = prims[expr.op]
            return None if primitive.facts.whole(expr.args) else primitive.cost
        case For():
            inner, trips = _block_bound(expr.body, prims, defined), _most(expr.trips, defined)
            return None if inner is None or trips is None else max(0, trips) * (inner + 1.0)
        case While() | Call() | Jvp() | Vjp():
            return None
        case If():
            bounds = [_block_bound(b, prims, defined) for b in blocks(expr)]
            known = [b for b in bounds if b is not None]
            return max(known, default=0.0) if len(known) == len(bounds) else None
        case _:
            unhandled(expr)


def _most(trips: Atom, defined: Defined) -> int | None:
    """The most iterations that there can be, where that is in the text: the edge of a loop."""
    if isinstance(trips, Lit):
        return int(trips.value)
    source = defined.get(trips.name)
    if source is None or source.op != "imin":
        return None
    known = [m for m in (_most(a, defined) for a in source.args) if m is not None]
    return min(known, default=None)


def _block_bound(block: Block, prims: PrimitiveSet, defined: Defined) -> float | None:
    total = 0.0
    for stm in block.stms:
        bound = cost_bound(stm.expr, prims, defined)
        if bound is None:
            return None
        total += bound
    return total


def number_points(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with its points numbered from 0."""
    counter = _Counter(prims, names)
    return Program(tuple(counter.function(f) for f in program.functions), program.entry)


@dataclass(slots=True)
class _Counter:
    prims: PrimitiveSet
    names: NameSupply
    next: int = 0
    defined: dict[str, Prim] = field(default_factory=dict[str, Prim])

    def take(self) -> int:
        self.next += 1
        return self.next - 1

    def function(self, function: Function) -> Function:
        self.defined = defined_in(function.body)
        return replace(function, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        counted = Block(tuple(map(self.stm, block.stms)), block.results)
        return cut_straight(counted, self.names, self.prims, self.take)

    def stm(self, stm: Stm) -> Stm:
        expr = stm.expr
        match expr:
            case For():
                bound = cost_bound(expr, self.prims, self.defined)
                if bound is None or bound > self.prims.costs.unit_cost:
                    expr = replace(expr, point=self.take())
            case While() | Call():
                expr = replace(expr, point=self.take())
            case _:
                pass
        return stm.with_expr(with_blocks(expr, tuple(map(self.block, blocks(expr)))))
