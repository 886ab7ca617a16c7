"""From generated syntax to a Python function that stands where the user's stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CellType, CodeType, FunctionType

from retrograd.frontend.identity.source import Generated, generated

__all__ = ["function_of"]

_OUTER = "rg_outer"


def function_of(
    node: ast.FunctionDef, original: FunctionType, inserted: Mapping[str, object],
    defaults: bool = True,
) -> FunctionType:  # fmt: skip
    """A function with this syntax, and with the globals and cells of another.

    Args:
        node: its syntax, with places of the user's file.
        original: the user's function.
        inserted: objects under names that only this text uses: they become cells.
        defaults: whether it has the default values of the original.
    """
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    outside = [ast.arg(name) for name in (*inserted, *cells)]
    empty = ast.arguments(posonlyargs=[], args=outside, kwonlyargs=[], kw_defaults=[], defaults=[])
    result = ast.Return(ast.Name(node.name, ast.Load()))
    outer = ast.FunctionDef(_OUTER, empty, [node, result], [])
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    top = compile(tree, original.__code__.co_filename, "exec", dont_inherit=True)
    code = _inner(_inner(top, _OUTER), node.name)
    held = {name: CellType(obj) for name, obj in inserted.items()}
    closure = tuple(held[n] if n in held else cells[n] for n in code.co_freevars)
    made = FunctionType(
        code, original.__globals__, node.name, original.__defaults__ if defaults else None, closure
    )
    made.__kwdefaults__ = original.__kwdefaults__
    made.__module__, made.__doc__ = original.__module__, original.__doc__
    made.__qualname__ = original.__qualname__.removesuffix(original.__name__) + node.name
    return generated(made, Generated(original.__code__.co_filename, node, tree))


def _inner(code: CodeType, name: str) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == name:
            return constant
    raise AssertionError(f"no code of {name!r}")
