"""Iterators with a name: objects that give their items once.

What is iterated over where it is made (`for a, b in zip(x, y)`) is no object: nobody can ask it
for its items again. Those of generator expressions and of `itertools` have run to their end where
they are made. So what they have read may not change before their items are used.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import GeneratorType

from retrograd.frontend.identity.lazily import endless, gathered
from retrograd.frontend.values.kinds import (
    Applied,
    Closure,
    Instance,
    Static,
    TupleValue,
    Value,
    locations,
)
from retrograd.frontend.values.objects import captured, held_in, instances
from retrograd.frontend.values.seen import ITERATORS, NOTHING_SEEN, Seen
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = [
    "USED", "begun", "eager", "is_delayed", "is_iterator", "iterator_of", "keep_rest", "must_stay",
    "seen_in", "unwrapped", "used_or_delayed",
]  # fmt: skip

USED = Static(StopIteration)
"""What an iterator holds whose items have been taken."""


def used_or_delayed(h: Value, value: Value) -> bool:
    """Whether a generator that has not begun on one path has on another: what is left of it is not
    known then."""
    return USED in (h, value) and any(isinstance(one, Applied) for one in (h, value))


def seen_in(t: Tracer, values: Iterable[Value], cells: Iterable[int] = ()) -> Seen:
    """What can be reached from values, from variables, and from what comes from outside."""
    arrays: dict[int, Atom] = {}
    found: dict[int, Value] = {}
    state, more = t.state, list(cells)
    roots = (*values, *(state.cells[cell] for cell in more if cell in state.cells))
    pending = [*roots, *t.frame.hidden.values()]
    while pending or more:
        for cell in more:
            if cell in state.cells and cell not in found:
                found[cell] = state.cells[cell]
                pending.append(state.cells[cell])
        more.clear()
        if pending:
            value = pending.pop()
            arrays |= {loc: state.arrays[loc] for loc in locations(value) if loc in state.arrays}
            more += [cell for one in instances(value) for cell in one.cells]
            more += captured(value)
    return Seen(arrays, found, roots)


def must_stay(t: Tracer, seen: Seen) -> None:
    """Refuses a program that has changed what an iterator may have read."""
    state = t.state
    same = all(state.arrays.get(loc) is atom for loc, atom in seen.arrays.items())
    same = same and seen.arrays.keys().isdisjoint(state.stale)
    if not same or any(state.cells.get(cell) != value for cell, value in seen.cells.items()):
        raise t.error(
            "RG0101", "what an iterator reads may change before its items are used",
            "make a list of it where it is made: list(..)",
        )  # fmt: skip


def is_iterator(value: Value) -> bool:
    """Whether a value is an iterator with a name."""
    return isinstance(value, Instance) and value.cls in ITERATORS


def iterator_of(t: Tracer, cls: type, items: Value, seen: Seen = NOTHING_SEEN) -> Instance:
    """An object that gives these items once; `seen` where they have been calculated."""
    made = Instance(cls, t.ctx.fresh_place(2), ("items", "read"))
    own, read = made.cells
    t.state.cells |= {own: items, read: TupleValue(seen.roots)}
    t.ctx.seen[own] = seen
    return made


def eager(t: Tracer, value: Value, seen: Seen) -> Value:
    """What a function has made that runs iterators to their end, after it has `seen` so much."""
    if isinstance(value, Instance) and value.cls in ITERATORS:
        return iterator_of(t, value.cls, held_in(t, value), seen)
    return value


def is_delayed(t: Tracer, value: Value) -> bool:
    """Whether a value is a generator that has not begun, or one that has no end."""
    if not isinstance(value, Instance) or not is_iterator(value):
        return False
    return isinstance(t.content(value.cells[0]), Applied | Closure)


def begun(t: Tracer, owner: Instance) -> Applied:
    """The call that a delayed generator is; nothing of it is left for others, if it has an end."""
    step = t.content(owner.cells[0])
    if isinstance(step, Closure):
        return Applied("generator", Static(endless), (step,))
    held = _taken(t, owner)
    assert isinstance(held, Applied)
    return held


def unwrapped(t: Tracer, value: Value) -> Value:
    """The items of an iterator, which has none left then; any other value as it is.

    A generator that has not begun runs to its end.
    """
    if isinstance(value, Instance) and value.cls in ITERATORS:
        if isinstance(t.content(value.cells[0]), Closure):
            raise t.error(
                "RG0101", "all items of a generator that has no end",
                "take some of them: itertools.islice(g, n), or a loop that is left by `break`",
            )  # fmt: skip
        held = _taken(t, value)
        if isinstance(held, Applied):
            return t.call(Static(gathered), [iterator_of(t, GeneratorType, held)], {})
        return held
    return value


def keep_rest(t: Tracer, owner: Instance, items: Value, rest: Value) -> None:
    """Leaves an iterator what comes after an item, which is read from `items`."""
    own, read = owner.cells
    given = own in t.frame.owned_cells
    if t.indices and own in t.ctx.made_by_iter:
        t.ctx.stepped.add(t.ctx.made_by_iter[own])
    if given:
        t.ctx.stepped.update(t.ctx.made_by_iter.values())  # which of them it is the caller knows
        raise t.error(
            "RG0101", "`next` of an iterator that the function is given",
            "take its items one by one where it is made, or give the function a list",
        )  # fmt: skip
    before, now = t.ctx.seen[own], seen_in(t, (items,))
    t.ctx.seen[own] = Seen(
        {**now.arrays, **before.arrays}, {**now.cells, **before.cells}, (*before.roots, *now.roots)
    )
    t.set_content(own, rest)
    t.set_content(read, TupleValue(t.ctx.seen[own].roots))


def _taken(t: Tracer, owner: Instance) -> Value:
    """The items of an iterator, which has none left then; refused if they have been taken."""
    held = held_in(t, owner)
    if held == USED:
        raise t.error(
            "RG0101", f"this {owner.cls.__name__} has given its items before: it is used up, or "
            "what is left of it is not known", "make a list of it, if it is needed twice: list(..)",
        )  # fmt: skip
    seen = t.ctx.seen.get(owner.cells[0])
    if seen is None:
        raise t.error(
            "RG0101", "which iterator this is is known at run time only", "make lists: list(..)"
        )
    must_stay(t, seen)
    if t.ahead is not None:
        t.ahead.append(seen)
    own, read = owner.cells
    t.set_content(own, USED)
    t.set_content(read, TupleValue(()))
    return held
