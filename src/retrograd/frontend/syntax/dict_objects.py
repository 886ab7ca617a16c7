"""Dicts that lists of run-time length hold are objects, from where they are made on."""

from __future__ import annotations

from retrograd.frontend.identity.dict_rows import DictRow, attributes, dict_row
from retrograd.frontend.syntax.object_rows import in_place_of, published
from retrograd.frontend.values.dicts import possible_items
from retrograd.frontend.values.kinds import Instance, Maybe, Static, Value
from retrograd.frontend.values.objects import new_object
from retrograd.frontend.values.tracer import Tracer

__all__ = ["as_object", "entry_in_place"]


def as_object(t: Tracer, made: Instance) -> Instance:
    """A new dict as an object, where dicts of these keys made here are; else as it is."""
    content = possible_items(t, made)
    site = content.site
    if site is None or (site, content.keys) not in t.ctx.way.dicts:
        return made
    if any(isinstance(item, Maybe) for item in content.items):  # a key of some paths only
        return made
    found = new_object(t, dict_row(content.keys), attributes(content.keys))
    for cell, item in zip(found.cells, content.items, strict=True):
        t.state.cells[cell] = item
    del t.state.cells[made.cells[0]]
    return published(t, found) if found.cls in t.ctx.tables_of else found


def entry_in_place(t: Tracer, owner: Instance, key: Value) -> Value | None:
    """What a dict that is an object has for a key, to be indexed or changed in place at once.

    None of all other objects, and of keys that it has not.
    """
    if not issubclass(owner.cls, DictRow) or not isinstance(key, Static):
        return None
    if key.obj not in owner.cls.names:
        return None
    (name,) = attributes((str(key.obj),))
    return in_place_of(t, owner, name)
