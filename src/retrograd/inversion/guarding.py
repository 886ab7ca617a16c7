"""Expressions of reversible functions with tests of what they may not do.

Calls of the user's functions leave their arguments as they are; a local that is built up shares no
memory with what it begins with.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Protocol

import numpy as np

from retrograd.frontend.identity.surroundings import package_of
from retrograd.inversion import support
from retrograd.inversion.places import MUTATORS, reads, root_of, text
from retrograd.inversion.prepare import like, load

__all__ = ["Guarded", "Tests"]

_METHODS = frozenset(dir(np.ndarray)) - MUTATORS
_NEW = (
    np.array, np.copy, np.empty, np.empty_like, np.full, np.full_like, np.ones, np.ones_like,
    np.zeros, np.zeros_like, np.arange, np.linspace, np.eye, np.sum, np.dot, np.mean, np.outer,
    np.concatenate, np.where, float, int, bool, len, sum, abs, min, max,
)  # fmt: skip
"""Functions of which the result shares no memory with anything."""


class Tests(Protocol):
    """What writes tests: `Writer`."""

    checked: bool
    resolve: Callable[[ast.AST], object]

    def helper(self, obj: object, hint: str, node: ast.AST, *args: ast.expr) -> ast.Call: ...
    def unless(self, condition: ast.expr, node: ast.AST, *message: str | ast.expr) -> ast.stmt: ...


class Guarded(ast.NodeTransformer):
    """Puts tests into expressions and statements; `changing` are locals that are built up."""

    def __init__(self, tests: Tests, changing: frozenset[str] = frozenset()) -> None:
        self.tests, self.changing = tests, changing

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        args = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not self.tests.checked or not any(map(_may_be_lent, args)) or not self._unknown(node):
            return node
        made = self.tests.helper(support.pure, "pure", node, node.func, *node.args)
        made.keywords = node.keywords
        return made

    def _unknown(self, node: ast.Call) -> bool:
        """Whether a call may change its arguments, for all that is known of the function."""
        found = self.tests.resolve(node.func)
        match found:
            case FunctionType():
                return package_of(found) is None and not _is_ours(found)
            case MethodType() | partial():
                return True
            case None:
                func = node.func
                return not (isinstance(func, ast.Attribute) and func.attr in _METHODS)
            case _:
                return False

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        given = node.value
        self.generic_visit(node)
        tests = [self._own(node, name, given) for t in node.targets for name in self._built(t)]
        return [node, *(test for test in tests if test is not None)]

    def visit_For(self, node: ast.For) -> ast.stmt:
        given = node.iter
        self.generic_visit(node)
        tests = [self._own(node, name, given) for name in self._built(node.target)]
        node.body[:0] = [test for test in tests if test is not None]
        return node

    def _built(self, target: ast.expr) -> Iterator[str]:
        """The names in a target that are changed afterwards."""
        for node in ast.walk(target):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) if name in self.changing:
                    yield name
                case _:
                    pass

    def _own(self, node: ast.stmt, name: str, given: ast.expr) -> ast.stmt | None:
        others = [one for one in self._arrays(given) if one != name]
        if not others or not self._may_share(given):
            return None
        shared = self.tests.helper(
            support.own, "own", node, load(name, node), *(load(one, node) for one in others)
        )
        return like(self.tests.unless(
            shared, node, f"{name!r} is changed, and is part of another array: take a copy, or "
            f"write to {text(given)} itself",
        ), node)  # fmt: skip

    def _arrays(self, given: ast.expr) -> list[str]:
        """The variables in an expression that are no modules, functions or numbers."""
        functions = {id(node.func) for node in ast.walk(given) if isinstance(node, ast.Call)}
        names = frozenset(node.id for node in ast.walk(given) if isinstance(node, ast.Name))
        found: dict[str, None] = {}
        for place in reads(given, names):  # without the variables of comprehensions
            root = root_of(place)
            if root is not None and id(place) not in functions:
                held = self.tests.resolve(ast.Name(root, ast.Load()))
                if not isinstance(held, ModuleType | type | int | float | str) and not callable(
                    held
                ):
                    found[root] = None
        return sorted(found)

    def _may_share(self, given: ast.expr) -> bool:
        """Whether an expression may give a part of an array that is there already."""
        match given:
            case ast.Call(func=func):
                found = self.tests.resolve(func)
                method = func.attr if isinstance(func, ast.Attribute) and found is None else ""
                own = isinstance(found, np.ufunc) or any(found is one for one in _NEW)
                return not own and method != "copy" and getattr(found, "__module__", "") != "math"
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Constant() | ast.ListComp():
                return False
            case _:
                return True


def _may_be_lent(arg: ast.expr) -> bool:
    """Whether an argument is, or holds, an array that is there already."""
    match arg:
        case ast.Name() | ast.Subscript() | ast.Attribute() | ast.Starred():
            return root_of(arg) is not None
        case ast.Tuple() | ast.List():
            return any(map(_may_be_lent, arg.elts))
        case _:
            return False


def _is_ours(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] == "retrograd"
