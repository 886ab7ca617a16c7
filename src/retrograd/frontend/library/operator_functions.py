"""The module `operator`: Python's operators as functions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.operators import (
    binary,
    compare_values,
    symbol_of,
    unary,
)
from retrograd.frontend.values.kinds import Bound, Instance, Scalar, Static, Value, describe
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.ir.types import F64, I64

__all__ = ["TABLE"]

_op: Any = operator  # whose functions have no types

_BINARY: Mapping[object, ast.operator] = {
    _op.add: ast.Add(), _op.sub: ast.Sub(), _op.mul: ast.Mult(),
    _op.truediv: ast.Div(), _op.floordiv: ast.FloorDiv(), _op.mod: ast.Mod(),
    _op.pow: ast.Pow(), _op.matmul: ast.MatMult(), _op.and_: ast.BitAnd(),
    _op.or_: ast.BitOr(), _op.xor: ast.BitXor(), _op.lshift: ast.LShift(),
    _op.rshift: ast.RShift(),
}  # fmt: skip
_COMPARE: Mapping[object, str] = {
    _op.lt: "lt", _op.le: "le", _op.gt: "gt", _op.ge: "ge", _op.eq: "eq",
    _op.ne: "ne",
}  # fmt: skip
_UNARY: Mapping[object, ast.unaryop] = {
    _op.pos: ast.UAdd(), _op.not_: ast.Not(), _op.invert: ast.Invert(),
    _op.neg: ast.USub(),
}  # fmt: skip


def _two(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> tuple[Value, Value]:
    a, b = bind(t, "this operator", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    return a, b


def _one(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    (a,) = bind(t, "this operator", args, kwargs, "a")
    assert a is not None
    return a


def _applied(op: ast.operator) -> Handler:
    symbol = symbol_of(op)
    return lambda t, args, kwargs: binary(t, symbol, *_two(t, args, kwargs))


def _compared(op: str) -> Handler:
    return lambda t, args, kwargs: compare_values(t, op, *_two(t, args, kwargs))


def _single(op: ast.unaryop) -> Handler:
    return lambda t, args, kwargs: unary(t, op, _one(t, args, kwargs))


def _absolute(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return t.call(Static(abs), [_one(t, args, kwargs)], {})


def _index(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`operator.index`: an int as it is, and an error for a float, also for a whole one."""
    value = _one(t, args, kwargs)
    match value:
        case Scalar() if value.type == I64:
            return t.call(Static(int), [value], {})
        case Scalar() if value.type == F64:
            t.stop("TypeError", "'float' object cannot be interpreted as an integer")
            raise PathEnds
        case Instance() if callable(getattr(value.cls, "__index__", None)):
            return t.call(Bound(value, "__index__"), (), {})
        case _:
            what = f"{describe(value)} as an index"
            raise t.error("RG0110", what, "give an int", TypeError)


TABLE: Mapping[object, Handler] = {
    **{obj: _applied(op) for obj, op in _BINARY.items()},
    **{obj: _compared(op) for obj, op in _COMPARE.items()},
    **{obj: _single(op) for obj, op in _UNARY.items()},
    _op.abs: _absolute,
    _op.index: _index,
}
