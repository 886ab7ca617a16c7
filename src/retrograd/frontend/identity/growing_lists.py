# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Lists that lists of run-time length, dicts or objects hold, each of a length of its own.

No buffer holds lists that grow by themselves. So such a list is a row of a table, as objects are
(`retrograd.frontend.values.object_rows`), with where its items are in one list of the items of all:
from `start` on there is `room`, of which `size` count. A list that has no room left moves to the
end, with twice the room. What a list does is written here in Python.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from retrograd.errors import Span

__all__ = ["ATTRIBUTES", "FLAT", "MODULE", "Growing", "growing", "pad", "stacked"]

MODULE = __name__
FLAT = "flat"
"""The attribute that has the items of all such lists."""
ATTRIBUTES = (FLAT, "room", "size", "start")


def pad(flat: Any, count: Any, x: Any) -> None:
    """Makes place for so many items like `x`, without putting any there."""
    for _ in range(count):
        flat.append(x)


def stacked(rows: Any) -> Any:
    """The array of lists that are as long as each other."""
    return np.array([row.listed() for row in rows])


class Growing:
    """A list. Lists whose items meet are of one class, whose `sites` say where they are made."""

    sites: frozenset[Span] = frozenset()
    flat: Any
    room: Any
    size: Any
    start: Any

    def append(self, x: Any) -> None:
        if self.size == self.room:
            self.make_room(x)
        self.flat[self.start + self.size] = x
        self.size += 1

    def make_room(self, x: Any) -> None:
        """Doubles the room, for items like `x`."""
        flat = self.flat
        if self.start + self.room != len(flat):
            first = self.start
            self.start = len(flat)
            for k in range(self.size):
                flat.append(flat[first + k])
            self.room = self.size
        more = max(4, self.size)
        pad(flat, more, x)
        self.room += more

    def listed(self) -> Any:
        """The items as a list of its own."""
        flat, first = self.flat, self.start
        return [flat[first + k] for k in range(self.size)]

    def item(self, k: Any) -> Any:
        """The item at a place that there is."""
        return self.flat[self.start + k]

    def replace(self, items: Any) -> None:
        """Gives it other items."""
        self.size = 0
        for x in items:
            self.append(x)

    def place(self, index: Any, message: Any) -> Any:
        """The place of an index, from the front."""
        at = index if index >= 0 else index + self.size
        if at < 0 or at >= self.size:
            raise IndexError(message)
        return at

    def extend(self, items: Any) -> None:
        for x in list(items):
            self.append(x)

    def __iadd__(self, items: Any) -> Any:
        self.extend(items)
        return self

    def __imul__(self, n: Any) -> Any:
        self.replace(self.listed() * n)
        return self

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.listed()[index]
        return self.flat[self.start + self.place(index, "list index out of range")]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            items = self.listed()
            items[index] = list(value)
            self.replace(items)
        else:
            self.flat[self.start + self.place(index, "list assignment index out of range")] = value

    def __delitem__(self, index: Any) -> None:
        items = self.listed()
        del items[index]
        self.replace(items)

    def pop(self, index: Any = -1) -> Any:
        if self.size == 0:
            raise IndexError("pop from empty list")
        flat, at = self.flat, self.start + self.place(index, "pop index out of range")
        found = flat[at]
        for k in range(at, self.start + self.size - 1):
            flat[k] = flat[k + 1]
        self.size -= 1
        return found

    def insert(self, index: Any, x: Any) -> None:
        at = max(index + self.size, 0) if index < 0 else min(index, self.size)
        self.append(x)
        flat, first = self.flat, self.start
        for k in range(self.size - 1, at, -1):
            flat[first + k] = flat[first + k - 1]
        flat[first + at] = x

    def remove(self, value: Any) -> None:
        self.pop(self.listed().index(value))

    def clear(self) -> None:
        self.size = 0

    def reverse(self) -> None:
        self.replace(self.listed()[::-1])

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        self.replace(sorted(self.listed(), key=key, reverse=reverse))

    def copy(self) -> Any:
        return self.listed()

    def index(self, value: Any) -> Any:
        return self.listed().index(value)

    def count(self, value: Any) -> Any:
        return self.listed().count(value)

    def __len__(self) -> Any:
        return self.size

    def __contains__(self, value: Any) -> Any:
        return value in self.listed()

    def __reversed__(self) -> Any:
        return iter(self.listed()[::-1])

    def __add__(self, other: Any) -> Any:
        return self.listed() + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + self.listed()

    def __mul__(self, n: Any) -> Any:
        return self.listed() * n

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, list) or len(other) != self.size:
            return False
        if len(other) == 0:
            return True
        return all(a == b for a, b in zip(self.listed(), other, strict=False))

    def __repr__(self) -> str:
        return "<a list>"


@lru_cache(maxsize=1024)
def growing(sites: frozenset[Span]) -> type[Growing]:
    """The class of the lists that are made at these places."""
    return type("list", (Growing,), {"sites": sites})
