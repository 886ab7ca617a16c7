"""Names: variables of the function, captured variables, and what stands in modules.

Functions, modules and types are baked in and guarded. Numbers and arrays of modules and closures
become *hidden* arguments, read at every call.
"""

from __future__ import annotations

import builtins
import math
import os
import re
import sys
import threading
from enum import Enum
from types import CellType, ModuleType, UnionType
from typing import Any, TypeVar, cast

import numpy as np

from retrograd.errors import Span
from retrograd.frontend.identity.class_attributes import (
    ClassAttribute,
    holder_of,
    of_class,
    of_name,
)
from retrograd.frontend.identity.flattening import has_lists, leaf_types, trees_in
from retrograd.frontend.identity.lookups import DATA, STATIC, VALUE
from retrograd.frontend.identity.objects import is_object, is_outlet
from retrograd.frontend.identity.specs import Met, spec_of
from retrograd.frontend.identity.surroundings import ABSENT
from retrograd.frontend.identity.transformed import Baked
from retrograd.frontend.values.baked import with_numbers
from retrograd.frontend.values.globals import assigned_global, may_be_assigned, set_global
from retrograd.frontend.values.kinds import (
    UNBOUND,
    Instance,
    Maybe,
    Scalar,
    Static,
    TupleValue,
    Unbound,
    Undef,
    Value,
)  # fmt: skip
from retrograd.frontend.values.tracer import (
    Context,
    Frame,
    Hidden,
    NeedHidden,
    NeedModules,
    PathEnds,
    Tracer,
)
from retrograd.ir.terms import false, flit, ilit, true
from retrograd.ir.types import F64
from retrograd.options.checkpointing import Checkpointing
from retrograd.records import Itself

__all__ = [
    "assign_name", "assigned_name", "class_attribute", "is_space", "lift", "literal",
    "module_attribute", "prescan", "read_cell", "read_if_assigned",
    "read_name",
]  # fmt: skip

_CONSTANTS = (math, np)
_NAMES_OF_TYPES = str | np.dtype | np.finfo | np.iinfo | Enum | UnionType | TypeVar
_OF_MACHINE = (sys.float_info, os.environ)


def literal(value: bool | int | float) -> Scalar:
    """A Python number as a literal."""
    match value:
        case bool():
            return Scalar(true if value else false)
        case int():
            return Scalar(ilit(value))
        case float():
            return Scalar(flit(value))


def is_space(obj: object) -> bool:
    """Whether an object stands for a module: its class says itself what attributes there are.

    So do a thread's own variables, which are those of the thread that translates. An object that
    holds numbers, of a class that is written in Python, is an object as any other.
    """
    if isinstance(obj, type):
        return False
    every = type(obj).__mro__
    if threading.local in every:
        return True
    if not any("__getattr__" in vars(cls) for cls in every):
        return False
    return not is_object(obj) or not any(True for _ in leaf_types(spec_of(obj)))


def _is_data(ctx: Context, obj: object) -> bool:
    """Whether an object is numbers, read at every call, rather than baked in."""
    if is_object(obj):
        return not is_space(obj)
    if obj is None or obj is Ellipsis or type(obj) is object:
        return False
    if isinstance(obj, _NAMES_OF_TYPES) or callable(obj):
        return False
    if isinstance(obj, ModuleType | Checkpointing | Enum | Baked) or is_space(obj):
        return False
    if type(obj).__name__ == "MaskedConstant":  # `np.ma` is loaded by naming it
        return False
    if is_outlet(obj) or type(obj) is re.Pattern or any(obj is one for one in _OF_MACHINE):
        return False
    return id(obj) not in ctx.engine.library


def lift(
    t: Tracer, obj: object, kind: str, holder: Any, name: str, *, guarded: bool = True
) -> Value:
    """What was found outside: a hidden argument, or an object that is baked in (and guarded)."""
    data = _is_data(t.ctx, obj)
    t.recorder.ask(kind, holder, name, DATA if data else STATIC)
    if not data:
        if guarded:
            t.guard(obj, kind, holder, name)
        return Static(obj)
    literal, opens = t.ctx.way.literals, t.ctx.way.opens
    spec = spec_of(obj, f"{name!r}", t.span, Met.read(name, literal, opens))
    t.ctx.openable = t.ctx.openable or has_lists(spec)
    t.ctx.has_trees = t.ctx.has_trees or any(True for _ in trees_in(spec))
    hidden = Hidden(kind, holder, name, spec, literal, opens)
    if any(type_.is_scalar and type_ != F64 for type_ in leaf_types(spec)):
        t.ctx.numbered.add(hidden.key)
    if hidden.key in t.frame.hidden:
        return with_numbers(t, hidden)
    raise NeedHidden(hidden)


def class_attribute(t: Tracer, cls: type, name: str) -> Instance | None:
    """What stands for an attribute of a class that the program assigns; None of all others."""
    holder = holder_of(cls, name)
    if holder is None or (holder, name) not in t.ctx.way.assigns:
        return None
    return _place(t, "class", holder, name, of_class(holder, name))


def assigned_name(t: Tracer, holder: Any, name: str) -> Instance | None:
    """What stands for a name of a module, or of a closure's cell, that the program assigns."""
    if (Itself(holder), name) not in t.ctx.way.assigns:
        return None
    return _place(t, "name", holder, name, of_name(holder, name))


def _place(t: Tracer, kind: str, holder: Any, name: str, obj: ClassAttribute) -> Instance:
    literal, opens = t.ctx.way.literals, t.ctx.way.opens
    spec = spec_of(obj, f"{name!r}", t.span, Met.read(name, literal, opens))
    t.ctx.openable = t.ctx.openable or has_lists(spec)
    hidden = Hidden(kind, holder, name, spec, literal, opens)
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    place = t.frame.hidden[hidden.key]
    assert isinstance(place, Instance)
    return place


def module_attribute(t: Tracer, module: object, name: str) -> Value:
    """`module.name`, of a module, a class or what stands for a module."""
    missing = object()
    if isinstance(module, type) and (place := class_attribute(t, module, name)) is not None:
        return t.content(place.cell("value"))
    if isinstance(module, ModuleType):
        assigned = t.state.globals.get((id(vars(module)), name))
        if assigned is not None:
            return assigned
        if (place := assigned_name(t, vars(module), name)) is not None:
            return t.content(place.cell("value"))
    loaded = _is_loaded(module, name)
    obj: object = getattr(module, name, missing)
    if not loaded and _is_loaded(module, name):
        raise NeedModules  # its functions are in no table yet
    if obj is missing:
        message = f"{_titled(module)} has no attribute {name!r}"
        way_out = "see how it is spelt, and which version is installed"
        raise t.error("RG0107", message, way_out, python=AttributeError)
    if module in _CONSTANTS and isinstance(obj, float):
        t.recorder.ask("attribute", module, name, VALUE)
        t.guard(obj, "attribute", module, name)
        return Scalar(flit(obj))
    return lift(t, obj, "attribute", module, name)


def _is_loaded(module: object, name: str) -> bool:
    """Whether there is a module within a module, which may be loaded where it is named."""
    return isinstance(module, ModuleType) and f"{module.__name__}.{name}" in sys.modules


def _titled(module: object) -> str:
    if isinstance(module, ModuleType | type):
        return f"module {module.__name__!r}"
    return f"an object of class {type(module).__name__!r}"


def _cell_of(frame: Frame, name: str) -> CellType | None:
    return frame.origin.cells.get(name)


def _content_of(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return Unbound


def _constant(obj: object) -> Value | None:
    """Numbers in a module of ours: tables of coefficients."""
    if isinstance(obj, bool | int | float):
        return literal(obj)
    if isinstance(obj, tuple) and obj and not isinstance(obj[0], str):
        items = [_constant(item) for item in cast("tuple[object, ...]", obj)]
        return TupleValue(tuple(item for item in items if item is not None))
    return None


def _outside(t: Tracer, name: str) -> Value:
    """A name that is not one of the program's variables."""
    cell = _cell_of(t.frame, name)
    if cell is not None:
        if (place := assigned_name(t, cell, name)) is not None:
            return t.content(place.cell("value"))
        try:
            content: object = cell.cell_contents
        except ValueError:
            raise t.error(
                "RG0105",
                f"{name!r} is read before it is assigned",
                f"assign {name!r} before this function is called",
            ) from None
        return lift(t, content, "cell", cell, name)
    space = t.frame.origin.globals
    if t.frame.origin.ours and (known := _constant(space.get(name))) is not None:
        return known
    if (assigned := assigned_global(t, name)) is not None:
        return assigned
    if (place := assigned_name(t, space, name)) is not None:
        return t.content(place.cell("value"))
    if name in space:
        return lift(t, space[name], "item", space, name)
    t.recorder.ask("item", space, name, STATIC)
    t.recorder.ask("attribute", builtins, name, STATIC)
    missing = object()
    obj: object = getattr(builtins, name, missing)
    if obj is missing:
        raise t.error(
            "RG0105",
            f"the name {name!r} is not defined",
            f"define {name}, or import it",
            python=NameError,
        )
    t.guard(ABSENT, "item", space, name)
    t.guard(obj, "attribute", builtins, name)
    return Static(obj)


def prescan(ctx: Context, frame: Frame, names: frozenset[str]) -> list[Hidden]:
    """The hidden arguments that the names of a function say it will need."""
    found: list[Hidden] = []
    if frame.origin.ours:
        return found
    for name in sorted(names - frame.scope.local - frame.outer.keys()):
        cell = _cell_of(frame, name)
        space = frame.origin.globals
        span: Span | None = None
        if cell is not None:
            try:
                obj: object = cell.cell_contents
            except ValueError:
                continue
            kind: str = "cell"
            holder: Any = cell
        elif name in space:
            obj, kind, holder = space[name], "item", space
        else:
            continue
        if (Itself(holder), name) in ctx.way.assigns:
            continue
        if _is_data(ctx, obj) and _accepted(obj):
            ctx.recorder.ask(kind, holder, name, DATA)
            found.append(
                Hidden(kind, holder, name, spec_of(obj, f"{name!r}", span, Met.read(name)))
            )
    return found


def _accepted(obj: object) -> bool:
    """Whether it is worth reading early; anything else is judged where it is used."""
    return isinstance(obj, bool | int | float | complex | np.ndarray)


def read_name(t: Tracer, name: str) -> Value:
    """The value of a name."""
    cell = t.frame.locals.get(name, t.frame.outer.get(name))
    if cell is None:
        return _outside(t, name)
    if isinstance(t.state.cells.get(cell, UNBOUND), Unbound):
        message = f"{name!r} is read before it is assigned"
        raise PathEnds(t.error("RG0105", message, "assign it on every path that leads here"))
    text = f"cannot access local variable {name!r} where it is not associated with a value"
    return read_cell(t, cell, "UnboundLocalError", text)


def read_if_assigned(t: Tracer, name: str) -> Value:
    """The value of a local; whatever stands there where it has not been assigned."""
    value = t.content(t.frame.locals[name]) if name in t.frame.locals else None
    return value.value if isinstance(value, Maybe) else read_name(t, name)


def read_cell(t: Tracer, cell: int, kind: str, message: str) -> Value:
    """What a cell holds, which is assigned on some path; on the others that exception is raised."""
    value = t.content(cell)
    match value:
        case Undef():
            raise PathEnds
        case Maybe():
            t.check(value.flag, kind, message)
            t.state.cells[cell] = value.value
            return value.value
        case _:
            return value


def assign_name(t: Tracer, name: str, value: Value) -> None:
    """`name = value`."""
    if name in t.frame.module_names:
        if (place := assigned_name(t, t.frame.origin.globals, name)) is not None:
            t.set_content(place.cell("value"), value)
            return
        set_global(t, name, value)
        return
    cell = t.frame.locals.get(name, t.frame.outer.get(name))
    if cell is None:
        outer = _cell_of(t.frame, name)
        if outer is not None and (place := assigned_name(t, outer, name)) is not None:
            t.set_content(place.cell("value"), value)
            return
        if outer is not None and may_be_assigned(_content_of(outer)):
            t.ctx.assigned.add((Itself(outer), name))
        raise t.error(
            "RG0101",
            f"{name!r} belongs to a function outside of the program, and is assigned",
            "return the new value instead",
        )
    t.state.cells[cell] = value
