"""Assignment to names, elements and patterns of them."""

from __future__ import annotations

import ast
import sys
from abc import ABCMeta
from collections.abc import Sequence
from types import FunctionType, ModuleType

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.identity.class_attributes import holder_of
from retrograd.frontend.identity.lazily import gathered
from retrograd.frontend.identity.objects import package_of_class
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.complexes import set_part
from retrograd.frontend.library.instances import set_attribute
from retrograd.frontend.syntax import lists, subscript
from retrograd.frontend.syntax.flat_places import to_elements
from retrograd.frontend.values.arrays import Slice, read, value_atom, write
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.function_attributes import set_function_attribute
from retrograd.frontend.values.globals import may_be_assigned
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.iterators import unwrapped
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Closure,
    ComplexValue,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    with_parts,
)
from retrograd.frontend.values.lists import arrays, content_of, current, parts_of, sized
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.scopes import assign_name, assigned_name, class_attribute
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import ilit
from retrograd.records import Itself

__all__ = ["assign", "assign_attribute", "taken_first"]


def assign(t: Tracer, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    value = current(t, value)
    match target:
        case ast.Name():
            assign_name(t, target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(t, target.elts, value)
        case ast.Subscript():
            with t.at(target):
                to_elements(t, target, lambda node: subscript.assign(t, node, value))
        case ast.Attribute():
            with t.at(target):
                text = f"'NoneType' object has no attribute '{target.attr}'"
                owner = sure(t, t.eval(target.value), text, "AttributeError")
                assign_attribute(t, owner, t.frame.source.mangled(target.attr), value)
        case _:
            raise t.error(
                "RG0101",
                "this assignment target is not accepted",
                "assign to a name, an element `x[i]`, an attribute, or a tuple of these",
            )


def assign_attribute(t: Tracer, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`."""
    if isinstance(owner, ComplexValue):
        set_part(t, owner, name, value)
        return
    if isinstance(owner, Closure):
        set_function_attribute(t, owner, name, value)
        return
    if isinstance(owner, ArrayRef) and name == "real":
        write(t, owner, value_atom(t, t.call(Static(np.asarray), (value,), {})))
        return
    if isinstance(owner, Static) and isinstance(owner.obj, type):
        _assign_to_class(t, owner.obj, name, value)
        return
    if isinstance(owner, Static) and isinstance(owner.obj, ModuleType):
        _assign_to_module(t, owner.obj, name, value)
        return
    if isinstance(owner, Static) and isinstance(owner.obj, FunctionType):
        _assign_to_function(t, owner.obj, name, value)
        return
    if not isinstance(owner, Instance):
        raise t.error(
            "RG0101", f"assignment to the attribute {name!r} of {describe(owner)}",
            "build a new one",
        )  # fmt: skip
    set_attribute(t, owner, name, value)


def _assign_to_module(t: Tracer, module: ModuleType, name: str, value: Value) -> None:
    """`module.name = value`, of a module of the user's that has that name."""
    space = vars(module)
    if (place := assigned_name(t, space, name)) is not None:
        t.set_content(place.cell("value"), value)
        return
    if _is_of_user(module) and may_be_assigned(space.get(name, module)):
        t.ctx.assigned.add((Itself(space), name))
    raise t.error(
        "RG0101",
        f"{name!r} of the module {module.__name__!r} is assigned in a compiled function",
        f"give a module of yours that name, {name} = 0, or return the new value",
    )


def _assign_to_function(t: Tracer, function: FunctionType, name: str, value: Value) -> None:
    """`f.name = value`, of a function from outside that has that attribute."""
    space = vars(function)
    if (place := assigned_name(t, space, name)) is not None:
        t.set_content(place.cell("value"), value)
        return
    if may_be_assigned(space.get(name, function)) and package_of(function) is None:
        t.ctx.assigned.add((Itself(space), name))
    raise t.error(
        "RG0101", f"the attribute {name!r} of the function {function.__name__!r} is assigned in a "
        "compiled function",
        f"assign it once outside, {function.__name__}.{name} = 0, or return the new value",
    )  # fmt: skip


def _is_of_user(module: ModuleType) -> bool:
    package = module.__name__.partition(".")[0]
    return package not in ("numpy", "scipy", "retrograd", *sys.stdlib_module_names)


def _assign_to_class(t: Tracer, cls: type, name: str, value: Value) -> None:
    """`cls.name = value`, of a class of the user's that has that attribute itself, as a value."""
    place = class_attribute(t, cls, name)
    if place is not None and holder_of(cls, name) is cls:
        t.set_content(place.cell("value"), value)
        return
    if (
        may_be_assigned(vars(cls).get(name, cls))
        and type(cls) in (type, ABCMeta)
        and package_of_class(cls) is None
    ):
        t.ctx.assigned.add((cls, name))
    raise t.error(
        "RG0101",
        f"the attribute {name!r} of the class {cls.__name__!r} is assigned in a compiled function",
        f"give the class that attribute where it is defined, {name} = 0, or keep it in the object",
    )


def _unpack(t: Tracer, targets: Sequence[ast.expr], value: Value) -> None:
    value = sure(t, value, "cannot unpack non-iterable NoneType object")
    starred = [k for k, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred:
        value = unwrapped(t, value)
    if starred and isinstance(value, Instance) and _in_buffers(t, value):
        _unpack_list(t, targets, starred[0], value)
        return
    items = _items(t, value, len(targets), bool(starred))
    if items is None:
        _unpack(t, targets, t.call(Static(gathered), [value], {}))
        return
    if not starred:
        if len(items) != len(targets):
            message = f"{describe(value)} is unpacked into {len(targets)} names"
            way_out = "use as many names as there are items"
            raise t.error("RG0104", message, way_out, ValueError)
        for target, item in zip(targets, items, strict=True):
            assign(t, target, item)
        return
    k, tail = starred[0], len(targets) - starred[0] - 1
    if len(items) < len(targets) - 1:
        raise t.error("RG0104", f"{describe(value)} has too few items to unpack",
                      "use as many names as there are items", python=ValueError)  # fmt: skip
    end = len(items) - tail
    for target, item in zip(targets[:k], items[:k], strict=True):
        assign(t, target, item)
    star = targets[k]
    if isinstance(star, ast.Starred):
        assign(t, star.value, thawed(t, TupleValue(tuple(items[k:end]), list)))
    for target, item in zip(targets[k + 1 :], items[end:], strict=True):
        assign(t, target, item)


def taken_first(t: Tracer, target: ast.expr, node: ast.expr, value: Value) -> Value:
    """What is assigned to several places, before any of them changes.

    Rows of a list of lists are views of it, so they are copied. Where the statement exchanges the
    items of places, each row is there once afterwards; else the copies are linked with the list.
    """
    many = isinstance(target, ast.Tuple | ast.List)
    if not many or all(isinstance(one, ast.Name) for one in target.elts):
        return value
    return _apart(t, value, _exchanges(t, target, node))


def _apart(t: Tracer, value: Value, moved: bool) -> Value:
    match value:
        case TupleValue():
            return with_parts(value, tuple(_apart(t, one, moved) for one in value.items))
        case ArrayRef() if moved:
            return t.new(t.prim("copy", read(t, value)))
        case Instance() if _in_buffers(t, value):
            rows, _ = parts_of(content_of(t, value))
            if all(row.view is None for row in arrays(rows)):
                return value
            made = lists.copied(t, value)
            copies, _ = parts_of(content_of(t, made))
            for copy, row in zip(arrays(copies), arrays(rows), strict=True):
                if not moved:
                    t.state.follow(copy.loc, row.loc)
            return made
        case _:
            return value


_PURE = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute, ast.operator,
    ast.unaryop, ast.expr_context,
)  # fmt: skip


def _exchanges(t: Tracer, target: ast.Tuple | ast.List, node: ast.expr) -> bool:
    """Whether items of lists in buffers are assigned to the same places in another order."""
    if not isinstance(node, ast.Tuple | ast.List) or _texts(target.elts) != _texts(node.elts):
        return False
    for place in node.elts:
        pure = all(isinstance(part, _PURE) for part in ast.walk(place))
        owner = t.eval(place.value) if isinstance(place, ast.Subscript) and pure else None
        if not isinstance(owner, Instance) or not _in_buffers(t, owner):
            return False
    return True


def _texts(places: Sequence[ast.expr]) -> list[str]:
    return sorted(map(ast.unparse, places))


def _in_buffers(t: Tracer, value: Instance) -> bool:
    return value.cls is list and content_of(t, value).cls is ListBuffer


def _unpack_list(t: Tracer, targets: Sequence[ast.expr], k: int, owner: Instance) -> None:
    """`a, *b, c = owner` of a list of run-time length."""
    tail = len(targets) - k - 1
    enough = t.prim("ge", sized(t, owner).atom, ilit(k + tail))
    message = f"not enough values to unpack (expected at least {k + tail})"
    t.check(enough, "ValueError", message)
    places = [*range(k), *range(-tail, 0)]
    items = [lists.get(t, owner, lists.locate(t, owner, Scalar(ilit(p)))) for p in places]
    stop = Scalar(t.prim("sub", sized(t, owner).atom, ilit(tail)), nonneg=True)
    rest = lists.get_slice(t, owner, Slice(Scalar(ilit(k)), stop, None))
    star = targets[k]
    assert isinstance(star, ast.Starred)
    for target, item in zip((*targets[:k], *targets[k + 1 :]), items, strict=True):
        assign(t, target, item)
    assign(t, star.value, rest)


def _items(t: Tracer, value: Value, count: int, starred: bool) -> tuple[Value, ...] | None:
    """What is unpacked; None where `*` takes a part of what an object gives, who knows how much."""
    steps = steps_of(t, value)
    found = steps.all() if starred else steps.known
    if found is not None:
        return tuple(current(t, item) for item in found)
    if starred and isinstance(value, Instance) and steps.at is not None:
        return None
    if starred or steps.at is None:
        raise t.error("RG0101", f"{describe(value)} is unpacked with `*`", "index it instead")
    at = steps.at
    same = t.prim("eq", steps.trips, ilit(count))
    t.check(same, "ValueError", f"expected {count} values to unpack")
    return tuple(at(Scalar(ilit(k))) for k in range(count))
