# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""`vars(obj)` and `obj.__dict__`: the attributes of an object as a dict that changes with it.

Written in Python and translated as the user's own classes are. What it asks of the object is in
`library/attribute_dicts.py`.
"""

from __future__ import annotations

from typing import Any

from retrograd.frontend.identity.refusing import refuse

__all__ = ["MODULE", "Attributes", "count_of", "holds", "names_of", "put", "value_of"]

MODULE = __name__


def names_of(obj: Any) -> Any:
    """The names of the attributes that are assigned, in the order in which they first were."""
    return tuple(vars(obj))


def count_of(obj: Any) -> Any:
    """How many attributes are assigned."""
    return len(vars(obj))


def holds(obj: Any, name: Any) -> Any:
    """Whether the object itself has an attribute."""
    return name in vars(obj)


def value_of(obj: Any, name: Any) -> Any:
    """The attribute of the object itself; `KeyError` where there is none."""
    return vars(obj)[name]


def put(obj: Any, name: Any, value: Any) -> None:
    """Assigns the attribute, whatever properties and `__setattr__` of the class say."""
    vars(obj)[name] = value


class Attributes:
    """The dict. `owner` is the object."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __getitem__(self, key: Any) -> Any:
        return value_of(self.owner, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        put(self.owner, key, value)

    def __contains__(self, key: Any) -> Any:
        return holds(self.owner, key)

    def __len__(self) -> Any:
        return count_of(self.owner)

    def __iter__(self) -> Any:
        return iter(names_of(self.owner))

    def copy(self) -> Any:
        made: dict[Any, Any] = {}
        for name in names_of(self.owner):
            made[name] = value_of(self.owner, name)
        return made

    def keys(self) -> Any:
        return self.copy().keys()

    def values(self) -> Any:
        return self.copy().values()

    def items(self) -> Any:
        return self.copy().items()

    def get(self, key: Any, default: Any = None) -> Any:
        return value_of(self.owner, key) if holds(self.owner, key) else default

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if not holds(self.owner, key):
            put(self.owner, key, default)
        return value_of(self.owner, key)

    def update(self, other: Any = (), **kwargs: Any) -> None:
        given = dict(other)
        for key in given:
            put(self.owner, key, given[key])
        for key in kwargs:
            put(self.owner, key, kwargs[key])

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, dict) and self.copy() == dict(other)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __delitem__(self, key: Any) -> None:
        _removed()

    def pop(self, key: Any, default: Any = None) -> Any:
        _removed()

    def clear(self) -> None:
        _removed()


def _removed() -> None:
    refuse("an attribute is removed by its name in `__dict__`", "assign None instead")
