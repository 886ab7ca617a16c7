"""The keys that a dict has on two paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from retrograd.frontend.identity.keys import same_keys
from retrograd.frontend.values.kinds import UNBOUND, DictValue

__all__ = ["all_keys", "over_keys"]


def over_keys(content: DictValue, keys: Sequence[Any]) -> DictValue:
    """The content over these keys, without items for those that it has not."""
    if same_keys(content.keys, tuple(keys)):
        return content
    known = dict(zip(content.keys, content.items, strict=True))
    items = tuple(known.get(key, UNBOUND) for key in keys)
    return replace(content, keys=tuple(keys), items=items)


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
