# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""`defaultdict(list)` whose keys are known at run time only, written in Python.

No buffer holds lists that grow by themselves. So the items of all lists are in one list, in the
order in which they came, with the number of the key that each belongs to. Numbers are never used
again, so a key may be taken out. A list that is put in is copied; so it may have no other name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CLASSES", "VIEWS", "DictOfLists", "ListsByKey", "PUTTING", "Row"]


class ListsByKey:
    """`collections.defaultdict(list)`."""

    def __init__(self, data: Any = ()) -> None:
        self.names: list[Any] = []
        self.numbers: list[int] = []
        self.owners: list[int] = []
        self.flat: list[Any] = []
        self.next = 0
        for key, values in dict(data).items():
            self[key] = values

    def number(self, key: Any) -> Any:
        """The number of a key, -1 of one that is not there."""
        k = 0
        while k < len(self.names) and self.names[k] != key:
            k += 1
        return self.numbers[k] if k < len(self.names) else -1

    def added(self, key: Any) -> Any:
        """The number of a key, which is there then."""
        found = self.number(key)
        if found < 0:
            found = self.next
            self.names.append(key)
            self.numbers.append(found)
            self.next += 1
        return found

    def __getitem__(self, key: Any) -> Any:
        return Row(self, self.added(key))

    def __setitem__(self, key: Any, values: Any) -> None:
        items = list(values)
        number = self.added(key)
        self.keep_others(number)
        for item in items:
            self.owners.append(number)
            self.flat.append(item)

    def keep_others(self, number: Any) -> None:
        """Takes the items of a key out."""
        owners, flat = self.owners, self.flat
        self.owners = []
        self.flat = []
        for owner, item in zip(owners, flat, strict=True):
            if owner != number:
                self.owners.append(owner)
                self.flat.append(item)

    def __delitem__(self, key: Any) -> None:
        number = self.number(key)
        if number < 0:
            raise KeyError(key)
        self.keep_others(number)
        k = self.numbers.index(number)
        self.names.pop(k)
        self.numbers.pop(k)

    def pop(self, key: Any) -> Any:
        number = self.number(key)
        if number < 0:
            raise KeyError(key)
        found = self.of_number(number)
        del self[key]
        return found

    def of_number(self, number: Any) -> Any:
        """The items of a key, as a list."""
        return [i for o, i in zip(self.owners, self.flat, strict=True) if o == number]

    def setdefault(self, key: Any, default: Any) -> Any:
        if self.number(key) < 0:
            self[key] = default
        return self[key]

    def get(self, key: Any, default: Any = None) -> Any:
        found = self.number(key)
        if default is None:
            return None if found < 0 else Row(self, found)
        if found < 0:  # a list of its own, which has a number and no key
            found = self.next
            self.next += 1
            Row(self, found).extend(default)
        return Row(self, found)

    def update(self, other: Any) -> None:
        for key, values in dict(other).items():
            self[key] = values

    def __contains__(self, key: Any) -> Any:
        return key in self.names

    def __len__(self) -> Any:
        return len(self.names)

    def listed(self) -> Any:
        return list(self.names)

    def __iter__(self) -> Any:
        n = len(self.names)
        for k in range(n):
            yield self.names[k]
            if len(self.names) != n:
                raise RuntimeError("dictionary changed size during iteration")

    def keys(self) -> Any:
        return list(self.names)

    def values(self) -> Any:
        n = len(self.names)
        for k in range(n):
            yield Row(self, self.numbers[k])
            if len(self.names) != n:
                raise RuntimeError("dictionary changed size during iteration")

    def items(self) -> Any:
        n = len(self.names)
        for k in range(n):
            yield self.names[k], Row(self, self.numbers[k])
            if len(self.names) != n:
                raise RuntimeError("dictionary changed size during iteration")

    def clear(self) -> None:
        self.names = []
        self.numbers = []
        self.owners = []
        self.flat = []

    def __repr__(self) -> str:
        return "<a dict>"


class DictOfLists(ListsByKey):
    """`dict`, of lists."""

    def __getitem__(self, key: Any) -> Any:
        number = self.number(key)
        if number < 0:
            raise KeyError(key)
        return Row(self, number)


class Row:
    """The list of a key: it looks at the dict."""

    def __init__(self, table: Any, number: Any) -> None:
        self.table = table
        self.number = number

    def listed(self) -> Any:
        return self.table.of_number(self.number)

    def append(self, x: Any) -> None:
        self.table.owners.append(self.number)
        self.table.flat.append(x)

    def extend(self, items: Any) -> None:
        for item in list(items):
            self.append(item)

    def __iadd__(self, items: Any) -> Any:
        self.extend(items)
        return self

    def place(self, index: Any) -> Any:
        """Where in the list of all items the one at an index is."""
        at = index if index >= 0 else index + len(self)
        k = 0
        while k < len(self.table.flat) and (at > 0 or self.table.owners[k] != self.number):
            if self.table.owners[k] == self.number:
                at -= 1
            k += 1
        if at != 0 or k == len(self.table.flat):
            raise IndexError("list index out of range")
        return k

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.listed()[index]
        return self.table.flat[self.place(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.table.flat[self.place(index)] = value

    def pop(self, index: Any = -1) -> Any:
        if len(self) == 0:
            raise IndexError("pop from empty list")
        k = self.place(index)
        self.table.owners.pop(k)
        return self.table.flat.pop(k)

    def __len__(self) -> Any:
        return self.table.owners.count(self.number)

    def __contains__(self, value: Any) -> Any:
        return value in self.listed()

    def __iter__(self) -> Any:
        return iter(self.listed())

    def __reversed__(self) -> Any:
        return iter(self.listed()[::-1])

    def __add__(self, other: Any) -> Any:
        return self.listed() + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + self.listed()

    def index(self, value: Any) -> Any:
        return self.listed().index(value)

    def count(self, value: Any) -> Any:
        return self.listed().count(value)

    def copy(self) -> Any:
        return self.listed()

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        items = sorted(self.listed(), key=key, reverse=reverse)
        self.table.keep_others(self.number)
        self.extend(items)

    def __eq__(self, other: Any) -> Any:
        return self.listed() == list(other)

    def __repr__(self) -> str:
        return "<a list>"


VIEWS = (ListsByKey, DictOfLists, Row)
"""What gives its items at once."""

PUTTING = frozenset({"__setitem__", "setdefault", "get"})
"""Methods that put the list in that they are given, or give it back."""

CLASSES: Mapping[type, type] = {DictOfLists: dict, Row: list}
"""The classes that those here stand for."""
