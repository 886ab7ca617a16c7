"""Lists of run-time length and what may be None: names in the front end, results in Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.flattening import ABSENT, make
from retrograd.messages import shown

__all__ = [
    "ItemOrNone", "ListBuffer", "ListItems", "ListKinds", "ListObject", "ListRow", "ListText",
    "ListUneven",
    "OneKind", "ValueOrNone", "list_kinds", "list_object", "list_text", "TextShown", "text_shown",
]  # fmt: skip


class ListItems:
    """Stands for the class of the items of a list that are known one by one."""


class ListBuffer:
    """Stands for the class of the buffers of a list, with how many entries of them count."""

    def __new__(cls, buffers: Any, length: int) -> list[Any]:
        """The list: `buffers` is an array with an item in each row, or a tuple of such."""
        return _items(buffers, int(length))


class ListRow:
    """Stands for the class around the buffer of items that are lists themselves."""

    def __new__(cls, rows: Any) -> list[Any]:
        """The items of all rows as lists."""
        if isinstance(rows, np.ndarray):
            return cast("list[Any]", rows.tolist())
        if isinstance(rows, list):
            return cast("list[Any]", rows)
        return [_items(_at(rows, k), _length(rows, 1)) for k in range(_length(rows, 0))]


class ListUneven:
    """Stands for the class around the numbers of items that are arrays of different lengths, with
    where in `flat` each begins, and how long it is."""

    def __new__(cls, numbers: Any, starts: Any, sizes: Any, flat: Any) -> list[Any]:
        """The arrays; what comes after the last item has any number."""
        ends = zip(starts, starts + sizes, strict=True)
        every = [flat[start:end].copy() for start, end in ends]
        return [every[k] if k < len(every) else None for k in numbers]


class ListText:
    """Stands for the class around the buffer of items that are texts: which one of `options`."""

    options: tuple[str, ...] = ()

    def __new__(cls, places: Any) -> list[Any]:
        """The texts; of rows of them, lists."""
        if np.ndim(places) > 1:
            return [cls(row) for row in places]
        return [cls.options[int(place)] for place in places]


@lru_cache(maxsize=1024)
def list_text(options: tuple[str, ...]) -> type[ListText]:
    """The class of items that are one of these texts."""
    return type("ListText", (ListText,), {"options": options})


class TextShown:
    """Stands for the class of a result that is a text with numbers in it."""

    pieces: tuple[Any, ...] = ()

    def __new__(cls, *numbers: Any) -> str:
        """The text."""
        return shown(cls.pieces, numbers)


@lru_cache(maxsize=1024)
def text_shown(pieces: tuple[Any, ...]) -> type[TextShown]:
    """The class of texts of these pieces (`retrograd.messages`)."""
    return type("TextShown", (TextShown,), {"pieces": pieces})


class ListObject:
    """Stands for the class around the buffer of items that are objects of a class, kept in rows."""

    of: type = object


@lru_cache(maxsize=1024)
def list_object(cls: type) -> type[ListObject]:
    """The class of items that are objects of `cls`, by the number of the row of each."""
    return type("ListObject", (ListObject,), {"of": cls})


class ListKinds:
    """Stands for the class around the buffers of items that are None or of one of several kinds.

    First comes the buffer of which kind an item is of, -1 for None; then, for each of the `ids`,
    the buffers for the items of that kind.
    """

    ids: tuple[int, ...] = ()
    none: bool = True

    def __new__(cls, which: Any, *columns: Any) -> list[Any]:
        """The items: `which` has an entry for each; of rows of them, lists."""
        if np.ndim(which) > 1:
            return [cls(one, *(_at(c, k) for c in columns)) for k, one in enumerate(which)]
        rows = {k: _items(column, len(which)) for k, column in zip(cls.ids, columns, strict=True)}
        return [None if k < 0 else rows[int(k)][at] for at, k in enumerate(which)]


@lru_cache(maxsize=1024)
def list_kinds(ids: tuple[int, ...], none: bool) -> type[ListKinds]:
    """The class of items that are of the kinds with these numbers, or None where they may be."""
    return type("ListKinds", (ListKinds,), {"ids": ids, "none": none})


class ValueOrNone:
    """Stands for the class of a result that may be None."""

    def __new__(cls, there: bool, value: Any) -> Any:
        """The value, if it is there."""
        return value if there else None


class ItemOrNone:
    """Stands for the class of an item of a resulting dict that may not be there."""

    def __new__(cls, there: bool, value: Any) -> Any:
        """The item, if it is there."""
        return value if there else ABSENT


class OneKind:
    """Stands for the class of a result that is of one of several kinds."""

    def __new__(cls, *items: Any) -> Any:
        """The value whose flag is set: first come the flags, then the values."""
        count = len(items) // 2
        return next(value for flag, value in zip(items[:count], items[count:], strict=True) if flag)


def _parts(buffers: Any) -> Sequence[Any]:
    """The buffers of the parts of items that are tuples or dataclasses."""
    names = getattr(buffers, "__dataclass_fields__", None)
    return buffers if names is None else [getattr(buffers, name) for name in names]


def _at(buffers: Any, k: int) -> Any:
    """One row of all buffers."""
    if isinstance(buffers, list | np.ndarray):
        return cast("Any", buffers)[k]
    return make(cast("type[Any]", type(buffers)), [_at(part, k) for part in _parts(buffers)])


def _length(buffers: Any, axis: int) -> int:
    """An extent that all buffers have."""
    while not isinstance(buffers, list | np.ndarray):
        buffers = _parts(buffers)[0]
    if isinstance(buffers, np.ndarray):
        return cast("int", cast("Any", buffers).shape[axis])
    whole = cast("list[Any]", buffers)
    return len(whole) if axis == 0 else len(whole[0]) if whole else 0


def _items(buffers: Any, length: int) -> list[Any]:
    if isinstance(buffers, list):
        return cast("list[Any]", buffers[:length])
    if isinstance(buffers, np.ndarray):
        rows = cast("np.ndarray[Any, Any]", buffers)[:length]
        return rows.tolist() if rows.ndim == 1 else [row.copy() for row in rows]
    columns = [_items(part, length) for part in _parts(buffers)]
    cls = cast("type[Any]", type(buffers))
    return [make(cls, row) for row in zip(*columns, strict=True)]
