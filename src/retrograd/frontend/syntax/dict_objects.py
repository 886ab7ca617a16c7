"""Dicts that lists of run-time length hold are objects, from where they are made on."""

from __future__ import annotations

import ast
from dataclasses import replace

from retrograd.frontend.identity.dict_rows import (
    DictRow,
    attributes,
    dict_row,
    item_name,
    presence_name,
)
from retrograd.frontend.syntax.object_rows import in_place_of, published
from retrograd.frontend.values.dicts import possible_items
from retrograd.frontend.values.kinds import (
    DictValue,
    Instance,
    Maybe,
    Static,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.objects import new_object
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer

__all__ = ["as_object", "complete", "entry_in_place", "put_as_object"]


def as_object(t: Tracer, made: Instance) -> Instance:
    """A new dict as an object, where dicts of these keys made here are; else as it is."""
    content = possible_items(t, made)
    site = content.site
    if site is None or (site, content.keys) not in t.ctx.way.dicts:
        return made
    if any(isinstance(item, Maybe) for item in content.items):  # a key of some paths only
        return made
    late = sorted(key for keys, key in t.ctx.way.later if keys == content.keys)
    cls = dict_row(content.keys, tuple(late))
    found = new_object(t, cls, attributes(cls))
    for key, item in zip(content.keys, content.items, strict=True):
        t.state.cells[found.cell(item_name(key))] = item
    for key in late:
        t.state.cells[found.cell(presence_name(key))] = literal(False)
    del t.state.cells[made.cells[0]]
    return published(t, found) if found.cls in t.ctx.tables_of else found


def put_as_object(t: Tracer, value: Value) -> Value:
    """What a list is given: of a dict that has got its keys one by one, an object with all of them.

    Every name of the dict is one of the object from here on.
    """
    if not isinstance(value, Instance) or value.cls is not dict or not t.ctx.way.dicts:
        return value
    (cell,) = value.cells
    if cell in t.frame.owned_cells or t.state.links.get(cell):
        return value
    found = as_object(t, value)
    if found is not value:
        t.state.stale[cell] = t.span  # what has been evaluated before may have the dict itself
        for other, held in list(t.state.cells.items()):
            t.state.cells[other] = _replaced(held, value, found)
        t.frame.roots[:] = [_replaced(held, value, found) for held in t.frame.roots]
    return found


def complete(t: Tracer, node: ast.expr) -> None:
    """After `name[key] = value` and `name.update(..)`: a dict that has got its last key becomes an
    object.

    Where a dict made at its place has been put into a list, it had the keys that are noted.
    """
    if not t.ctx.way.dicts:
        return
    if isinstance(node, ast.Call):
        node = node.func
    if not isinstance(node, ast.Subscript | ast.Attribute):
        return
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    value = t.state.cells.get(t.frame.locals.get(name, -1))
    if isinstance(value, Instance) and value.cls is dict:
        content = t.state.cells.get(value.cells[0])
        if isinstance(content, DictValue):
            keys, noted = content.keys, (own for at, own in t.ctx.way.dicts if at == content.site)
            if not any(len(own) > len(keys) and own[: len(keys)] == keys for own in noted):
                put_as_object(t, value)


def _replaced(held: Value, old: Instance, new: Instance) -> Value:
    """A value with another object in the place of one."""
    if held == old:
        return new
    if isinstance(held, Maybe):
        return replace(held, value=_replaced(held.value, old, new))
    inside = parts(held)
    changed = tuple(_replaced(part, old, new) for part in inside)
    same = all(a is b for a, b in zip(inside, changed, strict=True))
    return held if same else with_parts(held, changed)


def entry_in_place(t: Tracer, owner: Instance, key: Value) -> Value | None:
    """What a dict that is an object has for a key, to be indexed or changed in place at once.

    None of all other objects, and of keys that it has not.
    """
    if not issubclass(owner.cls, DictRow) or not isinstance(key, Static):
        return None
    if key.obj not in owner.cls.names:
        return None
    return in_place_of(t, owner, item_name(str(key.obj)))
