# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Iterators whose items are asked for one by one: the user's own, and those of arrays in loops."""

from __future__ import annotations

from typing import Any

__all__ = ["MODULE", "OneByOne", "given_by_next", "next_or"]

MODULE = __name__


class OneByOne:
    """`iterator`: what `iter` gives of an array or list, where loops take its items."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.at = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at >= len(self.items):
            raise StopIteration
        item = self.items[self.at]
        self.at += 1
        return item


def given_by_next(iterator: Any) -> Any:
    """The items that an object with `__next__` gives."""
    found: list[Any] = []
    while True:
        try:
            found.append(iterator.__next__())
        except StopIteration:
            return found


def next_or(iterator: Any, default: Any) -> Any:
    """`next(iterator, default)` of such an object."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default
