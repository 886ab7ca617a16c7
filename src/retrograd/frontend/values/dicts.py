"""Dicts that a program makes or is given: objects with one attribute, which holds the items.

The keys are known when the program is compiled; so a dict costs what its items cost as variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, TypeGuard, cast

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.keys import is_key
from retrograd.frontend.values.baked import known_int, require_known
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.dict_keys import early_and_late, has_doubtful, together
from retrograd.frontend.values.kinds import (
    DictValue,
    DictView,
    Instance,
    Later,
    Maybe,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    certain,
    describe,
)  # fmt: skip
from retrograd.frontend.values.objects import held_in, instances, reachable
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit, true
from retrograd.ir.types import BOOL

__all__ = [
    "count_of", "dict_of", "doubtful_items", "found", "is_dict", "item_of", "items_of", "key_in",
    "key_of", "key_value", "missing", "note_site", "position", "possible_items", "set_entries",
    "set_entry", "view_items", "without",
]  # fmt: skip


def is_dict(value: Value | None) -> TypeGuard[Instance]:
    """Whether it is a dict of the program."""
    return isinstance(value, Instance) and value.cls is dict


def dict_of(t: Tracer, keys: Sequence[Any], items: Sequence[Value]) -> Instance:
    """A new dict of these items."""
    made = Instance(dict, t.ctx.fresh_place(1), ("items",))
    content = DictValue(tuple(keys), tuple(items), site=t.b.prov.span)
    t.state.cells[made.cells[0]] = content
    return made


def possible_items(t: Tracer, owner: Value) -> DictValue:
    """The keys and items that a dict has here, or, where a `Maybe` says so, on some paths."""
    held = held_in(t, owner)
    assert isinstance(held, DictValue)
    return held


def items_of(t: Tracer, owner: Value) -> DictValue:
    """The keys and items that a dict has here, on every path."""
    held = possible_items(t, owner)
    for key, item in zip(held.keys, held.items, strict=True):
        if isinstance(item, Maybe):
            note_site(t, held.site)
            _note_shuffled(t, held)
            raise t.error(
                "RG0109", f"all keys of a dict that has the key {key!r} on some paths only",
                f"give it the key on every path: d[{key!r}] = None",
            )  # fmt: skip
    return held


def _note_shuffled(t: Tracer, held: DictValue) -> None:
    if held.site is not None and (keys := early_and_late(held)) is not None:
        t.ctx.shuffled.update((held.site, keys[0], late) for late in keys[1])


def count_of(t: Tracer, owner: Value) -> Scalar:
    """How many keys a dict has."""
    items = possible_items(t, owner).items
    flags = [item.flag for item in items if isinstance(item, Maybe)]
    found: Atom = ilit(len(items) - len(flags))
    for flag in flags:
        found = t.prim("add", found, t.prim("select", flag, ilit(1), ilit(0)))
    return Scalar(found, True)


def set_entries(t: Tracer, owner: Value, content: DictValue) -> None:
    """Gives a dict other items."""
    assert isinstance(owner, Instance)
    inside = [one for item in content.items for one in instances(item)]
    if inside and owner.place in reachable(t.state.cells, inside):
        raise t.error("RG0101", "a dict that contains itself", "keep the two apart")
    t.set_content(owner.cells[0], content)


# Keys.


def key_in(t: Tracer, owner: Value, value: Value) -> object:
    """The key of a dict that a value is. Where it is known at run time only, the dict is noted: it
    may be an object that keeps its keys in a list."""
    try:
        return key_of(t, value)
    except UserError:
        note_site(t, possible_items(t, owner).site)
        raise


def note_site(t: Tracer, site: Span | None) -> None:
    """Notes where a dict is made whose keys have to be known, and are not."""
    if site is not None:
        t.ctx.keyed.add(site)


def key_of(t: Tracer, value: Value) -> object:
    """The key that a value is; refused where it is known at run time only."""
    refuse_times(t, value)
    match value:
        case Static() if is_key(value.obj):
            return value.obj
        case Scalar() if value.type == BOOL:
            require_known(t, value)
            if isinstance(value.atom, Lit):
                return bool(value.atom.value)
        case Scalar(atom=Lit(value=float() as known)) if known == known:
            return known
        case Scalar() if (number := known_int(t, value)) is not None:
            return number
        case TupleValue() if value.cls is tuple:
            return tuple(key_of(t, item) for item in value.items)
        case _:
            pass
    if isinstance(value, Scalar) and not value.type.is_float:
        what, way_out = (
            "a dict with keys known at run time only",
            "number the keys and use an array",
        )
    else:
        what, way_out = f"{describe(value)} as the key of a dict", "use text or ints for keys"
        if isinstance(value, Text):
            what = "a text that is known at run time only, as the key of a dict"
            way_out = "number the keys and use an array"
    raise t.error("RG0109", what, way_out)


def key_value(key: object) -> Value:
    """A key as the program sees it."""
    match key:
        case Enum() | str() | None:
            return Static(key)
        case bool():
            return Scalar(true if key else false)
        case int():
            return Scalar(ilit(key))
        case float():
            return Scalar(flit(key))
        case _:
            return TupleValue(tuple(map(key_value, cast("tuple[object, ...]", key))))


def position(content: DictValue, key: object) -> int | None:
    """Where the item of a key is; None where there is none."""
    return content.keys.index(key) if key in content.keys else None


def found(content: DictValue, key: object) -> Value | None:
    """The item of a key; None where there is none."""
    at = position(content, key)
    return None if at is None else content.items[at]


def missing(t: Tracer, key: object) -> PathEnds:
    """Raises KeyError at run time: what follows on this path is never reached."""
    t.stop("KeyError", _shown(key))
    return PathEnds()


def _shown(key: object) -> str:
    return key if isinstance(key, str) else repr(key)


def item_of(t: Tracer, owner: Value, key: object) -> Value:
    """The item of a key, which is there, or KeyError is raised; afterwards it is certain."""
    content = possible_items(t, owner)
    value = found(content, key)
    if value is None:
        raise missing(t, key)
    if isinstance(value, Maybe) and isinstance(owner, Instance):
        t.check(value.flag, "KeyError", _shown(key))
        items = tuple(value.value if item is value else item for item in content.items)
        t.state.cells[owner.cells[0]] = replace(content, items=items)
        return value.value
    return value


def set_entry(t: Tracer, owner: Value, key: object, value: Value) -> None:
    """`owner[key] = value`; a new key goes to the end."""
    content = possible_items(t, owner)
    at = position(content, key)
    if at is None:
        made = replace(content, keys=(*content.keys, key), items=(*content.items, value))
    elif isinstance(content.items[at], Maybe) and not _stays(content, at):
        content = items_of(t, owner)  # refuses: it stays in its place on some paths only
        return
    else:
        items = (*content.items[:at], value, *content.items[at + 1 :])
        made = replace(content, items=items)
    set_entries(t, owner, made)


def _stays(content: DictValue, at: int) -> bool:
    """Whether an item that is there on some paths only keeps its place if it is put in on the
    others: what comes after it is not there on these either."""
    own = content.items[at]
    assert isinstance(own, Maybe)
    return all(isinstance(i, Maybe) and i.flag == own.flag for i in content.items[at + 1 :])


def without(content: DictValue, at: int) -> DictValue:
    """The other items."""
    keys = (*content.keys[:at], *content.keys[at + 1 :])
    return replace(content, keys=keys, items=(*content.items[:at], *content.items[at + 1 :]))


# Iteration.


def view_items(t: Tracer, view: DictView) -> tuple[Value, ...]:
    """The items of a view; values are read when they are needed."""
    content = items_of(t, view.owner)
    later = tuple(Later(view.owner, k) for k in range(len(content.keys)))
    return _viewed(view.kind, content.keys, later)


def _viewed(kind: str, keys: Sequence[Any], items: Sequence[Value]) -> tuple[Value, ...]:
    if kind == "keys":
        return tuple(map(key_value, keys))
    if kind == "values":
        return tuple(items)
    pairs = zip(keys, items, strict=True)
    return tuple(TupleValue((key_value(key), item)) for key, item in pairs)


def doubtful_items(t: Tracer, value: Value) -> list[tuple[Atom, tuple[Value, ...]]]:
    """What a loop over a dict, or a view of it, gives, with flags that say what is there; nothing
    where it has all its keys on every path."""
    view = DictView(value, "keys") if is_dict(value) else value
    if not isinstance(view, DictView) or not has_doubtful(content := possible_items(t, view.owner)):
        return []
    found: list[tuple[Atom, tuple[Value, ...]]] = []
    for flag, places in together(content):
        keys, items = ([row[k] for k in places] for row in (content.keys, content.items))
        found.append((flag, _viewed(view.kind, keys, tuple(map(certain, items)))))
    return found
