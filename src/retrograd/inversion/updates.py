"""Statements on single places that have inverses: updates, exchanges, changes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from retrograd.inversion import markers
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.places import root_of, same, text
from retrograd.inversion.statements import Change, Exchange, Update

__all__ = ["change_of", "exchange_of", "update_of"]

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitXor)
_WAYS_OUT: Mapping[type[ast.operator], str] = {
    ast.Pow: "multiply: x *= e, or keep the power in a variable of its own: y += x ** e",
    ast.MatMult: "add the product to a variable of its own: y += a @ x",
}


def update_of(
    stm: ast.AugAssign | ast.Assign, complaints: Complaints, name: str = ""
) -> Update | None:
    """`t op= e`, or `t = t op e`; None of another assignment.

    Raises:
        UserError: an operator without inverse.
    """
    if isinstance(stm, ast.AugAssign):
        if isinstance(stm.op, _OPERATORS):
            return Update(stm, stm.target, stm.op, stm.value)
        raise complaints.without_inverse(
            stm, "what is lost by the operation cannot be found again",
            _WAYS_OUT.get(type(stm.op), "use +=, -=, *=, /= or ^="),
        )  # fmt: skip
    target = stm.targets[0]
    match stm.value:
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right):
            if same(left, target):
                return Update(stm, target, op, right, bool(name))
            if same(right, target) and isinstance(op, ast.Add | ast.Mult):
                return Update(stm, target, op, left, bool(name))
        case _:
            pass
    return None


def exchange_of(stm: ast.Assign) -> Exchange | None:
    """`a, b = b, a`, or longer."""
    match stm.targets[0], stm.value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=sources):
            if sorted(map(text, targets)) == sorted(map(text, sources)):
                return Exchange(stm, tuple(targets), tuple(sources))
        case _:
            pass
    return None


def change_of(stm: ast.Assign, resolve: Callable[[ast.AST], object]) -> Change | None:
    """`x = -x`, `x = 1 / x`, `b = not b`, `n = ~n`, rotations and Hadamard transforms."""
    target, value = stm.targets[0], stm.value
    match value:
        case ast.UnaryOp(ast.USub() | ast.Not() | ast.Invert(), operand) if same(operand, target):
            return Change(stm, (target,), value, value)
        case ast.BinOp(ast.Constant(value=1), ast.Div(), right) if same(right, target):
            return Change(stm, (target,), value, value)
        case ast.Call(func, args, []) if root_of(func) is not None:
            return _of_call(stm, value, resolve(func), args)
        case _:
            return None


def _of_call(
    stm: ast.Assign, value: ast.Call, marker: object, args: list[ast.expr]
) -> Change | None:
    target = stm.targets[0]
    if marker is markers.rotl and len(args) == 2 and same(args[0], target):
        return Change(stm, (target,), value, _negated(value))
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return None
    if not all(same(one, arg) for one, arg in zip(target.elts, args, strict=False)):
        return None
    if marker is markers.hadamard and len(args) == 2:
        return Change(stm, tuple(target.elts), value, value)
    if marker is markers.rotate and len(args) == 3:
        return Change(stm, tuple(target.elts), value, _negated(value))
    return None


def _negated(value: ast.Call) -> ast.Call:
    """The same rotation, the other way round: by the negative of the last argument."""
    last = value.args[-1]
    other = ast.copy_location(ast.UnaryOp(ast.USub(), last), last)
    return ast.copy_location(ast.Call(value.func, [*value.args[:-1], other], []), value)
