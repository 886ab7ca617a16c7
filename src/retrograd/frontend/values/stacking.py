"""Arrays of one list that may have different shapes, which no buffer holds."""

from __future__ import annotations

from collections.abc import Iterator

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.values.arrays import extent
from retrograd.frontend.values.kinds import ArrayRef, TupleValue, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = ["refuse_stacking"]


def refuse_stacking(t: Tracer, content: TupleValue) -> None:
    """Refuses to put arrays into one buffer that may have different shapes, where it need not be:
    in a loop that is translated iteration by iteration then, or where the index may become a part
    of the program."""
    ctx = t.ctx
    if content.cls is ListBuffer:  # a buffer holds them already
        return
    literal = not ctx.way.literals and not ctx.way.stacks and not ctx.numbered <= ctx.way.baked
    if not ctx.divides and not literal:
        return
    shapes = {tuple(_extents(t, item)) for item in content.items}
    if len(shapes) > 1:
        ctx.divided = True
        ctx.stackable |= literal
        raise t.error(
            "RG0104", "an item at an index of the run, of arrays that may have different shapes",
            "write the iterations one after the other",
        )  # fmt: skip


def _extents(t: Tracer, item: Value) -> Iterator[Atom]:
    """The extents of all arrays of an item."""
    match item:
        case ArrayRef():
            yield from (extent(t, item, axis) for axis in range(item.type.rank))
        case TupleValue():
            for part in item.items:
                yield from _extents(t, part)
        case _:
            pass
