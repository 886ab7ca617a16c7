# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Arrays of one axis whose items are no numbers: texts, and what `dtype=object` is for.

They are objects with a list, and have of arrays what needs no arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.identity.refusing import refuse

__all__ = [
    "MODULE", "ObjectArray", "TextArray", "different_texts", "of_nothing", "of_objects", "of_texts",
]  # fmt: skip

MODULE = __name__


def of_nothing(shape: Any) -> Any:
    """`np.empty(shape, dtype=object)`: None at each place."""
    if not isinstance(shape, (tuple, list)):
        return ObjectArray([None] * shape)
    if len(shape) != 1:
        refuse("an array of objects with several axes", "make a list of lists")
    return ObjectArray([None] * shape[0])


def of_objects(items: Any) -> Any:
    """`np.array` of objects, with `dtype=object`."""
    return ObjectArray(list(items))


def of_texts(items: Any) -> Any:
    """`np.array` of texts."""
    return TextArray(list(items))


class TextArray:
    """An array of texts. Those assigned to it would be cut: it has room for its longest text."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (slice, tuple, list)) or np.ndim(key) != 0:
            refuse("a part of an array of texts or objects", "take a list of it: list(a)")
        return self.items[key]

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, str) and other is not None:
            refuse("an array of texts compared with what is no text", "compare items one by one")
        return np.array([one == other for one in self.items])

    def __ne__(self, other: Any) -> Any:
        return np.logical_not(self == other)

    @property
    def shape(self) -> Any:
        return (len(self.items),)

    @property
    def size(self) -> Any:
        return len(self.items)

    @property
    def ndim(self) -> Any:
        return 1

    def tolist(self) -> Any:
        return list(self.items)


class ObjectArray(TextArray):
    """An array of objects."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, (slice, tuple, list)) or np.ndim(key) != 0:
            refuse("a part of an array of texts or objects", "assign items one by one")
        self.items[key] = value

    def copy(self) -> Any:
        return ObjectArray(list(self.items))


def different_texts(texts: Any, return_index: Any, return_inverse: Any, return_counts: Any) -> Any:
    """`np.unique` of texts."""
    every = list(texts)
    names = sorted(set(every))
    found = (TextArray(names),)
    if return_index:
        found = (*found, np.array([every.index(name) for name in names]))
    if return_inverse:
        found = (*found, np.array([names.index(text) for text in every]))
    if return_counts:
        found = (*found, np.array([every.count(name) for name in names]))
    return found if len(found) > 1 else found[0]
