"""Objects of users' plain classes as trees: which they are, what they hold, how they are made.

`__init__` is not run for an object that is made of a tree: what it would do is done already.
"""

from __future__ import annotations

import abc
import collections.abc
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, Generic, Protocol, cast

from retrograd.frontend.identity import (
    array_records,
    attribute_dicts,
    class_attributes,
    frozen_laws,
    growing_lists,
    keyed_by_run,
    mappings,
    masked_arrays,
    namespaces,
    narrow_ints,
    object_arrays,
    one_by_one,
    sets,
    signatures,
    sparse_matrices,
)
from retrograd.frontend.identity.containers import MODULE
from retrograd.frontend.identity.held_dicts import ITEMS, is_held, items_of, new, put_items
from retrograd.frontend.identity.transformed import (
    Rerun,
    Reversible,
    Ruled,
    Transformed,
    Vectorised,
)
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.saving import Policy

__all__ = [
    "attributes", "called", "is_object", "is_outlet", "made", "own_new", "package_of_class",
    "plain_class",
    "receiver_of",
    "put_in", "refused_member", "why_not",
]  # fmt: skip

_REFUSED: Mapping[str, str] = {
    "__new__": "make objects by __init__, or by a function or class method",
    "__getattribute__": "use properties",
    "__setattr__": "use properties with setters",
    "__delattr__": "assign None instead",
    "__set__": "use a property",
    "__get__": "use a property",
}
_OURS = type | Transformed | Vectorised | Rerun | Ruled | Checkpointing | Policy
_ABSTRACT = (
    collections.abc.Mapping, collections.abc.MutableMapping, collections.abc.Sequence,
    collections.abc.Collection, collections.abc.Sized, collections.abc.Iterable,
    collections.abc.Container, collections.abc.Reversible,
)  # fmt: skip
"""Their methods are written in `containers`."""
_BASES = (object, abc.ABC, Generic, Protocol, *_ABSTRACT)
_PROGRAMS = (
    "retrograd.constructs.random", "retrograd.frontend.library.plain.pcg",
    "retrograd.frontend.library.plain.mersenne",
    "retrograd.inversion.numbers", "retrograd.inversion.stacks", MODULE, mappings.MODULE,
    keyed_by_run.MODULE, attribute_dicts.MODULE, sets.MODULE, signatures.MODULE, frozen_laws.MODULE,
    growing_lists.MODULE, sparse_matrices.MODULE, array_records.MODULE,
    masked_arrays.MODULE, narrow_ints.MODULE, one_by_one.MODULE,
    class_attributes.MODULE, object_arrays.MODULE,
)  # fmt: skip
"""Their classes are written as those of users are."""


_READABLE = ("statistics.NormalDist",)
"""Classes of the standard library whose own text is translated."""


def package_of_class(cls: type) -> str | None:
    """The package that a class belongs to, if its Python is not the user's to read; else None."""
    name = cls.__module__.partition(".")[0]
    if name == "statistics" and f"{name}.{cls.__qualname__}" in _READABLE:
        return None
    return name if name in sys.stdlib_module_names or name in ("numpy", "scipy") else None


def refused_member(cls: type) -> str | None:
    """A method of a class by which attributes are not what they seem; None where there is none."""
    frozen = getattr(cls, "__dataclass_params__", None) is not None
    for name in _REFUSED:
        holder = next((base for base in cls.__mro__ if name in vars(base)), object)
        known = (
            _is_known(holder)
            or holder is dict
            or (holder.__module__ == "builtins" and BaseException in cls.__mro__)
        )
        if known or (frozen and name in ("__setattr__", "__delattr__")):
            continue
        if name == "__new__" and own_new(cls) is not None:
            continue
        return name
    return None


def own_new(cls: type[Any]) -> FunctionType | None:
    """The `__new__` of a class that is written in Python, but not by `namedtuple`."""
    holder = next((base for base in cls.__mro__ if "__new__" in vars(base)), object)
    found: object = getattr(vars(holder)["__new__"], "__func__", vars(holder)["__new__"])
    if not isinstance(found, FunctionType) or found.__code__.co_filename.startswith("<string>"):
        return None
    return found


def why_not(cls: type) -> tuple[str, str] | None:
    """Why objects of a class are no values of a program, and the way out; None where they are."""
    if type(cls) not in (type, abc.ABCMeta) and type(cls).__module__ != "typing":
        return f"class {cls.__name__!r} has a metaclass", "use a class without a metaclass"
    for base in cls.__mro__:
        if package_of_class(base) is not None and not _is_known(base):
            return (
                f"class {cls.__name__!r} has the base {base.__name__!r}, which is not written in "
                "Python by a user", "keep such an object in an attribute, or pass what it holds",
            )  # fmt: skip
    if (name := refused_member(cls)) is not None:
        return f"class {cls.__name__!r} has a method {name!r}", _REFUSED[name]
    return None


def _is_known(base: type) -> bool:
    return base in (*_BASES, OrderedDict) or namespaces.is_base(base)


def plain_class(cls: type) -> bool:
    """Whether objects of a class are what a program can read: attributes, and methods in Python."""
    meta: type = type(cls)
    if meta not in (type, abc.ABCMeta) and meta.__module__ != "typing":
        return False
    for base in cls.__mro__:
        if base is dict and cls is not dict:
            continue  # its items are an attribute (`held_dicts`)
        ours = base.__module__.startswith("retrograd.") and base.__module__ not in _PROGRAMS
        if (ours or package_of_class(base) is not None) and not _is_known(base):
            return False
    return refused_member(cls) is None


def is_object(value: object) -> bool:
    """Whether a value is an object of a plain class."""
    if isinstance(value, _OURS) or type(value) is object:
        return False
    return type(value).__module__.partition(".")[0] != "numba" and plain_class(type(value))


def called(fun: Any) -> Any:
    """A callable object as its bound `__call__`; functions and the like as they are."""
    return fun.__call__ if is_object(fun) and callable(fun) else fun


def receiver_of(fun: object) -> object | None:
    """The object whose method a bound method in Python is; None of all else."""
    if isinstance(fun, MethodType) and isinstance(fun.__func__, FunctionType | Rerun | Reversible):
        return fun.__self__ if is_object(fun.__self__) else None
    return None


def is_outlet(obj: object) -> bool:
    """Whether it is a logger, or one of the streams to which programs print."""
    if obj is sys.stdout or obj is sys.stderr:
        return True
    return any((c.__module__, c.__name__) == ("logging", "Logger") for c in type(obj).__mro__)


def _slots(cls: type) -> Iterator[str]:
    for base in cls.__mro__:
        found: object = vars(base).get("__slots__", ())
        for name in (found,) if isinstance(found, str) else cast("Sequence[str]", found):
            if name not in ("__dict__", "__weakref__"):
                yield f"_{base.__name__.lstrip('_')}{name}" if _private(name) else name


def _private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def attributes(value: object) -> dict[str, object]:
    """What an object holds, by name, in the order of the names."""
    found: dict[str, object] = dict(getattr(value, "__dict__", {}))
    if is_held(type(value)):
        found[ITEMS] = items_of(value)
    for name in _slots(type(value)):
        try:
            found[name] = object.__getattribute__(value, name)
        except AttributeError:  # it is not assigned, which `__getattr__` is not asked about
            continue
    return {name: found[name] for name in sorted(found)}


def made(cls: type[Any], names: Sequence[str], items: Sequence[Any]) -> Any:
    """An object of that class with these attributes."""
    one = namespaces.new(cls) if namespaces.has_namespace(cls) else new(cls)
    for name, item in zip(names, items, strict=True):
        put_in(one, name, item)
    return one


def put_in(one: Any, name: str, item: Any) -> None:
    """Sets an attribute of an object, or the items of one that is a dict."""
    if name == ITEMS:
        put_items(one, item)
    else:
        object.__setattr__(one, name, item)
