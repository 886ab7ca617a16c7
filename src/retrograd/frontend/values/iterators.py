"""Iterators with a name: objects that give their items once.

What is iterated over where it is made (`for a, b in zip(x, y)`) is no object: nobody can ask it
for its items again.
"""

from __future__ import annotations

from types import GeneratorType

from retrograd.frontend.values.kinds import Instance, Static, Value
from retrograd.frontend.values.objects import held_in
from retrograd.frontend.values.tracer import Tracer

__all__ = ["CLASSES", "USED", "iterator_of", "unwrapped"]

CLASSES: tuple[type, ...] = (zip, enumerate, reversed, GeneratorType, type(iter(())))
"""The classes of iterators."""

USED = Static(StopIteration)
"""What an iterator holds whose items have been taken."""


def iterator_of(t: Tracer, cls: type, items: Value) -> Instance:
    """An object that gives these items once."""
    made = Instance(cls, t.ctx.fresh_place(1), ("items",))
    t.state.cells[made.cells[0]] = items
    return made


def unwrapped(t: Tracer, value: Value) -> Value:
    """The items of an iterator, which has none left then; any other value as it is."""
    if isinstance(value, Instance) and value.cls in CLASSES:
        return _taken(t, value)
    return value


def _taken(t: Tracer, owner: Instance) -> Value:
    """The items of an iterator, which has none left then; refused if they have been taken."""
    held = held_in(t, owner)
    if held == USED:
        raise t.error(
            "RG0101", f"this {owner.cls.__name__} has given its items before: it is used up, or "
            "what is left of it is not known", "make a list of it, if it is needed twice: list(..)",
        )  # fmt: skip
    t.set_content(owner.cells[0], USED)
    return held
