"""What a number is divided by, where that decides of which type it is."""

from __future__ import annotations

import ast
import math

from retrograd.frontend.library.written import divisor_factorial
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.large_ints import known_int
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.types import I64

__all__ = ["right_operand"]


def right_operand(t: Tracer, node: ast.BinOp) -> Value:
    """The right operand; a factorial that divides is a float, as the quotient is."""
    match node:
        case ast.BinOp(
            op=ast.Div(),
            right=ast.Call(func=ast.Name() | ast.Attribute() as function, args=[n], keywords=[]),
        ) if not isinstance(n, ast.Starred) and t.eval(function) == Static(math.factorial):
            with t.at(node.right):
                return _factorial(t, t.eval(n))
        case _:
            return t.eval(node.right)


def _factorial(t: Tracer, number: Value) -> Value:
    of_run = known_int(number) is None
    as_float = of_run and isinstance(number, Scalar) and number.type == I64
    return t.call(Static(divisor_factorial if as_float else math.factorial), [number], {})
