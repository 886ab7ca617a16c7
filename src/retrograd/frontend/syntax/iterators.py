"""Iterators that are given a name, returned, or handed to a function."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import FunctionType, GeneratorType
from typing import Any, cast

from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.values.iterators import iterator_of
from retrograd.frontend.values.kinds import Closure, Enumerate, Static, Value, Zip
from retrograd.frontend.values.tracer import Tracer

__all__ = ["given", "kept"]


def kept(t: Tracer, node: ast.expr, value: Value, stm: ast.stmt | None = None) -> Value:
    """The value of an expression that is used later: an iterator gives its items once.

    `stm` is the assignment that gives it a name.
    """
    match node, value:
        case (_, Zip()):
            return iterator_of(t, zip, value)
        case (_, Enumerate()):
            return iterator_of(t, enumerate, value)
        case (ast.GeneratorExp(), _):
            if stm is None or not _used_at_once(t, stm):
                raise t.error(
                    "RG0101", "a generator expression that is kept",
                    "write a list, [...], or use the generator in the next statement, once",
                )  # fmt: skip
            return iterator_of(t, GeneratorType, value)
        case (ast.Call(func=ast.Name(id="reversed") as name), _) if t.eval(name) == Static(
            builtins.reversed
        ):
            return iterator_of(t, reversed, value)
        case _:
            return value


def given(t: Tracer, node: ast.expr, value: Value, fun: Value) -> Value:
    """An argument of a function: one of the user's may iterate over it twice."""
    match fun:
        case Closure():
            pass
        case Static(obj=FunctionType() as function):
            if package_of(function) is not None or id(function) in t.ctx.engine.library:
                return value
        case _:
            return value
    if isinstance(node, ast.GeneratorExp):
        return iterator_of(t, GeneratorType, value)
    return kept(t, node, value)


def _used_at_once(t: Tracer, stm: ast.stmt) -> bool:
    """Whether the next statement, and nothing else, uses the name that is assigned."""
    match stm:
        case ast.Assign(targets=[ast.Name(id=name)]):
            pass
        case _:
            return False
    loads = [
        node for node in ast.walk(t.frame.source.node)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]  # fmt: skip
    for body in _blocks(t.frame.source.node):
        for one, following in pairwise(body):
            if one is stm and not isinstance(following, ast.For | ast.While | ast.If | ast.Try):
                return len(loads) == 1 and any(node is loads[0] for node in ast.walk(following))
    return False


def _blocks(root: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    for node in ast.walk(root):
        for name in ("body", "orelse", "finalbody"):
            block: Any = getattr(node, name, None)
            if isinstance(block, list):
                yield cast("list[ast.stmt]", block)
