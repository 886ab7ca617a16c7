"""Operators as their methods: what `x.__len__()` and its like do to arrays, lists, dicts and texts.

Each is called with the object whose method it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["OF_ARRAYS", "OF_CONTAINERS"]

op: Any = operator


def _len(x: Any) -> Any:
    return len(x)


def _getitem(x: Any, key: Any) -> Any:
    return x[key]


def _setitem(x: Any, key: Any, value: Any) -> Any:
    x[key] = value


def _delitem(x: Any, key: Any) -> Any:
    del x[key]


def _contains(x: Any, key: Any) -> Any:
    return key in x


def _iter(x: Any) -> Any:
    return iter(x)


def _rsub(x: Any, y: Any) -> Any:
    return y - x


def _rtruediv(x: Any, y: Any) -> Any:
    return y / x


OF_CONTAINERS: Mapping[str, Callable[..., Any]] = {
    "__len__": _len, "__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem,
    "__contains__": _contains, "__iter__": _iter,
}  # fmt: skip
"""Those of lists, tuples, dicts and texts."""

OF_ARRAYS: Mapping[str, Callable[..., Any]] = {
    **OF_CONTAINERS, "__abs__": op.abs, "__neg__": op.neg, "__add__": op.add,
    "__radd__": op.add, "__sub__": op.sub, "__rsub__": _rsub, "__mul__": op.mul,
    "__rmul__": op.mul, "__truediv__": op.truediv, "__rtruediv__": _rtruediv,
    "__pow__": op.pow, "__matmul__": op.matmul, "__lt__": op.lt,
    "__le__": op.le, "__gt__": op.gt, "__ge__": op.ge,
}  # fmt: skip
"""Those of arrays. Of numbers none is here: Python's int adds no float by its own method."""
