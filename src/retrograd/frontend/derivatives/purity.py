"""What reversible functions may not do in expressions: change arguments, or share memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Closure,
    Instance,
    Maybe,
    Scalar,
    Value,
    describe,
    parts,
)
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import false, true

__all__ = ["held_by", "own", "pure"]


def held_by(t: Tracer, value: Value) -> Iterator[ArrayRef]:
    """The arrays in a value: in tuples, attributes, and what functions have captured."""
    yield from _held_by(t, value, set())


def _held_by(t: Tracer, value: Value, seen: set[int]) -> Iterator[ArrayRef]:
    inner: list[Value] = [*parts(value)]
    cells: Sequence[int] = ()
    match value:
        case ArrayRef():
            yield value
        case Maybe():
            inner.append(value.value)
        case Instance():
            cells = value.cells
        case Closure():
            cells = tuple(cell for _, cell in value.cells)
        case _:
            pass
    for cell in cells:
        if cell not in seen:
            seen.add(cell)
            held = isinstance(value, Instance)
            inner.append(t.content(cell) if held else t.state.cells.get(cell, UNBOUND))
    for part in inner:
        yield from _held_by(t, part, seen)


def own(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `own(local, *others)`: whether the local has no array in common with them."""
    rivals = {ref.loc for other in args[1:] for ref in held_by(t, other)}
    for loc in {ref.loc for ref in held_by(t, args[0])}:
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
