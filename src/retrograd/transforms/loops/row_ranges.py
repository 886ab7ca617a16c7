"""Which elements the rows of an array have, and tests of whether they lie one after the other.

Rows are given by an array of their starts, of which each is the end of the row before, or by
formulas of a row's number: the parts of a scan are `k * size` to `min((k + 1) * size, n)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Prim, Stm, Var, ilit
from retrograd.ir.traverse import free_vars_expr
from retrograd.ir.types import BOOL, I64
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.loops.facts import inlined, loop

__all__ = ["Parts", "Ranges", "Starts", "formulas"]


@dataclass(frozen=True, slots=True)
class Starts:
    """Row `r < count` has elements `starts[r]` to `starts[r + 1]`, without the last."""

    starts: Var
    count: Atom

    def rise(self, b: Builder, extents: Sequence[Atom]) -> Atom:
        """Whether there are rows, each of which begins where the one before ends, within arrays."""
        some = b.prim("gt", self.count, ilit(0))

        def one(inner: Builder, row: Var, so_far: tuple[Var, ...]) -> tuple[Atom]:
            first = inner.prim("index", self.starts, row, checked=False, span=None)
            after = inner.prim("add", row, ilit(1))
            end = inner.prim("index", self.starts, after, checked=False, span=None)
            good: Atom = so_far[0]
            for test in (
                inner.prim("le", first, end),
                inner.prim("ge", first, ilit(0)),
                *(inner.prim("le", end, extent) for extent in extents),
            ):
                good = inner.prim("and_", good, test)
            return (good,)

        return loop(b, self.count, (some,), (BOOL,), one)[0]

    def ends(self, b: Builder) -> tuple[Atom, Atom]:
        """Where the first row begins and the last one ends, where rows rise."""
        first, end = (
            b.prim("index", self.starts, at, checked=False, span=None)
            for at in (ilit(0), self.count)
        )
        return first, end


@dataclass(frozen=True, slots=True)
class Parts:
    """Row `index < count` has `trips` elements from `first` on, as `stms` calculate them."""

    index: Var
    count: Atom
    stms: tuple[Stm, ...]
    first: Atom
    trips: Atom
    names: NameSupply

    def rise(self, b: Builder, extents: Sequence[Atom]) -> Atom:
        """Whether there are rows, each of which begins where the one before ends, within arrays."""
        some = b.prim("gt", self.count, ilit(0))

        def one(inner: Builder, row: Var, so_far: tuple[Var, ...]) -> tuple[Atom]:
            _, end = self.row(inner, row)
            following, _ = self.row(inner, inner.prim("add", row, ilit(1)))
            return (inner.prim("and_", so_far[0], inner.prim("eq", end, following)),)

        pairs = b.prim("sub", self.count, ilit(1))
        good: Atom = loop(b, pairs, (some,), (BOOL,), one)[0]
        first, end = self.ends(b)
        for test in (
            b.prim("ge", first, ilit(0)), *(b.prim("le", end, extent) for extent in extents)
        ):  # fmt: skip
            good = b.prim("and_", good, test)
        return good

    def ends(self, b: Builder) -> tuple[Atom, Atom]:
        """Where the first row begins and the last one ends, where rows rise."""
        first, _ = self.row(b, ilit(0))
        _, end = self.row(b, b.prim("sub", self.count, ilit(1)))
        return first, end

    def row(self, b: Builder, row: Atom) -> tuple[Atom, Atom]:
        """Where a row begins and ends."""
        first, trips = inlined(
            b, self.names, self.stms, (self.first, self.trips), {self.index: row}
        )
        return first, b.prim("add", first, b.prim("imax", trips, ilit(0)))


Ranges = Starts | Parts


def formulas(outer: For, first: Atom, trips: Atom, prims: PrimitiveSet) -> tuple[Stm, ...] | None:
    """What calculates two numbers in a loop's body, of whole numbers alone; none if more does."""
    own = {out: stm for stm in outer.body.stms for out in stm.outs}
    needed: set[Var] = set()
    waiting = [a for a in (first, trips) if isinstance(a, Var) and a in own]
    while waiting:
        var = waiting.pop()
        if var in needed:
            continue
        needed.add(var)
        expr = own[var].expr
        if not isinstance(expr, Prim) or prim_effect(expr, prims) is not Effect.PURE:
            return None
        if any(a.type != I64 for a in (*expr.args, *own[var].outs)):
            return None
        waiting += [a for a in expr.args if isinstance(a, Var) and a in own]
    chosen = tuple(s for s in outer.body.stms if not needed.isdisjoint(s.outs))
    free = free_vars_expr(For(outer.index, outer.trips, (), (), Block(chosen, (first, trips))))
    return None if set(outer.carried) & set(free) else chosen
