"""The syntax of a generator function, made that of a function which returns a list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from retrograd.errors import Span, UserError

__all__ = ["collected"]

_NAME, _ITEM = ".yielded", ".each"
"""The list, and what another generator yields; no names of a program's."""

_NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def collected(node: ast.FunctionDef, span: Callable[[ast.AST], Span]) -> ast.FunctionDef:
    """Changes a copy of a generator function's syntax; UserError at what asks for more than a list.

    `yield value` appends, `return` and the end return the list.
    """
    change = _Collecting(span)
    body = [stm for old in node.body if isinstance(stm := change.visit(old), ast.stmt)]
    start = ast.Assign([ast.Name(_NAME, ast.Store())], ast.List([], ast.Load()))
    node.body = [_at(node, start), *body, _at(node.body[-1], _returned())]
    return node


def _at(place: ast.AST, node: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _appended(item: ast.expr) -> ast.stmt:
    append = ast.Attribute(ast.Name(_NAME, ast.Load()), "append", ast.Load())
    return ast.Expr(ast.Call(append, [item], []))


def _returned() -> ast.Return:
    return ast.Return(ast.Name(_NAME, ast.Load()))


@dataclass(slots=True)
class _Collecting(ast.NodeTransformer):
    """Puts appends in the place of `yield`, in the function itself and not in nested ones."""

    span: Callable[[ast.AST], Span]

    def visit(self, node: ast.AST) -> ast.AST:
        """The node that stands in the place of this one."""
        match node:
            case ast.Expr(value=ast.Yield(value=value)):
                what = ast.Constant(None) if value is None else self.generic_visit(value)
                assert isinstance(what, ast.expr)
                return _at(node, _appended(what))
            case ast.Return(value=None):
                return _at(node, _returned())
            case ast.Return():
                raise self.refusal(node, "a generator that returns a value", "yield it last")
            case ast.Yield():
                raise self.refusal(
                    node, "`yield` as an expression", "write `yield value` as a statement"
                )
            case ast.Expr(value=ast.YieldFrom(value=items)):
                items = self.generic_visit(items)
                assert isinstance(items, ast.expr)
                added = _appended(ast.Name(_ITEM, ast.Load()))
                return _at(node, ast.For(ast.Name(_ITEM, ast.Store()), items, [added], []))
            case ast.YieldFrom():
                raise self.refusal(
                    node, "`yield from` as an expression", "write `yield from ...` as a statement"
                )
            case _:
                return node if isinstance(node, _NESTED) else self.generic_visit(node)

    def refusal(self, node: ast.AST, what: str, way_out: str) -> UserError:
        """The error of what a list cannot stand for."""
        return UserError("RG0101", what, self.span(node), way_out)
