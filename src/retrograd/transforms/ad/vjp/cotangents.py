"""Cotangents during one reverse sweep of a block, and what a primitive's rule sees of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from retrograd.ir.terms import (
    Atom,
    Block,
    For,
    If,
    Param,
    Params,
    Prim,
    Stm,
    Var,
    While,
    flit,
)
from retrograd.ir.traverse import binders, blocks, stms_deep
from retrograd.transforms.ad.vjp.shaping import ReverseBuilder

__all__ = ["Bars", "PrimPullback", "bound_in", "branch_opener", "branch_result"]


@dataclass(slots=True)
class Bars:
    """Cotangent of each variable so far; a missing one is zero.

    `opener` gives the cotangent array of a variable from outside the block, when it is first asked
    for. A cotangent array has one owner. An array that a rule hands to two operands is copied for
    the second.
    """

    b: ReverseBuilder
    varied: frozenset[Var]
    table: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    taken: set[Var] = field(default_factory=set[Var])
    opener: Callable[[Var], Atom | None] | None = None

    def wants(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom in self.varied

    def add(self, atom: Atom, contribution: Atom) -> None:
        """Adds a cotangent of the shape of `atom`; dropped where the variable is not active."""
        if not isinstance(atom, Var) or atom not in self.varied:
            return
        old = self.find(atom)
        if old is None:
            self.table[atom] = self.own(contribution)
        elif atom.type.is_scalar:
            self.table[atom] = self.b.prim("add", old, contribution, hint="bar")
        else:
            if contribution == old:  # both operands of a sum are the same array
                contribution = self.b.prim("copy", contribution, hint="bar")
            self.table[atom] = self.b.prim("accumulate", old, contribution, hint="bar")

    def find(self, var: Var) -> Atom | None:
        """The cotangent so far, opened from outside the block where it comes from there."""
        if var not in self.table and self.opener is not None:
            bar = self.opener(var)
            if bar is not None:
                self.table[var] = bar
        return self.table.get(var)

    def replace(self, var: Var, bar: Atom) -> None:
        """A new version of the cotangent array of a variable."""
        self.shape_like(bar, var)
        self.table[var] = bar

    def shape_like(self, bar: Atom, like: Atom) -> None:
        """Notes that a cotangent array has the shape of a primal one."""
        dims = self.b.shapes.of(like)
        if isinstance(bar, Var) and not bar.type.is_scalar and dims is not None:
            self.b.shapes.set(bar, dims)

    def outer(self, stm: Stm, expr: If | For | While) -> list[Var]:
        """Variables from outside the statement's blocks that have a cotangent now, in order."""
        local = {v for s in (stm, *_inside(expr)) for v in binders(s.expr)}
        for s in _inside(expr):
            local.update(s.outs)
        return [v for v in self.table if v not in local]

    def own(self, contribution: Atom) -> Atom:
        """The contribution as an array that nobody else holds."""
        if contribution.type.is_scalar or not isinstance(contribution, Var):
            return contribution
        if contribution in self.taken:
            return self.b.prim("copy", contribution, hint="bar")
        self.taken.add(contribution)
        return contribution

    def take(self, var: Var) -> Atom | None:
        """The cotangent of a variable whose definition is reached: it is complete."""
        return self.table.pop(var, None)

    def dense(self, var: Var) -> Atom:
        """The cotangent, zeros where there is none yet; it stays in the table."""
        bar = self.find(var)
        if bar is None:
            bar = self.b.zeros_like(var)
            self.table[var] = bar
        return bar


def _inside(expr: If | For | While) -> list[Stm]:
    return [s for block in blocks(expr) for s in stms_deep(block)]


def bound_in(block: Block) -> set[Var]:
    """What the statements of a block bind, also inside of other blocks."""
    return {v for s in stms_deep(block) for v in (*s.outs, *binders(s.expr))}


def branch_opener(bars: Bars, block: Block) -> Callable[[Var], Atom | None]:
    """How the cotangent array of a variable from outside of a branch enters it."""
    local = bound_in(block)

    def opener(var: Var) -> Atom | None:
        if var in local or var.type.is_scalar:
            return None
        return bars.find(var)  # where there is none, a side's own contribution becomes it

    return opener


def branch_result(bars: Bars, inner: Bars, var: Var) -> Atom:
    """The cotangent of an outer variable after a branch: an increment (scalar) or the array."""
    bar = inner.table.get(var)
    if bar is None and not var.type.is_scalar:
        bar = bars.find(var)
        return inner.b.zeros_like(var) if bar is None else bar
    return flit(0.0) if bar is None else bar


@dataclass(slots=True)
class PrimPullback:
    """`prims.core.Pullback` for one application."""

    bars: Bars
    expr: Prim
    outs: tuple[Atom, ...]
    out_bars: tuple[Atom | None, ...]

    @property
    def b(self) -> ReverseBuilder:
        return self.bars.b

    @property
    def args(self) -> tuple[Atom, ...]:
        return self.expr.args

    @property
    def params(self) -> Params:
        return self.expr.params

    def wants(self, position: int) -> bool:
        return self.bars.wants(self.expr.args[position])

    def add(self, position: int, contribution: Atom) -> None:
        self.bars.add(self.expr.args[position], contribution)

    def into(self, position: int, op: str, *rest: Atom, **params: Param) -> None:
        var = self.expr.args[position]
        if not isinstance(var, Var) or var not in self.bars.varied:
            return
        old = self.bars.dense(var)
        self.bars.table[var] = self.b.prim(op, old, *rest, hint="bar", **params)
