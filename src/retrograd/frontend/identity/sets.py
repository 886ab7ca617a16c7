# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Sets, written in Python: those that a program makes and changes, frozen ones, and given ones.

They are translated as the user's own classes are: the items are a list or a tuple, and an item is
found by comparing it with one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from retrograd.frontend.identity.keys import is_key
from retrograd.frontend.identity.refusing import refuse

__all__ = [
    "CLASSES", "FROZEN", "MODULE", "FrozenSet", "GivenSet", "KeySet", "Set", "frozen_set",
    "given_items", "is_given_set", "mixed",
]  # fmt: skip

MODULE = __name__


def _place(items: Any, sought: Any) -> Any:
    k = 0
    while k < len(items) and items[k] != sought:
        k += 1
    return k


def _is_set(other: Any) -> Any:
    return isinstance(other, set | frozenset)


def _items(other: Any) -> Any:
    """What is in another set, or what it is iterated over."""
    given: Any = other
    return given.inside if _is_set(other) else list(given)


def mixed(items: Any) -> Any:
    """A set of items, in no order that is known."""
    made = Set(items)
    made.straight = False
    return made


class _Queries:
    """What all sets can be asked. `inside` are the items, each once; `_made(items)` is a set of the
    same class."""

    inside: Any
    _made: Any

    def copy(self) -> Any:
        return self._made(self.inside)

    def union(self, *others: Any) -> Any:
        made = mixed(self.inside)
        made.update(*others)
        return self._made(made.inside)

    def intersection(self, *others: Any) -> Any:
        kept = self.inside
        for other in others:
            items = _items(other)
            kept = [item for item in kept if item in items]
        return self._made(kept)

    def difference(self, *others: Any) -> Any:
        kept = self.inside
        for other in others:
            items = _items(other)
            kept = [item for item in kept if item not in items]
        return self._made(kept)

    def symmetric_difference(self, other: Any) -> Any:
        items = _items(other)
        made = mixed([item for item in self.inside if item not in items])
        made.update([item for item in items if item not in self.inside])
        return self._made(made.inside)

    def issubset(self, other: Any) -> Any:
        items = _items(other)
        return all([item in items for item in self.inside])

    def issuperset(self, other: Any) -> Any:
        return all([item in self.inside for item in _items(other)])

    def isdisjoint(self, other: Any) -> Any:
        return not any([item in self.inside for item in _items(other)])

    def __len__(self) -> Any:
        return len(self.inside)

    def __contains__(self, item: Any) -> Any:
        return item in self.inside

    def __or__(self, other: Any) -> Any:
        return self.union(other) if _is_set(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.intersection(other) if _is_set(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.difference(other) if _is_set(other) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.symmetric_difference(other) if _is_set(other) else NotImplemented

    def __repr__(self) -> str:
        return "<a set>"

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if _is_set(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        return len(self.inside) < len(other) and self.issubset(other)

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if _is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        return len(self.inside) > len(other) and self.issuperset(other)

    def __eq__(self, other: Any) -> Any:
        if not _is_set(other):
            return False
        return len(self.inside) == len(other) and self.issubset(other)


class Set(_Queries):
    """`set`. `straight` is whether its items are in the order in which they were put in.

    What iterates over it is `values/iterate.py`: Python's order is known for literal items only.
    """

    def __init__(self, iterable: Any = ()) -> None:
        self.inside: list[Any] = []
        self.straight = True
        for item in iterable:
            self.add(item)

    def _made(self, items: Any) -> Any:
        return mixed(items)

    def add(self, item: Any) -> None:
        if item not in self.inside:
            self.inside.append(item)

    def discard(self, item: Any) -> None:
        if item in self.inside:
            self.remove(item)

    def remove(self, item: Any) -> None:
        k = _place(self.inside, item)
        if k == len(self.inside):
            raise KeyError(item)
        self.inside.pop(k)
        self.straight = False

    def pop(self) -> Any:
        if len(self.inside) == 0:
            raise KeyError("pop from an empty set")
        if len(self.inside) > 1:
            raise RuntimeError(
                "pop of a set with several items, of which Python takes any: "
                "write m = min(s) and s.remove(m)"
            )
        return self.inside.pop()

    def clear(self) -> None:
        self.inside = []
        self.straight = False

    def update(self, *others: Any) -> None:
        self.straight = False
        for other in others:
            for item in _items(other):
                self.add(item)

    def intersection_update(self, *others: Any) -> None:
        self.inside = self.intersection(*others).inside
        self.straight = False

    def difference_update(self, *others: Any) -> None:
        self.inside = self.difference(*others).inside
        self.straight = False

    def symmetric_difference_update(self, other: Any) -> None:
        self.inside = self.symmetric_difference(other).inside
        self.straight = False

    def __ior__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.symmetric_difference_update(other)
        return self


@dataclass(frozen=True, eq=False)
class FrozenSet(_Queries):
    """`frozenset`, which has no place: two of the same items are one value.

    Attributes:
        inside: its items.
        straight: whether Python iterates over it in their order.
    """

    inside: Any
    straight: Any

    def _made(self, items: Any) -> Any:
        return FrozenSet(items, False)


@dataclass(frozen=True, eq=False)
class GivenSet(_Queries):
    """A `set` from outside, which the program may not change. As `FrozenSet`."""

    inside: Any
    straight: Any

    def _made(self, items: Any) -> Any:
        return mixed(items)

    def _changed(self) -> Any:
        refuse(
            "a set from outside is changed",
            "change a copy, s = set(s), and return it, or assign it",
        )

    def add(self, item: Any) -> Any:
        self._changed()

    def discard(self, item: Any) -> Any:
        self._changed()

    def remove(self, item: Any) -> Any:
        self._changed()

    def pop(self) -> Any:
        self._changed()

    def clear(self) -> Any:
        self._changed()

    def update(self, *others: Any) -> Any:
        self._changed()

    def intersection_update(self, *others: Any) -> Any:
        self._changed()

    def difference_update(self, *others: Any) -> Any:
        self._changed()

    def symmetric_difference_update(self, other: Any) -> Any:
        self._changed()

    def __ior__(self, other: Any) -> Any:
        self._changed()

    def __iand__(self, other: Any) -> Any:
        self._changed()

    def __isub__(self, other: Any) -> Any:
        self._changed()

    def __ixor__(self, other: Any) -> Any:
        self._changed()


class KeySet(GivenSet):
    """The keys, or the items, of a dict as an operand, which operators take with any iterable."""

    def __or__(self, other: Any) -> Any:
        return self.union(other)

    def __and__(self, other: Any) -> Any:
        return self.intersection(other)

    def __sub__(self, other: Any) -> Any:
        return self.difference(other)

    def __xor__(self, other: Any) -> Any:
        return self.symmetric_difference(other)


def frozen_set(iterable: Any = ()) -> Any:
    """`frozenset(iterable)` of items that are known at run time only."""
    if isinstance(iterable, frozenset):
        return iterable
    return FrozenSet(mixed(_items(iterable)).inside, False)


FROZEN = (FrozenSet, GivenSet, KeySet)
CLASSES: Mapping[type, type] = {Set: set, FrozenSet: frozenset, GivenSet: set, KeySet: set}
"""The classes that those here stand for."""


def is_given_set(value: object) -> bool:
    """Whether it is a set of Python's of what keys may be."""
    plain = type(value) in (set, frozenset)
    return plain and all(map(is_key, cast("Iterable[object]", value)))


def given_items(value: Iterable[Any]) -> list[Any]:
    """The items of such a set: in Python's order, where that is the same in each process."""
    items = list(value)
    if all(map(_has_own_order, items)):
        return items
    return sorted(items, key=lambda item: (type(item).__name__, repr(item)))


def _has_own_order(item: object) -> bool:
    if type(item) is tuple:
        return all(map(_has_own_order, cast("tuple[object, ...]", item)))
    return type(item) in (int, bool, float)
