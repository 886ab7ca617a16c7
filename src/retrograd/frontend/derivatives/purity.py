"""What reversible functions may not do in expressions: change arguments, or share memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.frontend.values.kinds import Scalar, Value, describe, locations
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import false, true

__all__ = ["own", "pure"]


def own(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `own(local, *others)`: whether the local has no array in common with them."""
    rivals = {loc for other in args[1:] for loc in locations(other)}
    for loc in locations(args[0]):
        if loc in rivals or rivals & t.state.links.get(loc, frozenset()):
            return Scalar(false)
    return Scalar(true)


def pure(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `pure(fun, ...)`: a call that is refused if it changes what is there."""
    arrays, cells = dict(t.state.arrays), dict(t.state.cells)
    found = t.call(args[0], args[1:], kwargs)
    state = t.state
    same = all(state.arrays.get(loc, atom) is atom for loc, atom in arrays.items())
    same = same and all(state.cells.get(cell, held) == held for cell, held in cells.items())
    if not same:
        raise t.error(
            "RG0501", f"{describe(args[0])} changes its arguments, in an expression of a "
            "reversible function", "have it work on a copy: x = x.copy()",
        )  # fmt: skip
    return found
