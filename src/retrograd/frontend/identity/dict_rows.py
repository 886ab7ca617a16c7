# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Dicts with known keys that lists of run-time length hold: objects, written in Python.

All dicts with the same keys, in the same order, are of one class with an attribute for each key,
so objects that are rows of a table (`retrograd.frontend.values.object_rows`) do what is left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from retrograd.errors import Span

__all__ = ["MODULE", "DictRow", "DictSite", "attributes", "dict_row"]

MODULE = __name__
_KEY = "key "

DictSite = tuple[Span, tuple[str, ...]]
"""Where a dict is made, and its keys."""


class DictRow:
    """A dict whose keys stay what they are."""

    names: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        for name in self.names:
            if name == key:
                return getattr(self, _KEY + name)
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        setattr(self, _KEY + key, value)

    def __contains__(self, key: Any) -> Any:
        return key in self.names

    def __len__(self) -> Any:
        return len(self.names)

    def __iter__(self) -> Any:
        return iter(self.names)

    def __eq__(self, other: Any) -> Any:
        if self is other:
            return True
        if not isinstance(other, dict) or len(self) != len(other):
            return False
        return all([name in other and self[name] == other[name] for name in self.names])

    def __repr__(self) -> str:
        return "{" + ", ".join([f"{name!r}: {self[name]!r}" for name in self.names]) + "}"

    def __or__(self, other: Any) -> Any:
        return {**self, **other}

    def __ror__(self, other: Any) -> Any:
        return {**other, **self}

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def keys(self) -> Any:
        return list(self.names)

    def values(self) -> Any:
        return [self[name] for name in self.names]

    def items(self) -> Any:
        return [(name, self[name]) for name in self.names]

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self.names else default

    def copy(self) -> Any:
        return dict(self)

    def update(self, other: Any = (), **kwargs: Any) -> None:
        changed = dict(other)
        changed.update(kwargs)
        for key in changed:
            self[key] = changed[key]


@lru_cache(maxsize=1024)
def dict_row(keys: tuple[str, ...]) -> type[DictRow]:
    """The class of the dicts with these keys."""
    return type("DictRow", (DictRow,), {"names": keys, "__module__": MODULE})


def attributes(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes that have the items of these keys."""
    return tuple(_KEY + key for key in keys)
