"""How a program is translated, and how once more where it has been refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import CodeType

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.growing_lists import ATTRIBUTES, growing
from retrograd.frontend.values.tracer import Context, HiddenKey

__all__ = ["BY_JOINS", "Way"]

BY_LITERALS = frozenset(
    ("RG0101", "RG0103", "RG0104", "RG0107", "RG0109", "RG0110", "RG0113", "RG0123")
)
"""What is refused with these codes may be accepted if ints and bools of objects, or of a module,
are known."""

BY_BRANCHES = frozenset(("RG0101", "RG0104", "RG0107", "RG0110", "RG0116"))
"""Refusals of items that cannot be in a list."""

BY_JOINS = frozenset(("RG0104", "RG0107"))
"""Refusals of names that are of one kind on one path and of another kind on another path."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a program is translated: what is said of a `Context`, and is found out by trying."""

    baked: frozenset[HiddenKey] = frozenset()
    lists: bool = False
    kinds: bool = False
    literals: bool = False
    unrolls: bool = False
    joins: bool = False
    tables: frozenset[Span] = frozenset()
    delays: bool = False
    crowded: tuple[tuple[type, tuple[str, ...]], ...] = ()
    partial: frozenset[tuple[type, str]] = frozenset()
    chosen: frozenset[Span] = frozenset()
    chose: frozenset[Span] = frozenset()
    rivals: bool = False
    picks: bool = False
    heaps: frozenset[frozenset[Span]] = frozenset()
    stacks: bool = False
    stackable: bool = False
    shared: frozenset[CodeType] = frozenset()

    @property
    def heap_classes(self) -> dict[Span, type]:
        """The classes of the lists that are made at each place, where lists hold them."""
        return {site: growing(sites) for sites in self.heaps for site in sites}

    @property
    def tables_of(self) -> dict[type, tuple[str, ...]]:
        """The classes of which objects are rows, with their attributes."""
        return dict(self.crowded) | dict.fromkeys(self.heap_classes.values(), ATTRIBUTES)

    def after(self, ctx: Context, refused: Sequence[UserError]) -> Way | None:
        """Another way, after all these refusals; None if there is none."""
        if ctx.kept and not self.delays:
            return replace(self, delays=True)
        by_literals = refused[-1].code in BY_LITERALS
        if by_literals and not self.literals and (ctx.has_trees or ctx.numbered - self.baked):
            baked, stackable = self.baked | ctx.numbered, self.stackable or ctx.stackable
            return replace(self, literals=True, baked=baked, lists=False, stackable=stackable)
        if by_literals and not self.unrolls and ctx.grown:
            return replace(self, unrolls=True, lists=False)
        if refused[-1].code == "RG0109" and ctx.pickable and not self.picks:
            return replace(self, picks=True)
        if refused[-1].code == "RG0106" and ctx.rivalry and not self.rivals:
            return replace(self, rivals=True, joins=True, lists=True)
        return self._with_rows(ctx, refused)

    def _with_rows(self, ctx: Context, refused: Sequence[UserError]) -> Way | None:
        """With lists or objects that are rows, dicts with keys of the run, or several kinds."""
        if (heaps := _merged(self.heaps | ctx.heaped)) != self.heaps:
            return replace(self, heaps=heaps, lists=True)
        known = dict(self.crowded)
        if more := tuple(one for one in ctx.crowded.items() if one[0] not in known):
            return replace(self, crowded=(*self.crowded, *more), lists=True)
        if refused[-1].code in ("RG0104", "RG0109") and (more := ctx.keyed - self.tables):
            more = more - self.chosen or more
            return replace(self, tables=self.tables | more, chosen=self.chosen - more)
        if (more := self.tables - self.chose) and refused[-1].code in BY_BRANCHES:
            left, chosen = self.tables & self.chose, self.chosen | more
            return replace(self, tables=left, chosen=chosen, chose=self.chose | more)
        if not self.joins and refused[-1].code in BY_JOINS and (self.chosen or self.crowded):
            return replace(self, joins=True)
        if not self.joins and refused[0].code in BY_JOINS:
            return Way(joins=True, delays=self.delays)
        if not self.joins and ctx.mixed:
            return replace(self, joins=True)
        return Way(stacks=True) if self.stackable else None


def _merged(sets: frozenset[frozenset[Span]]) -> frozenset[frozenset[Span]]:
    """Sets of places with those that have one in common as one set."""
    found: list[frozenset[Span]] = []
    for one in sets:
        apart = [other for other in found if other.isdisjoint(one)]
        alike = (other for other in found if not other.isdisjoint(one))
        found = [*apart, one.union(*alike)]
    return frozenset(found)
