"""What the items of a list stand for that is put into buffers: arrays and other lists."""

from __future__ import annotations

from collections.abc import Iterator

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.values.kinds import (
    UNDEF,
    ArrayRef,
    Instance,
    OneOf,
    Option,
    TupleValue,
    Value,
    certain,
    parts,
)
from retrograd.frontend.values.lists import arrays
from retrograd.frontend.values.tracer import Tracer

__all__ = ["put_into"]


def put_into(t: Tracer, content: TupleValue, form: TupleValue) -> Iterator[tuple[int, int]]:
    """What the items of a list are, each with the buffers of `form` that it is to be put into."""
    if form.cls is not ListBuffer:
        return
    buffers = [ref.loc for ref in arrays(form.items[0])]
    for item in content.items:
        yield from ((place, loc) for place in _places(t, item) for loc in buffers)


def _places(t: Tracer, item: Value) -> Iterator[int]:
    """The arrays in an item, and the attributes of the lists in it."""
    match item:
        case ArrayRef():
            yield item.loc
        case Instance() if item.cls is list:
            yield item.cells[0]  # which may be stale: it is not read
            yield from _places(t, certain(t.state.cells.get(item.cells[0], UNDEF)))
        case TupleValue() | Option() | OneOf():
            for part in parts(item):
                yield from _places(t, part)
        case _:
            return
