"""Expressions that are taken out of their statement: what it evaluates first gets names of its own.

`return f(x) + g(y)` becomes `a = f(x)`, `b = g(y)`, `return a + b`, where it is the value of `g(y)`
that has to have a name. Everything is evaluated once, and in the order of before.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

__all__ = ["TakenOut", "without_expression"]

_TRANSPARENT = (ast.keyword, ast.Starred, ast.Slice, ast.FormattedValue)
"""Nodes that have no value: what is inside of them has."""

_OF_THEIR_OWN = (
    ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield, ast.YieldFrom,
)  # fmt: skip
"""Expressions whose parts are not evaluated where they stand."""

N = TypeVar("N", bound=ast.AST)


class _Conditional(Exception):
    """The expression is not evaluated exactly once."""


@dataclass(slots=True)
class TakenOut:
    """The statements that stand for one, and the names in them that are not the program's."""

    fresh: Callable[[], str]
    found: ast.expr
    captured: frozenset[str]
    statements: list[ast.stmt] = field(default_factory=list[ast.stmt])
    names: list[str] = field(default_factory=list[str])

    def name(self) -> str:
        """A new name."""
        self.names.append(self.fresh())
        return self.names[-1]

    def assign(self, node: ast.expr, name: str | None = None) -> ast.expr:
        """Gives the value of an expression a name; what stands for the expression then."""
        own = self.name() if name is None else name
        target = ast.copy_location(ast.Name(own, ast.Store()), node)
        self.statements.append(ast.copy_location(ast.Assign([target], node), node))
        return _read(own, node)


def without_expression(
    stm: ast.stmt, found: ast.expr, fresh: Callable[[], str], captured: frozenset[str]
) -> TakenOut | None:
    """`stm` with `found`, a part of it, as an assignment before; None if that cannot be done.

    `fresh` makes names, and `captured` are those that a call may assign.
    """
    out = TakenOut(fresh, found, captured)
    try:
        if any(isinstance(node, ast.NamedExpr) for node in ast.walk(stm)):
            raise _Conditional
        _statement(out, stm)
    except _Conditional:
        return None
    return out


def _statement(out: TakenOut, stm: ast.stmt) -> None:
    match stm:
        case ast.AugAssign():
            _augmented(out, stm)
            return
        case ast.Assign(targets=[target], value=value) if not _has(value, out.found):
            last = copy.copy(stm)
            last.value = out.assign(value)
            last.targets = [_inside(out, target)]
        case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.Expr():
            last = _with_part(out, stm, "value")
        case ast.If() | ast.Assert():
            last = _with_part(out, stm, "test")
        case ast.For():
            last = _with_part(out, stm, "iter")
        case ast.Raise():
            last = _with_part(out, stm, "exc")
        case _:
            raise _Conditional
    out.statements.append(last)


def _with_part(out: TakenOut, node: N, name: str) -> N:
    """A node without `found` in one of its parts."""
    made = copy.copy(node)
    part: Any = getattr(node, name)
    if part is None or not _has(part, out.found):
        raise _Conditional
    setattr(made, name, _value(out, part))
    return made


def _augmented(out: TakenOut, stm: ast.AugAssign) -> None:
    """`x op= value` as `y = x`, what is taken out of the value, `y op= value` and `x = y`."""
    last = copy.copy(stm)
    if _has(stm.target, out.found):
        last.target = _inside(out, stm.target)
        out.statements.append(last)
        return
    target: Any = stm.target if isinstance(stm.target, ast.Name) else _named_parts(out, stm.target)
    read = copy.copy(target)
    read.ctx = ast.Load()
    own = out.assign(read)
    assert isinstance(own, ast.Name)
    last.target = ast.copy_location(ast.Name(own.id, ast.Store()), own)
    last.value = _value(out, stm.value)
    out.statements.append(last)
    out.statements.append(ast.copy_location(ast.Assign([target], own), stm))


def _named_parts(out: TakenOut, target: ast.expr) -> Any:
    """A place with names for the object that it is in, and for the index."""
    made: Any = copy.copy(target)
    for name in ("value", "slice"):
        part = getattr(target, name, None)
        if part is not None:
            setattr(made, name, _first(out, part))
    return made


def _value(out: TakenOut, node: ast.expr) -> ast.expr:
    """What stands for an expression in which `found` is."""
    if node is out.found:
        return out.assign(node)
    match node:
        case ast.IfExp() if not _has(node.test, out.found):
            return _if_statement(out, node)
        case ast.BoolOp() if not _has(node.values[0], out.found):
            return _if_statements(out, node)
        case ast.Compare() if any(_has(one, out.found) for one in node.comparators[1:]):
            raise _Conditional
        case _ if isinstance(node, _OF_THEIR_OWN):
            raise _Conditional
        case _:
            return _inside(out, node)


def _if_statement(out: TakenOut, node: ast.IfExp) -> ast.expr:
    name = out.name()
    sides: list[list[ast.stmt]] = []
    for side in (node.body, node.orelse):
        target = ast.copy_location(ast.Name(name, ast.Store()), side)
        sides.append([ast.copy_location(ast.Assign([target], side), side)])
    out.statements.append(ast.copy_location(ast.If(node.test, *sides), node))
    return _read(name, node)


def _if_statements(out: TakenOut, node: ast.BoolOp) -> ast.expr:
    """`a and b and c` as `x = a`, `if x: x = b` and `if x: x = c`."""
    own = out.assign(node.values[0])
    assert isinstance(own, ast.Name)
    for value in node.values[1:]:
        test: ast.expr = _read(own.id, value)
        if isinstance(node.op, ast.Or):
            test = ast.copy_location(ast.UnaryOp(ast.Not(), test), value)
        target = ast.copy_location(ast.Name(own.id, ast.Store()), value)
        then = ast.copy_location(ast.Assign([target], value), value)
        out.statements.append(ast.copy_location(ast.If(test, [then], []), value))
    return own


def _inside(out: TakenOut, node: N) -> N:
    """A node with names for what is evaluated before `found`, and for that."""
    made = copy.copy(node)
    for name, position, part in sorted(_parts(node), key=_place):
        here = _has(part, out.found)
        if here and not isinstance(part, _TRANSPARENT):
            new: ast.AST = _value(out, part)
        elif here:
            new = _inside(out, part)
        elif isinstance(node, ast.Call) and name == "func" and isinstance(part, ast.Attribute):
            new = copy.copy(part)  # a method stays with its object
            new.value = _first(out, part.value)
        else:
            new = _first(out, part)
        if position is None:
            setattr(made, name, new)
        else:
            every = list(getattr(made, name))
            every[position] = new
            setattr(made, name, every)
        if here:
            break
    return made


def _first(out: TakenOut, node: ast.AST) -> Any:
    """A name for what is evaluated before `found`, where that may make a difference."""
    match node:
        case ast.Constant() | ast.Lambda():
            return node
        case ast.Name(id=name) if name not in out.captured:
            return node
        case ast.keyword() | ast.Starred() | ast.Slice() | ast.FormattedValue():
            made = copy.copy(node)
            for name, _, part in _parts(node):
                setattr(made, name, _first(out, part))
            return made
        case ast.expr():
            return out.assign(node)
        case _:
            return node


def _parts(node: ast.AST) -> Iterator[tuple[str, int | None, Any]]:
    """The expressions directly inside of a node: field, position, and the part itself."""
    for name in node._fields:
        value: Any = getattr(node, name, None)
        places = enumerate(cast("list[Any]", value)) if isinstance(value, list) else [(None, value)]
        for k, one in places:
            if isinstance(one, ast.expr | ast.keyword):
                yield name, k, one


def _place(part: tuple[str, int | None, Any]) -> tuple[int, int]:
    return part[2].lineno, part[2].col_offset


def _has(node: ast.AST, found: ast.expr) -> bool:
    return any(one is found for one in ast.walk(node))


def _read(name: str, like: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), like)
