"""Makes a failing program smaller, by its syntax tree: hypothesis does not shrink seeds."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.random.programs.module import RandomProgram

__all__ = ["reduce"]

Fails = Callable[[RandomProgram], bool]


def reduce(program: RandomProgram, fails: Fails, checks: int = 400) -> RandomProgram:
    """The smallest program found that still fails; `fails` says no to what is just broken."""
    tree = ast.parse(program.source)
    left = checks
    progress = True
    while progress and left > 0:
        progress = False
        position = 0
        while left > 0:
            found = _candidate(tree, position)
            if found is None:
                break
            left -= 1
            smaller = replace(program, source=ast.unparse(ast.fix_missing_locations(found)) + "\n")
            if len(smaller.source) < len(program.source) and fails(smaller):
                program, tree, progress = smaller, ast.parse(smaller.source), True
            else:
                position += 1
    return program


def _candidate(tree: ast.Module, position: int) -> ast.Module | None:
    """The tree with its `position`-th simplification, or nothing past the last."""
    fresh = copy.deepcopy(tree)
    for k, change in enumerate(_changes(fresh)):
        if k == position:
            change()
            return fresh
    return None


def _changes(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Simplifications of a tree, the biggest first."""
    owners = [node for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    for owner in owners:
        for name in ("orelse", "body"):
            yield from _statement_changes(getattr(owner, name, []))
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and name != "func":
                for smaller in _smaller(value):
                    yield _set(node, name, smaller)
            elif isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        for smaller in _smaller(item):
                            yield _put(value, k, smaller)


def _statement_changes(body: list[ast.stmt]) -> Iterator[Callable[[], None]]:
    for k, stm in enumerate(body):
        yield _splice(body, k, [] if len(body) > 1 else [ast.Pass()])
        inner = [*getattr(stm, "body", []), *getattr(stm, "orelse", [])]
        if inner and not isinstance(stm, (ast.FunctionDef, ast.ClassDef)):
            yield _splice(body, k, inner)


def _smaller(node: ast.expr) -> Iterator[ast.expr]:
    """Expressions that may stand for `node`: its parts and a constant."""
    if isinstance(node, (ast.Constant, ast.Name)) or not isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not isinstance(child, (ast.Slice, ast.Attribute)):
            yield child
    yield ast.Constant(0.5)


def _set(node: ast.AST, name: str, value: ast.expr) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _put(items: list[ast.expr], k: int, value: ast.expr) -> Callable[[], None]:
    return lambda: items.__setitem__(k, value)


def _splice(body: list[ast.stmt], k: int, new: list[ast.stmt]) -> Callable[[], None]:
    return lambda: body.__setitem__(slice(k, k + 1), new)
