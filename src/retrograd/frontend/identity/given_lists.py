"""Lists from outside that a program may change: what it is given of them, and what the caller gets.

Of a list of numbers, or of tuples of numbers, that are all of one kind, a program is given an array
for each number of an item, and how many items there are: so it need not be translated again where
the list has grown. Of other lists it is given the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "GIVEN", "GivenBuffer", "GivenItems", "Kind", "Opens", "columns_in", "kind_of", "renew",
]  # fmt: skip

Kind = type[bool] | type[int] | type[float] | tuple["Kind", ...]
"""The kind of all items of a list: of a tuple, that of each part."""


class Opens(IntEnum):
    """How a program is given lists."""

    NO = 0
    """As tuples are given, which stay as they are."""
    ROWS = 1
    """As lists that it may change, those of numbers of one kind without how many there are."""
    ITEMS = 2
    """As lists that it may change, and whose items are known one by one."""


class GivenItems:
    """Stands for the class of a list from outside whose items are known one by one."""

    def __new__(cls, *items: Any) -> list[Any]:
        """The list."""
        return [*items]


class GivenBuffer:
    """Stands for the class of a list from outside whose items are rows of arrays."""

    def __new__(cls, columns: Any, length: int | None = None) -> list[Any] | None:
        """The list; None stands for the derivative of what has none."""
        found = _length(columns)
        return None if found is None else _rows(columns, found)


GIVEN = (GivenItems, GivenBuffer)


def kind_of(items: Sequence[Any]) -> Kind | None:
    """The kind that all items are of; None where there are none, or several kinds."""
    classes: set[type[Any]] = set(map(type, items))
    if not classes:
        return None
    if classes == {tuple}:
        if len(set(map(len, items))) > 1 or not items[0]:
            return None
        kinds = [kind_of(column) for column in zip(*items, strict=True)]
        known = tuple(kind for kind in kinds if kind is not None)
        return known if len(known) == len(kinds) else None
    if classes <= {float, np.float64}:
        return float
    if classes <= {bool, np.bool_}:
        return bool
    if all(cls is int or issubclass(cls, np.signedinteger) for cls in classes):
        return int if min(items) >= -(2**63) and max(items) < 2**63 else None
    return None


def columns_in(items: Sequence[Any]) -> Any:
    """The arrays of items of one kind: one, or a tuple of those of the parts."""
    kind = kind_of(items)
    if isinstance(kind, tuple):
        return tuple(columns_in(column) for column in zip(*items, strict=True))
    assert kind is not None
    return np.array(items, dtype=kind)


def renew(held: list[Any], new: list[Any]) -> None:
    """Gives a caller's list new items; those that are what they were stay the same objects."""
    count = min(len(held), len(new))
    for k in _changed(held[:count], new[:count]):
        held[k] = new[k]
    held[count:] = new[count:]


def _changed(old: list[Any], new: list[Any]) -> list[int]:
    """The positions at which two lists of one length differ, to the bit."""
    if kind_of(old) in (float, int) and old == new and 0 not in new:
        return []  # which is quick; zeros have a sign
    if kind_of(old) is float and kind_of(new) is float:
        one, other = (np.array(items, dtype=np.float64).view(np.int64) for items in (old, new))
        return np.flatnonzero(one != other).tolist()
    return [k for k, pair in enumerate(zip(old, new, strict=True)) if not _same(*pair)]


def _same(old: Any, new: Any) -> bool:
    """Whether a number, an array or a tuple of them has stayed what it was, to the bit."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        one, other = cast("tuple[Any, ...]", old), cast("tuple[Any, ...]", new)
        return len(one) == len(other) and all(map(_same, one, other))
    if old is new:
        return True
    if isinstance(old, np.ndarray) or isinstance(new, np.ndarray):
        one, other = np.asarray(cast("Any", old)), np.asarray(cast("Any", new))
        alike = one.dtype == other.dtype and one.shape == other.shape and one.ndim > 0
        return alike and one.tobytes() == other.tobytes()
    if isinstance(new, bool) or (isinstance(new, int) and isinstance(old, bool | np.bool_)):
        return type(cast("Any", old)) in (bool, np.bool_) and isinstance(new, bool) and old == new
    if isinstance(old, float) and isinstance(new, float):
        return float(old).hex() == new.hex()
    # Ints and bools that meet floats in a list of run-time length become floats there, not here.
    return isinstance(old, int | np.signedinteger | np.bool_) and bool(old == new)


def _length(columns: Any) -> int | None:
    if isinstance(columns, np.ndarray):
        return len(cast("NDArray[Any]", columns))
    parts = cast("tuple[Any, ...]", columns or ())
    return next((n for part in parts if (n := _length(part)) is not None), None)


def _rows(columns: Any, count: int) -> list[Any]:
    if columns is None:
        return [None] * count
    if isinstance(columns, np.ndarray):
        return cast("NDArray[Any]", columns).tolist()
    return list(zip(*(_rows(part, count) for part in columns), strict=True))
