"""How a program is translated once more where it has been refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.given_lists import Opens
from retrograd.frontend.identity.uneven_arrays import UnevenLists
from retrograd.frontend.values.tracer import Context
from retrograd.frontend.values.ways import Way

__all__ = ["BY_JOINS", "another_way", "refused_there"]

BY_LITERALS = frozenset(
    ("RG0101", "RG0103", "RG0104", "RG0107", "RG0109", "RG0110", "RG0113", "RG0123")
)
"""What is refused with these codes may be accepted if ints and bools of objects, or of a module,
are known."""

BY_KEPT = frozenset(("RG0101", "RG0109", "RG0113"))
"""Refusals of what an int may decide that an object of the program has."""

BY_FLOATS = BY_KEPT | {"RG0104", "RG0110"}
"""Refusals of what comes after a condition on a float that a function is given."""

BY_BRANCHES = frozenset(("RG0101", "RG0104", "RG0107", "RG0110", "RG0116"))
"""Refusals of items that cannot be in a list."""

_MOST_PLACES = 12
_MOST_PEELS = 2

BY_JOINS = frozenset(("RG0104", "RG0107"))
"""Refusals of names that are of one kind on one path and of another kind on another path."""


def another_way(way: Way, ctx: Context, refused: Sequence[UserError]) -> Way | None:
    """Another way, after all these refusals; None if there is none."""
    if more := ctx.assigned - way.assigns:
        return replace(way, assigns=way.assigns | more)
    if (more := ctx.added - way.added) or ctx.ordered - way.ordered:
        return _with_attributes(replace(way, ordered=way.ordered | ctx.ordered), more)
    if refused[-1].of_list and ctx.openable and not way.opens:
        return replace(way, opens=Opens.ROWS, lists=True)
    if way.opens is Opens.ROWS and ctx.openable and refused[-1].code in BY_LITERALS:
        return replace(way, opens=Opens.ITEMS)
    if ctx.kept and not way.delays:
        return replace(way, delays=True)
    if ctx.lost and not way.loses and refused[-1].code in ("RG0110", "RG0126"):
        return replace(way, loses=True)
    by_literals = refused[-1].code in BY_LITERALS
    if by_literals and not way.literals and (ctx.has_trees or ctx.numbered - way.baked):
        baked, stackable = way.baked | ctx.numbered, way.stackable or ctx.stackable
        return replace(way, literals=True, baked=baked, lists=bool(way.opens), stackable=stackable)
    if (keeping := _with_literals(way, ctx, refused[-1])) is not None:
        return keeping
    if by_literals and not way.unrolls and ctx.grown:
        return replace(way, unrolls=True, lists=bool(way.opens))
    if refused[-1].code == "RG0109" and ctx.pickable and not way.picks:
        return replace(way, picks=True)
    if refused[-1].code == "RG0106" and (apart := _with_names_apart(way, ctx)) is not None:
        return apart
    return _with_rows(way, ctx, refused)


def _with_literals(way: Way, ctx: Context, refused: UserError) -> Way | None:
    """With literal ints, then with literal floats, that stay ones where functions are called."""
    if refused.code in BY_KEPT and ctx.dropped and not way.keeps:
        return replace(way, keeps=True)
    if refused.code in BY_FLOATS and ctx.sunk and not way.floats:
        return replace(way, keeps=True, floats=True)
    return None


def _with_names_apart(way: Way, ctx: Context) -> Way | None:
    """With each of the lists or arrays apart for which a name stands at run time."""
    if ctx.rivalry and not way.rivals:
        return replace(way, rivals=True, joins=True, lists=True)
    if ctx.peelable and way.peels < _MOST_PEELS:
        return replace(way, peels=way.peels + 1)
    return None


def _with_attributes(way: Way, more: Collection[tuple[type, str]]) -> Way:
    crowded = tuple(
        (cls, tuple(sorted({*names, *(name for own, name in more if own is cls)})))
        for cls, names in way.crowded
    )
    return replace(way, added=way.added.union(more), crowded=crowded)


def refused_there(way: Way, ctx: Context, error: UserError) -> Way | None:
    """The way on which a program is refused when it gets to a place; None if it gets there always.

    There may be a few such places, for each of which the program is translated once more.
    """
    if not ctx.passable or error.span is None or len(way.refuses) == _MOST_PLACES:
        return None
    refuses = way.refuses | {error.span}
    return None if refuses == way.refuses else replace(way, refuses=refuses)


def _with_rows(way: Way, ctx: Context, refused: Sequence[UserError]) -> Way | None:
    """With lists or objects that are rows, dicts with keys of the run, or several kinds."""
    if (heaps := _merged(way.heaps | ctx.heaped)) != way.heaps:
        return replace(way, heaps=heaps, lists=True)
    if (uneven := _together(way.uneven | ctx.uneven)) != way.uneven:
        return replace(way, uneven=uneven, lists=True)
    if (more := ctx.stepped - way.steps) and refused[-1].code in ("RG0101", "RG0104"):
        return replace(way, steps=way.steps | more, lists=True)
    if more := ctx.dicts - way.dicts:
        return replace(way, dicts=way.dicts | more, lists=True)
    if more := ctx.later - way.later:
        return replace(way, later=way.later | more)
    known = dict(way.crowded)
    if more := tuple(one for one in ctx.crowded.items() if one[0] not in known):
        return replace(way, crowded=(*way.crowded, *more), lists=True)
    if refused[-1].code in ("RG0104", "RG0109") and (more := ctx.keyed - way.tables):
        more = more - way.chosen or more
        shuffled = way.shuffled | ctx.shuffled
        return replace(
            way, tables=way.tables | more, chosen=way.chosen - more, shuffled=shuffled
        )  # fmt: skip
    if (more := way.tables - way.chose) and refused[-1].code in BY_BRANCHES:
        left, chosen = way.tables & way.chose, way.chosen | more
        return replace(way, tables=left, chosen=chosen, chose=way.chose | more)
    if not way.joins and refused[-1].code in BY_JOINS and (way.chosen or way.crowded):
        return replace(way, joins=True)
    if not way.joins and refused[0].code in BY_JOINS:
        return Way(
            joins=True, delays=way.delays, opens=way.opens, lists=bool(way.opens),
            assigns=way.assigns, added=way.added, ordered=way.ordered,
        )  # fmt: skip
    if not way.joins and ctx.mixed:
        return replace(way, joins=True)
    return _without_order(way, ctx) or (
        Way(
            stacks=True,
            opens=way.opens,
            lists=bool(way.opens),
            assigns=way.assigns,
            added=way.added,
            ordered=way.ordered,
        )
        if way.stackable
        else None
    )


def _without_order(way: Way, ctx: Context) -> Way | None:
    """With objects for dicts whose keys come in an order that only the run knows; None where there
    are no others."""
    shuffled = way.shuffled | ctx.shuffled
    if not (more := frozenset((site, keys) for site, keys, _ in shuffled) - way.dicts):
        return None
    sites = frozenset(site for site, _ in more)
    later = way.later.union((keys, key) for _, keys, key in shuffled)
    return replace(
        way, dicts=way.dicts | more, later=later, tables=way.tables - sites,
        chosen=way.chosen - sites, lists=True, unordered=True,
    )  # fmt: skip


def _together(every: frozenset[UnevenLists]) -> frozenset[UnevenLists]:
    """Lists that meet, as one."""
    kinds = {(lists.part, lists.rank) for lists in every}
    return frozenset(
        UnevenLists(sites, *kind)
        for kind in kinds
        for sites in _merged(frozenset(one.sites for one in every if (one.part, one.rank) == kind))
    )


def _merged(sets: frozenset[frozenset[Span]]) -> frozenset[frozenset[Span]]:
    """Sets of places with those that have one in common as one set."""
    found: list[frozenset[Span]] = []
    for one in sets:
        apart = [other for other in found if other.isdisjoint(one)]
        alike = (other for other in found if not other.isdisjoint(one))
        found = [*apart, one.union(*alike)]
    return frozenset(found)
