"""The attributes that objects of a class have, from its text, and what the class itself has."""

from __future__ import annotations

import ast
import dataclasses
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity import namespaces
from retrograd.frontend.identity.held_dicts import METHODS
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.objects import package_of_class, refused_member
from retrograd.frontend.identity.source import FunctionSource, is_coroutine
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.identity.transformed import Rerun, Reversible
from retrograd.frontend.values.tracer import Tracer

__all__ = ["ORDER", "holds_names", "layout", "member_of", "set_in"]

ORDER = ".order"
"""The attribute that has the names of the others in the order in which they were assigned."""


def member_of(t: Tracer, cls: type, name: str) -> object:
    """What a class, or a base of it, has under a name; None where there is nothing."""
    holder = next((base for base in cls.__mro__ if name in vars(base)), None)
    if holder is None or holder is object:
        return None
    if holder is dict or holder is OrderedDict:
        return METHODS.get(name)
    if namespaces.is_base(holder):
        return namespaces.METHODS.get(name)
    found = vars(holder)[name]
    own = cast("type[Any]", type(found))
    known = isinstance(found, Rerun | Reversible) or package_of_class(own) is not None
    if not known and refused_member(own) in ("__get__", "__set__"):
        raise t.error(
            "RG0101", f"{name!r} of class {cls.__name__!r} is a descriptor of a class of its own",
            "use a property",
        )  # fmt: skip
    t.ctx.recorder.ask("attribute", cls, name, STATIC)
    t.ctx.guard(getattr(cls, name), "attribute", cls, name)
    return found


def _functions(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """The functions that stand in a class and its bases, the bases first."""
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            found = member.fset if isinstance(member, property) else member
            while isinstance(found, Rerun | Reversible):
                found = found.fun
            if isinstance(found, FunctionType) and package_of(found) is None:
                yield name, found


def _stored(source: FunctionSource) -> Iterator[str]:
    """The attributes of its first parameter that a method assigns to."""
    return map(source.mangled, _assigned(source.node))


@lru_cache(maxsize=1024)
def _assigned(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    """The same, as they are written; every program with objects of a class asks for them."""
    every = [*node.args.posonlyargs, *node.args.args]
    if not every:
        return ()
    own, found = every[0].arg, list[str]()
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name == own:
                found.append(inner.attr)
            case _:
                pass
    return tuple(found)


@lru_cache(maxsize=1024)
def set_in(node: ast.AST) -> tuple[str, ...]:
    """The attributes that the text of a function assigns to, of whatever it may be."""
    every = (inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
    return tuple(inner.attr for inner in every if isinstance(inner.ctx, ast.Store))


def layout(t: Tracer, cls: type) -> tuple[str, ...]:
    """The names of the attributes of a class's objects, from the text of the class alone."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        slots: object = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else cast("Sequence[str]", slots):
            found[name] = None
    if dataclasses.is_dataclass(cast("object", cls)):
        found.update(dict.fromkeys(f.name for f in dataclasses.fields(cast("Any", cls))))
    for name, function in _functions(cls):
        if name.startswith("__") and function.__code__.co_filename == "<string>":
            continue  # what `dataclass` has written
        if is_coroutine(function):
            continue  # what the program cannot call, but an object may have
        member_of(t, cls, name)
        for attribute in _stored(t.ctx.sources.as_written(function, t.span)):
            if not isinstance(vars(cls).get(attribute), property):
                found[attribute] = None
    for base in cls.__mro__:
        cached = (
            name for name, member in vars(base).items() if isinstance(member, cached_property)
        )
        found.update(dict.fromkeys(cached))
    found.update(dict.fromkeys(name for own, name in t.ctx.way.added if own is cls))
    if cls in t.ctx.way.ordered:
        found[ORDER] = None
    return tuple(sorted(found))


def holds_names(cls: type[Any]) -> bool:
    """Whether objects of a class may have attributes that its text does not name."""
    return cls.__dictoffset__ != 0
