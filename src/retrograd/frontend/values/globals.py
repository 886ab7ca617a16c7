"""Names of modules that a program assigns for a time.

They are settings: texts, flags and None, which decide what is translated. A function that is called
meanwhile is another one (`specialise`). When the program ends they are what they were; all else
that is assigned is the attribute of an object that stands for it (`identity.class_attributes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.identity.objects import is_object
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.tracer import State, Tracer
from retrograd.ir.terms import Lit
from retrograd.records import Itself

__all__ = ["assigned_global", "joined", "may_be_assigned", "must_be_restored", "set_global"]

Globals = Mapping[tuple[int, str], Value]


def set_global(t: Tracer, name: str, value: Value) -> None:
    """Assigns to a name of the function's module."""
    space = t.frame.origin.globals
    plain = isinstance(value, Static) and isinstance(value.obj, str | Enum | None)
    flag = isinstance(value, Scalar) and isinstance(value.atom, Lit) and not value.type.is_float
    if not (plain or flag) or name not in space:
        t.ctx.spaces[id(space)] = space
        raise _refused(t, (id(space), name))
    key = (id(space), name)
    t.ctx.spaces[id(space)] = space
    if _same(t, key, value, None):
        t.state.globals.pop(key, None)
    else:
        t.state.globals[key] = value


def assigned_global(t: Tracer, name: str) -> Value | None:
    """What the program has assigned to a name of the function's module; None if nothing."""
    return t.state.globals.get((id(t.frame.origin.globals), name))


def joined(t: Tracer, one: State, other: State) -> dict[tuple[int, str], Value]:
    """The names after two paths, which have to agree on them if both go on."""
    if one.raised or other.raised:
        return dict(other.globals if one.raised else one.globals)
    for key in one.globals.keys() | other.globals.keys():
        if one.globals.get(key) != other.globals.get(key):
            raise _refused(t, key)
    return dict(one.globals)


def must_be_restored(t: Tracer, before: Globals) -> None:
    """Refuses a function that ends with other names in a module than it began with."""
    for key in before.keys() | t.state.globals.keys():
        if before.get(key) != t.state.globals.get(key):
            raise _refused(t, key)


def _same(t: Tracer, key: tuple[int, str], one: Value | None, other: Value | None) -> bool:
    return _content(t, key, one) == _content(t, key, other)


def _content(t: Tracer, key: tuple[int, str], value: Value | None) -> tuple[str, Any]:
    """What a name holds; None stands for what it held before the program."""
    match value:
        case Static():
            found: Any = value.obj
        case Scalar(atom=Lit(value=number)):
            found = number
        case _:
            space = t.ctx.spaces[key[0]]
            found = space[key[1]]
            t.ctx.guard(found, "item", space, key[1])
    return type(found).__name__, found


_VALUES = (bool, int, float, complex, np.integer, np.bool_, str, tuple, list, dict, np.ndarray)
"""What may be assigned: no function, nor what looks things up."""


def may_be_assigned(held: object) -> bool:
    """Whether what a class or a module has under a name is a value, so another may be there."""
    return held is None or isinstance(held, _VALUES) or is_object(held)


def _refused(t: Tracer, key: tuple[int, str]) -> UserError:
    """The error of a name that is assigned; it is tried again where it may be written back."""
    space, name = t.ctx.spaces[key[0]], key[1]
    if name not in space:
        way_out = f"give the module that name: {name} = 0, outside of functions"
        return t.error("RG0101", f"the global {name!r}, which there is not, is assigned", way_out)
    if may_be_assigned(space[name]):
        t.ctx.assigned.add((Itself(space), name))
    return t.error(
        "RG0101", f"the global {name!r} is assigned in a compiled function",
        "return the new value, or keep it in an array",
    )  # fmt: skip
