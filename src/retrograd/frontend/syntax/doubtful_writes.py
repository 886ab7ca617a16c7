"""Writes that the caller would see, or not: they may have been to one of its arrays."""

from __future__ import annotations

from retrograd.errors import UserError
from retrograd.frontend.values.tracer import Tracer

__all__ = ["refuse_doubtful_writes"]


def refuse_doubtful_writes(t: Tracer, entry: bool) -> None:
    """At the end of a function, refuses what may have been written to where the caller sees it.

    Args:
        entry: whether the caller is Python; another function of the program is told of arrays.

    Raises:
        UserError: something was.
    """
    own = t.frame.owned_cells
    seen = t.frame.owned | own if entry else own
    for loc in sorted(seen & t.state.stale.keys()):
        t.note_owner(loc)
        t.ctx.heaped.update(t.state.sites_of_rows(loc))
        raise UserError(
            "RG0106",
            "this write may or may not change an array or object of the caller: which one is "
            "chosen at run time",
            t.state.stale[loc],
            "take a copy where the two names meet: x.copy()",
        )
