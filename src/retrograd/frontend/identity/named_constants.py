"""The extents of arrays that a function names as constants: what its arguments may have as well.

A lattice with nineteen velocities, `VELOCITIES`, is given arrays with nineteen populations for each
cell. A program for just these is shorter and faster, and there is no other number that such an
extent could be: so an argument's extent that a constant has, too, is part of what a program is for
(`specs.Met`). Whether that is so, only names are asked: nothing that is found here, or overlooked,
changes what a program means.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from retrograd.frontend.identity.specs import CACHED, SMALL_CONSTANT, python_of
from retrograd.frontend.identity.surroundings import ABSENT, find, package_of
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed, Vectorised

__all__ = ["constant_extents"]

_MOST_FUNCTIONS = 256
"""So many functions are looked at for one that is called."""


def constant_extents(fun: object) -> frozenset[int]:
    """The extents, up to `SMALL_CONSTANT`, of arrays that `fun` and the functions that it names
    look up in modules and closures by names in capitals."""
    plain = _plain(fun)
    if plain is None:
        return frozenset()
    found = _FOUND.get(plain)
    if found is None:
        found = _FOUND[plain] = _extents(plain)
    return found


_FOUND: WeakKeyDictionary[FunctionType, frozenset[int]] = WeakKeyDictionary()
"""Functions that have been looked at; they and what they enclose are not kept for that."""


def _extents(function: FunctionType) -> frozenset[int]:
    found: set[int] = set()
    queue, seen = [function], {id(function)}
    while queue and len(seen) <= _MOST_FUNCTIONS:
        for name, obj in _named(queue.pop()):
            if isinstance(obj, np.ndarray):
                if name.isupper():
                    found.update(cast("np.ndarray[Any, Any]", obj).shape)
                continue
            for inner in _functions(obj):
                if id(inner) not in seen and package_of(inner) is None:
                    seen.add(id(inner))
                    queue.append(inner)
    return frozenset(n for n in found if n <= SMALL_CONSTANT)


def _plain(fun: object) -> FunctionType | None:
    """The Python function that is called in the end; None of what is no function."""
    match fun:
        case FunctionType():
            return fun
        case Transformed() | Vectorised() | Rerun() | Ruled():
            return _plain(fun.fun)
        case MethodType():
            return _plain(fun.__func__)
        case partial():
            return _plain(cast("partial[Any]", fun).func)
        case _ if type(fun) is CACHED:
            return _plain(cast("Any", fun).__wrapped__)
        case _:
            return python_of(fun)


def _functions(obj: object) -> list[FunctionType]:
    """The functions that a value is, or a class has."""
    if isinstance(obj, type):
        of_class = vars(obj).values()
        return [member for member in of_class if isinstance(member, FunctionType)]
    plain = _plain(obj)
    return [] if plain is None else [plain]


def _named(function: FunctionType) -> Iterator[tuple[str, object]]:
    """What a function names: in its module, in modules that are named there, in its closure."""
    names = list(dict.fromkeys(_names(function.__code__)))
    space = function.__globals__
    for name in names:
        obj: object = space.get(name)
        yield name, obj
        if isinstance(obj, ModuleType):
            for inner in names:
                yield inner, vars(obj).get(inner)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        obj = find("cell", cell, name)
        if obj is not ABSENT:
            yield name, obj


def _names(code: CodeType) -> Iterator[str]:
    """The names that code looks up in modules and objects, with functions inside of it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
