"""Operators as their methods: what `x.__len__()` and its like do to arrays, lists, dicts and texts.

Each is called with the object whose method it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["OF_ARRAYS", "OF_CONTAINERS"]


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


def _abs(x: Any) -> Any:
    return abs(x)


def _neg(x: Any) -> Any:
    return -x


def _add(x: Any, y: Any) -> Any:
    return x + y


def _sub(x: Any, y: Any) -> Any:
    return x - y


def _rsub(x: Any, y: Any) -> Any:
    return y - x


def _mul(x: Any, y: Any) -> Any:
    return x * y


def _truediv(x: Any, y: Any) -> Any:
    return x / y


def _rtruediv(x: Any, y: Any) -> Any:
    return y / x


def _pow(x: Any, y: Any) -> Any:
    return x**y


def _matmul(x: Any, y: Any) -> Any:
    return x @ y


def _lt(x: Any, y: Any) -> Any:
    return x < y


def _le(x: Any, y: Any) -> Any:
    return x <= y


def _gt(x: Any, y: Any) -> Any:
    return x > y


def _ge(x: Any, y: Any) -> Any:
    return x >= y


OF_CONTAINERS: Mapping[str, Callable[..., Any]] = {
    "__len__": _len, "__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem,
    "__contains__": _contains, "__iter__": _iter,
}  # fmt: skip
"""Those of lists, tuples, dicts and texts."""

OF_ARRAYS: Mapping[str, Callable[..., Any]] = {
    **OF_CONTAINERS, "__abs__": _abs, "__neg__": _neg, "__add__": _add, "__radd__": _add,
    "__sub__": _sub, "__rsub__": _rsub, "__mul__": _mul, "__rmul__": _mul, "__truediv__": _truediv,
    "__rtruediv__": _rtruediv, "__pow__": _pow, "__matmul__": _matmul, "__lt__": _lt,
    "__le__": _le, "__gt__": _gt, "__ge__": _ge,
}  # fmt: skip
"""Those of arrays. Of numbers none is here: Python's int adds no float by its own method."""
