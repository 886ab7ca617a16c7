# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false
"""The methods of dicts for objects from outside whose class is a subclass of `dict`.

Such an object is one as any other, with its items as a dict in an attribute. Methods that the class
does not have itself, or calls by `super()`, are these.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity.refusing import refuse

__all__ = ["ITEMS", "METHODS", "is_held", "items_of", "new", "put_items"]

ITEMS = "_items_of_dict"
"""The attribute that has the items."""


def is_held(cls: Any) -> bool:
    """Whether it is a class of dicts that are objects."""
    return issubclass(cls, dict) and cls is not dict


def items_of(value: Any) -> dict[Any, Any]:
    """What an object that is a dict has, whatever its class says of it."""
    return dict(dict.items(value))


def new(cls: type[Any]) -> Any:
    """An object of the class, without its `__init__`."""
    if issubclass(cls, OrderedDict):
        return OrderedDict.__new__(cls)
    return dict.__new__(cls) if is_held(cls) else object.__new__(cls)


def put_items(one: Any, items: Any) -> None:
    """Gives an object that is a dict its items."""
    for key, item in items.items():
        (OrderedDict if isinstance(one, OrderedDict) else dict).__setitem__(one, key, item)


def _getitem(self: Any, key: Any) -> Any:
    return self._items_of_dict[key]


def _contains(self: Any, key: Any) -> Any:
    return key in self._items_of_dict


def _len(self: Any) -> Any:
    return len(self._items_of_dict)


def _iter(self: Any) -> Any:
    return iter(list(self._items_of_dict))


def _get(self: Any, key: Any, default: Any = None) -> Any:
    return self._items_of_dict.get(key, default)


def _keys(self: Any) -> Any:
    return self._items_of_dict.keys()


def _values(self: Any) -> Any:
    return self._items_of_dict.values()


def _items(self: Any) -> Any:
    return self._items_of_dict.items()


def _copy(self: Any) -> Any:
    return self._items_of_dict.copy()


def _refused(self: Any, *args: Any) -> Any:
    refuse("a change of an object that is a dict", "change a dict of its items: dict(d)")


def _compared(self: Any, other: Any) -> Any:
    refuse("a comparison of an object that is a dict", "compare dicts of the items: dict(d)")


_MADE: Mapping[str, Callable[..., Any]] = {
    "__getitem__": _getitem, "__contains__": _contains, "__len__": _len, "__iter__": _iter,
    "get": _get, "keys": _keys, "values": _values, "items": _items, "copy": _copy,
    "__eq__": _compared, "__ne__": _compared,
    **dict.fromkeys(
        ("__setitem__", "__delitem__", "pop", "popitem", "setdefault", "update", "clear"), _refused
    ),
}  # fmt: skip
METHODS: Mapping[str, FunctionType] = cast("Mapping[str, FunctionType]", _MADE)
"""By the names of the methods of `dict`."""
