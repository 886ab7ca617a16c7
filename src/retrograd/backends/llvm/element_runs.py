"""Runs of statements that go through the same elements: one loop evaluates them.

The gradient of `y = x * w` and of `total += np.sum(x)` reads what comes back to `x` three times if
each statement has a loop of its own. Statements of a run make arrays of equal extents, add to such
or sum them up, element by element, and between them stands nothing that needs what they make. So
the loops of all wait for the last one, which has them all (`backends.llvm.fused_loops`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from retrograd.ir.terms import Block, Prim, Stm, Var
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.elements import arrays_of, elements_of
from retrograd.transforms.analysis.shapes import Extents

__all__ = ["Run", "element_runs"]


@dataclass(frozen=True, slots=True)
class Run:
    """Statements that may share a loop: by number, with the extents of what they go through."""

    number: int
    size: Extents


def element_runs(
    block: Block, prims: PrimitiveSet, extents: Mapping[str, Extents], last: Mapping[Var, int],
    points: Iterable[int],
) -> Mapping[int, Run]:  # fmt: skip
    """The run of each statement that goes through arrays of extents that are known to be equal.

    `extents` are those of arrays by name, `last` has where variables are used for the last time. A
    run does not go beyond one of the `points`.
    """
    if not extents:
        return {}
    runs = _Runs(block, prims, extents, last, frozenset(points))
    return {k: Run(n, size) for n, (run, size) in enumerate(runs.all()) for k in run}


@dataclass(slots=True)
class _Runs:
    """The run that is open: its statements, the extents of its elements, the arrays that it makes
    and the sums that nothing knows before its end.

    `views` are arrays in the memory of others, `own` those that the block makes. Of these the run
    reads one for the last time at `soonest`, by itself.
    """

    block: Block
    prims: PrimitiveSet
    extents: Mapping[str, Extents]
    last: Mapping[Var, int]
    points: frozenset[int]
    run: list[int] = field(default_factory=list[int])
    size: Extents = ()
    made: set[Var] = field(default_factory=set[Var])
    sums: set[Var] = field(default_factory=set[Var])
    views: set[Var] = field(default_factory=set[Var])
    own: set[Var] = field(default_factory=set[Var])
    soonest: float = inf

    def all(self) -> Iterator[tuple[list[int], Extents]]:
        """Each run in turn; some are empty."""
        for position, stm in enumerate(self.block.stms):
            if position in self.points:
                yield self.closed()
            if size := self.elements(stm):
                if not self.goes_on(position, stm, size):
                    yield self.closed()
                self.add(position, stm, size)
            elif not self.passes(stm):
                yield self.closed()
            self.own.update(stm.outs)
            if isinstance(stm.expr, Prim) and self.prims[stm.expr.op].facts.view:
                self.views.update(stm.outs)
        yield self.closed()

    def add(self, position: int, stm: Stm, size: Extents) -> None:
        assert isinstance(stm.expr, Prim)
        for array in arrays_of(stm.expr):
            if array in self.own and array not in self.made:
                self.soonest = min(self.soonest, self.last[array])
        self.run.append(position)
        self.size = size
        (self.sums if stm.outs[0].type.is_scalar else self.made).update(stm.outs)

    def closed(self) -> tuple[list[int], Extents]:
        run, self.run, self.soonest = self.run, [], inf
        self.made.clear()
        self.sums.clear()
        return run, self.size

    def elements(self, stm: Stm) -> Extents:
        """The extents of what a statement goes through, if it can be in a run."""
        found = elements_of(stm, self.prims, self.extents)
        if not found or stm.outs[0] not in self.last or not isinstance(stm.expr, Prim):
            return ()
        return found if self.views.isdisjoint(stm.expr.args) else ()

    def goes_on(self, position: int, stm: Stm, size: Extents) -> bool:
        """Whether the open run can have one more: of equal extents, with no use of its sums. What
        makes an array comes before what the run reads for the last time, which is kept so long."""
        expr = stm.expr
        assert isinstance(expr, Prim)
        if size != self.size or not self.sums.isdisjoint(expr.args):
            return False
        if len(self.run) >= self.prims.costs.fused_statements:
            return False
        makes = not stm.outs[0].type.is_scalar and not self.prims[expr.op].consumes
        return not makes or self.soonest >= position

    def passes(self, stm: Stm) -> bool:
        """Whether a statement outside of the open run can stand before its loop: it makes numbers
        or views, of nothing that the run makes."""
        expr = stm.expr
        if not isinstance(expr, Prim) or self.prims[expr.op].consumes:
            return False
        facts = self.prims[expr.op].facts
        if prim_effect(expr, self.prims) not in (Effect.PURE, Effect.CHECK):
            return False
        if not facts.view and any(not out.type.is_scalar for out in stm.outs):
            return False
        read = [a for k, a in enumerate(expr.args) if k not in facts.shape_only]
        return self.made.isdisjoint(read) and self.sums.isdisjoint(expr.args)
