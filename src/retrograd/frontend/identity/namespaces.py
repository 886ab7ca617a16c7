"""Classes whose objects have the attributes that they are given: `types.SimpleNamespace` and the
like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, cast

from retrograd.frontend.identity.refusing import refuse

__all__ = ["METHODS", "has_namespace", "is_base", "new"]

_CLASSES = (
    ("types", "SimpleNamespace"), ("argparse", "Namespace"), ("argparse", "_AttributeHolder"),
)  # fmt: skip
"""By name: who uses them has loaded them."""


def is_base(cls: type) -> bool:
    """Whether it is one of these classes itself."""
    return (cls.__module__, cls.__name__) in _CLASSES


def has_namespace(cls: type) -> bool:
    """Whether objects of a class have the attributes that they are given."""
    return any(map(is_base, cls.__mro__))


def new(cls: type[Any]) -> Any:
    """An object of such a class, without attributes."""
    simple = issubclass(cls, SimpleNamespace)
    return SimpleNamespace.__new__(cls) if simple else object.__new__(cls)


def _contains(self: Any, key: Any) -> Any:
    try:
        getattr(self, key)
    except AttributeError:
        return False
    return True


def _same(self: Any, other: Any) -> Any:
    refuse("a comparison of objects that are namespaces", "compare their attributes")


_MADE: Mapping[str, Callable[..., Any]] = {
    "__contains__": _contains, "__eq__": _same, "__ne__": _same,
}  # fmt: skip
METHODS: Mapping[str, FunctionType] = cast("Mapping[str, FunctionType]", _MADE)
"""By name, what programs have for the methods of these classes."""
