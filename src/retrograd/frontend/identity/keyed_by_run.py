# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Dicts whose keys are known at run time only, written in Python.

They are translated as the user's own classes are: the keys are a list, and a key is found by
comparing it with one after the other. That takes as long as there are keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CLASSES", "MODULE", "VIEWS", "Items", "Keys", "Table", "from_keys", "looked_up"]

MODULE = __name__


def _place(keys: Any, key: Any) -> Any:
    k = 0
    while k < len(keys) and keys[k] != key:
        k += 1
    return k


class Table:
    """`dict`."""

    def __init__(self, pairs: Any = ()) -> None:
        self.names: list[Any] = []
        self.held: list[Any] = []
        for key, value in pairs:
            self[key] = value

    def __len__(self) -> Any:
        return len(self.names)

    def __contains__(self, key: Any) -> Any:
        return key in self.names

    def listed(self) -> Any:
        return list(self.names)

    def __iter__(self) -> Any:
        n = len(self.names)
        for k in range(n):
            yield self.names[k]
            _same_size(self, n)

    def __reversed__(self) -> Any:
        return iter(self.names[::-1])

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict) or len(self.names) != len(other):
            return False
        for key, value in other.items():
            k = _place(self.names, key)
            if k == len(self.names) or self.held[k] != value:
                return False
        return True

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = Table()
        made.update(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return "<a dict>"

    def __getitem__(self, key: Any) -> Any:
        k = _place(self.names, key)
        if k == len(self.names):
            raise KeyError(key)
        return self.held[k]

    def __setitem__(self, key: Any, value: Any) -> None:
        k = _place(self.names, key)
        if k == len(self.names):
            self.names.append(key)
            self.held.append(value)
        else:
            self.held[k] = value

    def __delitem__(self, key: Any) -> None:
        k = _place(self.names, key)
        if k == len(self.names):
            raise KeyError(key)
        self.names.pop(k)
        self.held.pop(k)

    def get(self, key: Any, default: Any = None) -> Any:
        k = _place(self.names, key)
        return self.held[k] if k < len(self.names) else default

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self.names:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        if len(default) > 0 and key not in self.names:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> Any:
        if len(self.names) == 0:
            raise KeyError("popitem(): dictionary is empty")
        return self.names.pop(), self.held.pop()

    def keys(self) -> Any:
        return Keys(self)

    def values(self) -> Any:
        return Values(self)

    def items(self) -> Any:
        return Items(self)

    def update(self, other: Any = (), **named: Any) -> None:
        pairs = other.items() if isinstance(other, dict) else other
        for key, value in pairs:
            self[key] = value
        for key, value in named.items():
            self[key] = value

    def clear(self) -> None:
        self.names = []
        self.held = []

    def copy(self) -> Any:
        return Table(self.items())


def from_keys(keys: Any, value: Any = None) -> Any:
    made = Table()
    for key in keys:
        made[key] = value
    return made


def _same_size(table: Any, n: Any) -> None:
    if len(table.names) != n:
        raise RuntimeError("dictionary changed size during iteration")


class Keys:
    """What `keys` gives: it changes with the dict."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> Any:
        return len(self.table.names)

    def __contains__(self, key: Any) -> Any:
        return key in self.table.names

    def listed(self) -> Any:
        return list(self.table.names)

    def __iter__(self) -> Any:
        n = len(self.table.names)
        for k in range(n):
            yield self.table.names[k]
            _same_size(self.table, n)


class Values:
    """What `values` gives."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> Any:
        return len(self.table.names)

    def __contains__(self, value: Any) -> Any:
        return value in self.table.held

    def listed(self) -> Any:
        return list(self.table.held)

    def __iter__(self) -> Any:
        n = len(self.table.names)
        for k in range(n):
            yield self.table.held[k]
            _same_size(self.table, n)


class Items:
    """What `items` gives."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> Any:
        return len(self.table.names)

    def __contains__(self, pair: Any) -> Any:
        key, value = pair
        k = _place(self.table.names, key)
        return k < len(self.table.names) and self.table.held[k] == value

    def listed(self) -> Any:
        return [(k, v) for k, v in zip(self.table.names, self.table.held, strict=True)]

    def __iter__(self) -> Any:
        n = len(self.table.names)
        for k in range(n):
            yield self.table.names[k], self.table.held[k]
            _same_size(self.table, n)


VIEWS = (Table, Keys, Values, Items)
"""A `for` runs over them by `__iter__`, which notices changes; all else has their items at once."""

CLASSES: Mapping[type, type] = {Table: dict}
"""The classes that those here stand for."""


def looked_up(keys: Any, values: Any, key: Any) -> Any:
    """The value of a key, of as many as there are keys."""
    for k in range(len(keys)):
        if keys[k] == key:
            return values[k]
    raise KeyError(key)
