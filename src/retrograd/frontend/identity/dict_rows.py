# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Dicts with known keys that lists of run-time length hold: objects, written in Python.

All dicts with the same keys, in the same order, are of one class with an attribute for each key,
so objects that are rows of a table (`retrograd.frontend.values.object_rows`) do what is left.
Keys that come later, or on some paths only, have a second attribute, which says whether they are
there. Their order is not known, so nothing may depend on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from retrograd.errors import Span
from retrograd.frontend.identity.refusing import refuse

__all__ = [
    "MODULE", "DictRow", "DictSite", "LateKey", "ShuffledKey", "attributes", "dict_row",
    "item_name", "key_named", "keys_of", "presence_name",
]  # fmt: skip

MODULE = __name__
_KEY = "key "
_HAS = "has "

DictSite = tuple[Span, tuple[str, ...]]
"""Where a dict is made, and the keys that it has from the beginning."""

LateKey = tuple[tuple[str, ...], str]
"""The keys that dicts have from the beginning, and one that comes later."""

ShuffledKey = tuple[Span, tuple[str, ...], str]
"""As `LateKey`, after the place where a dict is made of whose keys only the run knows the order."""


class DictRow:
    """A dict with the keys `names`, which stay, and `late`, which come and go."""

    names: tuple[str, ...] = ()
    late: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        for name in self.names:
            if name == key:
                return getattr(self, _KEY + name)
        for name in self.late:
            if name == key:
                if not getattr(self, _HAS + name):
                    raise KeyError(key)
                return getattr(self, _KEY + name)
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        setattr(self, _KEY + key, value)
        if key in self.late:
            setattr(self, _HAS + key, True)

    def __delitem__(self, key: Any) -> None:
        if key in self.names:
            refuse(
                "`del` of a key that a dict has from the beginning, which a list of run-time "
                "length holds", "make a new dict of what it has",
            )  # fmt: skip
        if key not in self:
            raise KeyError(key)
        setattr(self, _HAS + key, False)

    def __contains__(self, key: Any) -> Any:
        for name in self.late:
            if name == key:
                return getattr(self, _HAS + name)
        return key in self.names

    def __len__(self) -> Any:
        return len(self.names) + sum([int(getattr(self, _HAS + name)) for name in self.late])

    def __iter__(self) -> Any:
        return iter(self.keys())

    def __eq__(self, other: Any) -> Any:
        if self is other:
            return True
        if not isinstance(other, dict) or len(self) != len(other):
            return False
        for name in self.late:
            if name in self and (name not in other or self[name] != other[name]):
                return False
        return all([name in other and self[name] == other[name] for name in self.names])

    def __repr__(self) -> str:
        self.in_order()
        return "{" + ", ".join([f"{name!r}: {self[name]!r}" for name in self.names]) + "}"

    def __or__(self, other: Any) -> Any:
        return {**self, **other}

    def __ror__(self, other: Any) -> Any:
        return {**other, **self}

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def in_order(self) -> None:
        """Refuses what needs the order of the keys."""
        if len(self.late) > 0:
            refuse(
                "a loop over a dict, or a copy of one, that gets keys later, in an order that is "
                "known at run time only",
                "give it all keys where it is made: {'x': x, 'new': None}",
            )  # fmt: skip

    def keys(self) -> Any:
        self.in_order()
        return list(self.names)

    def values(self) -> Any:
        self.in_order()
        return [self[name] for name in self.names]

    def items(self) -> Any:
        self.in_order()
        return [(name, self[name]) for name in self.names]

    def get(self, key: Any, default: Any = None) -> Any:
        if key in self:
            return self[key]
        return default

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        if len(default) > 0 and key not in self:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def copy(self) -> Any:
        return dict(self)

    def update(self, other: Any = (), **kwargs: Any) -> None:
        changed = dict(other)
        changed.update(kwargs)
        for key in changed:
            self[key] = changed[key]


@lru_cache(maxsize=1024)
def dict_row(keys: tuple[str, ...], late: tuple[str, ...] = ()) -> type[DictRow]:
    """The class of the dicts with these keys, of which `late` are not there from the beginning."""
    return type("DictRow", (DictRow,), {"names": keys, "late": late, "__module__": MODULE})


def keys_of(cls: type) -> tuple[str, ...]:
    """The keys that dicts of such a class have from the beginning."""
    assert issubclass(cls, DictRow)
    return cls.names


def attributes(cls: type[DictRow]) -> tuple[str, ...]:
    """The attributes of the objects of such a class."""
    return (
        *map(item_name, cls.names), *map(item_name, cls.late), *map(presence_name, cls.late),
    )  # fmt: skip


def item_name(key: str) -> str:
    """The attribute that has the item of a key."""
    return _KEY + key


def presence_name(key: str) -> str:
    """The attribute that says whether a key is there."""
    return _HAS + key


def key_named(name: str) -> str:
    """The key of whose item an attribute is."""
    return name.removeprefix(_KEY)
