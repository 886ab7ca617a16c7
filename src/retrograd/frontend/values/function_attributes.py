"""Attributes of functions that a program defines: `hit.terminal = True` after `def hit(..)`.

They are cells of the closure, beside those of the names that it captures, and begin with a dot. A
closure has one for each attribute that the function around it assigns under the closure's name.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from retrograd.frontend.values.kinds import UNBOUND, Closure, Unbound, Value
from retrograd.frontend.values.scopes import read_cell
from retrograd.frontend.values.tracer import Tracer

__all__ = ["attribute_cells", "function_attribute", "is_given", "set_function_attribute"]


@lru_cache(maxsize=1024)
def _assigned(
    around: ast.FunctionDef | ast.Lambda, node: ast.FunctionDef | ast.Lambda
) -> tuple[str, ...]:
    """The attributes that a function assigns under the name of one inside of it."""
    names = {node.name} if isinstance(node, ast.FunctionDef) else set[str]()
    found: list[tuple[str, str]] = []
    for inner in ast.walk(around):
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
                names.add(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()):
                found.append((name, attr))
            case _:
                pass
    return tuple(sorted({attr for name, attr in found if name in names}))


def attribute_cells(
    t: Tracer, around: ast.FunctionDef | ast.Lambda, node: ast.FunctionDef | ast.Lambda
) -> list[tuple[str, int]]:
    """Fresh cells for the attributes of a function."""
    return [(f".{name}", t.ctx.fresh()) for name in _assigned(around, node)]


def _cell(fun: Closure, name: str) -> int | None:
    return dict(fun.cells).get(f".{name}")


def is_given(t: Tracer, fun: Closure, name: str) -> bool:
    """Whether a function has an attribute on some path that leads here."""
    cell = _cell(fun, name)
    return cell is not None and not isinstance(t.state.cells.get(cell, UNBOUND), Unbound)


def function_attribute(t: Tracer, fun: Closure, name: str) -> Value:
    """An attribute that is given; what is not assigned on this path raises."""
    text = f"'function' object has no attribute '{name}'"
    return read_cell(t, dict(fun.cells)[f".{name}"], "AttributeError", text)


def set_function_attribute(t: Tracer, fun: Closure, name: str, value: Value) -> None:
    """`fun.name = value`."""
    cell = _cell(fun, name)
    if cell is None:
        raise t.error(
            "RG0101", f"assignment to the attribute {name!r} of a function under another name",
            "assign it in the function that defines this one, by the name it is defined with",
        )  # fmt: skip
    t.set_content(cell, value)
