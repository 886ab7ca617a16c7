"""Lists of run-time length and what may be None: names in the front end, results in Python."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.flattening import make

__all__ = [
    "ListBuffer", "ListItems", "ListObject", "ListRow", "ListText", "OneKind", "ValueOrNone",
    "list_object", "list_text",
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
        return cast("list[Any]", rows if isinstance(rows, list) else rows.tolist())


class ListText:
    """Stands for the class around the buffer of items that are texts: which one of `options`."""

    options: tuple[str, ...] = ()

    def __new__(cls, places: Any) -> list[Any]:
        """The texts."""
        return [cls.options[int(place)] for place in places]


@lru_cache(maxsize=1024)
def list_text(options: tuple[str, ...]) -> type[ListText]:
    """The class of items that are one of these texts."""
    return type("ListText", (ListText,), {"options": options})


class ListObject:
    """Stands for the class around the buffer of items that are objects of a class, kept in rows."""

    of: type = object


@lru_cache(maxsize=1024)
def list_object(cls: type) -> type[ListObject]:
    """The class of items that are objects of `cls`, by the number of the row of each."""
    return type("ListObject", (ListObject,), {"of": cls})


class ValueOrNone:
    """Stands for the class of a result that may be None."""

    def __new__(cls, there: bool, value: Any) -> Any:
        """The value, if it is there."""
        return value if there else None


class OneKind:
    """Stands for the class of a result that is of one of several kinds."""

    def __new__(cls, *items: Any) -> Any:
        """The value whose flag is set: first come the flags, then the values."""
        count = len(items) // 2
        return next(value for flag, value in zip(items[:count], items[count:], strict=True) if flag)


def _items(buffers: Any, length: int) -> list[Any]:
    if isinstance(buffers, list):
        return cast("list[Any]", buffers[:length])
    if isinstance(buffers, np.ndarray):
        rows = cast("np.ndarray[Any, Any]", buffers)[:length]
        return rows.tolist() if rows.ndim == 1 else [row.copy() for row in rows]
    names = getattr(buffers, "__dataclass_fields__", None)
    parts = buffers if names is None else [getattr(buffers, name) for name in names]
    columns = [_items(part, length) for part in parts]
    cls = cast("type[Any]", type(buffers))
    return [make(cls, row) for row in zip(*columns, strict=True)]
