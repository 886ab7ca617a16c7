"""Attributes of classes, and names of modules and closures, that programs assign: each is the
attribute of an object that stands for it.

So a counter or a setting of a class is read at every call, and written back, as what objects from
outside hold is.
"""

from __future__ import annotations

from functools import lru_cache
from types import CellType
from typing import Any, cast

from retrograd.records import Itself

__all__ = ["MODULE", "ClassAttribute", "Holder", "holder_of", "of_class", "of_name"]

Holder = type | Itself
"""What has such a name: a class, the dict of a module's names, or a closure's cell."""

MODULE = __name__


class ClassAttribute:
    """What stands for an attribute of a class: its own `value` is what the class has."""


@lru_cache(maxsize=1024)
def _standing_for(holder: type[Any], name: str) -> type[ClassAttribute]:
    """The class of what stands for `holder.name`, to which is assigned what it is assigned."""

    def read(_: ClassAttribute) -> Any:
        return vars(holder)[name]

    def write(_: ClassAttribute, value: Any) -> None:
        setattr(holder, name, value)

    members = {"value": property(read, write), "__module__": MODULE}
    made = type(f"{holder.__name__}.{name}", (ClassAttribute,), members)
    return cast("type[ClassAttribute]", made)


def of_class(holder: type[Any], name: str) -> ClassAttribute:
    """What stands for an attribute that a class has itself."""
    made = _standing_for(holder, name)()
    made.__dict__["value"] = vars(holder)[name]
    return made


@lru_cache(maxsize=1024)
def _standing_for_name(holder: Itself, name: str) -> type[ClassAttribute]:
    """The same for a name of a module, or what a cell holds."""
    place: Any = holder.it

    def read(_: ClassAttribute) -> Any:
        return place.cell_contents if isinstance(place, CellType) else place[name]

    def write(_: ClassAttribute, value: Any) -> None:
        if isinstance(place, CellType):
            place.cell_contents = value
        else:
            place[name] = value

    members = {"value": property(read, write), "__module__": MODULE}
    return cast("type[ClassAttribute]", type(name, (ClassAttribute,), members))


def of_name(holder: Any, name: str) -> ClassAttribute:
    """What stands for a name of a module, whose names are a dict, or of a closure's cell."""
    made = _standing_for_name(Itself(holder), name)()
    made.__dict__["value"] = holder.cell_contents if isinstance(holder, CellType) else holder[name]
    return made


def holder_of(cls: type[Any], name: str) -> type[Any] | None:
    """The class, among a class and its bases, that has an attribute; None where none has."""
    return next((base for base in cls.__mro__ if name in vars(base)), None)
