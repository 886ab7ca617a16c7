"""The keys that a dict has on two paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from retrograd.frontend.identity.keys import same_keys
from retrograd.frontend.values.kinds import UNBOUND, DictValue, Maybe, Unbound, Undef, Value
from retrograd.ir.terms import Atom, true

__all__ = [
    "all_keys", "early_and_late", "has_doubtful", "joined_dict", "marked", "over_keys", "settled",
    "together",
]  # fmt: skip


def together(content: DictValue) -> list[tuple[Atom, list[int]]]:
    """The places of neighbouring items that are there together, and the flag that says whether."""
    found: list[tuple[Atom, list[int]]] = []
    for k, item in enumerate(content.items):
        flag = item.flag if isinstance(item, Maybe) else true
        if found and found[-1][0] == flag:
            found[-1][1].append(k)
        else:
            found.append((flag, [k]))
    return found


def has_doubtful(content: Value) -> bool:
    """Whether it is of a dict that has some of its keys on some paths only."""
    return isinstance(content, DictValue) and any(isinstance(i, Maybe) for i in content.items)


def early_and_late(content: DictValue) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The keys before the first one that is there on some paths only, and all others; None where
    they are no texts."""
    keys = tuple(key for key in content.keys if isinstance(key, str))
    if len(keys) != len(content.keys):
        return None
    doubtful = (k for k, item in enumerate(content.items) if isinstance(item, Maybe))
    first = next(doubtful, len(keys))
    return keys[:first], keys[first:]


def joined_dict(one: DictValue, two: DictValue, keys: Sequence[Any], items: Any) -> DictValue:
    """The dict of two paths, which has these items: which of them are there together."""
    columns = [_presence(over_keys(path, keys)) for path in (one, two)]
    origin = one.origin if one.origin == two.origin else 0
    made = replace(one, keys=tuple(keys), items=tuple(items), origin=origin, alike=())
    return replace(made, alike=_alike(columns)) if has_doubtful(made) else made


def marked(value: Value, h: Value) -> Value:
    """The abstract value `h` of one path's `value`; of a dict it says what is there together."""
    if not isinstance(value, DictValue) or not isinstance(h, DictValue) or not has_doubtful(h):
        return h
    return replace(h, alike=_alike([_presence(value)]))


def settled(h: Value) -> Value:
    """A value of joined atoms: items of a dict that are there together have one flag."""
    if not isinstance(h, DictValue) or not h.alike:
        return h
    items = list[Value]()
    for item, first in zip(h.items, h.alike, strict=True):
        leader = items[first] if first < len(items) else item
        if isinstance(item, Maybe):
            item = replace(item, flag=leader.flag) if isinstance(leader, Maybe) else item.value
        items.append(item)
    return replace(h, items=tuple(items), alike=())


def _presence(content: DictValue) -> list[object]:
    """For each key what says on which paths it is there; equal ones are there together."""
    found = list[object]()
    for k, item in enumerate(content.items):
        match item:
            case Maybe():
                found.append(("as", content.alike[k]) if content.alike else item.flag)
            case Undef():
                found.append(("unknown", k))
            case _:
                found.append(not isinstance(item, Unbound))
    return found


def _alike(columns: Sequence[Sequence[object]]) -> tuple[int, ...]:
    first: dict[tuple[object, ...], int] = {}
    return tuple(first.setdefault(row, k) for k, row in enumerate(zip(*columns, strict=True)))


def over_keys(content: DictValue, keys: Sequence[Any]) -> DictValue:
    """The content over these keys, without items for those that it has not."""
    if same_keys(content.keys, tuple(keys)):
        return content
    known = dict(zip(content.keys, content.items, strict=True))
    items = tuple(known.get(key, UNBOUND) for key in keys)
    first = dict(zip(content.keys, content.alike, strict=False))
    at = {key: k for k, key in enumerate(keys)}
    alike = tuple(at[content.keys[first[key]]] if key in first else at[key] for key in keys)
    return replace(content, keys=tuple(keys), items=items, alike=alike if first else ())


def all_keys(one: DictValue, two: DictValue) -> tuple[Any, ...] | None:
    """The keys of both, in an order that is that of each; None where there is none."""
    found, at = list(one.keys), 0
    for key in two.keys:
        if key in found:
            before, at = at, found.index(key) + 1
            if at <= before:
                return None
        else:
            found.insert(at, key)
            at += 1
    return tuple(found)
