"""Conditions of loops, which are translated apart from the body, so they change nothing."""

from __future__ import annotations

from retrograd.frontend.values.jumps import flags_of
from retrograd.frontend.values.kinds import UNDEF, Maybe, Option, Scalar, Value
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import State, Tracer
from retrograd.ir.terms import Atom, false, true

__all__ = ["changes", "still_alive"]


def still_alive(t: Tracer, left: Value | None, returns: bool) -> Atom:
    """Whether a loop has been left neither by `break`, as `left` says, nor by `return`."""
    alive: Atom = logical_not(t, left.atom) if isinstance(left, Scalar) else true
    returned = t.returned() if returns else false
    if returned != false:
        going = logical_not(t, returned)
        alive = going if alive == true else t.prim("and_", alive, going)
    t.resume()
    return alive


def changes(t: Tracer, header: State) -> bool:
    """Whether the condition just translated has assigned anything."""
    same = all(t.state.arrays.get(loc) is atom for loc, atom in header.arrays.items())
    if not same or t.state.globals != header.globals:
        return True
    flags = {t.frame.ret, *t.frame.brk, *flags_of(t)}
    for cell in header.cells.keys() | t.state.cells.keys():
        before, after = header.cells.get(cell), t.state.cells.get(cell)
        known = before.value if isinstance(before, Maybe | Option) else before
        if cell in t.ctx.attributes and cell not in header.cells:
            continue  # of an object that the condition has made
        if cell not in flags and after not in (before, known, UNDEF):
            return True
    return False
