"""Values that may be None: what their use checks, and what a test of them tells.

A name that is None on one path and something else on another holds an `Option`: that value, with a
flag. Whatever needs the value asks `sure`; where None is meant, on its path, the program raises
what Python raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from retrograd.errors import UserError
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Instance,
    Option,
    Scalar,
    Static,
    TupleValue,
    Value,
)  # fmt: skip
from retrograd.frontend.values.several import decided
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, false, true
from retrograd.ir.types import DType

__all__ = ["by_presence", "present", "no_operation", "settle", "sure", "sure_operands", "sure_pair"]

_NOT_A_NUMBER = "must be real number, not NoneType"
_NAMES = {DType.F64: "float", DType.I64: "int", DType.BOOL: "bool"}
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%",
    "pow": "** or pow()", "matmul": "@", "and": "&", "or": "|", "xor": "^", "shl": "<<",
    "shr": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip


def sure(t: Tracer, value: Value, text: str = _NOT_A_NUMBER, kind: str = "TypeError") -> Value:
    """The value where it is not None; elsewhere the program raises, with Python's text.

    Afterwards every variable that holds the same value is certain.
    """
    if not isinstance(value, Option):
        return decided(t, value)
    t.check(value.flag, kind, text)
    settle(t, value, True)
    return decided(t, value.value)


def settle(t: Tracer, option: Option, there: bool) -> None:
    """Makes it known to all variables, on this path, whether a value is there."""
    if there:
        t.state.sure |= {option.flag}
    for cell, held in list(t.state.cells.items()):
        if isinstance(held, Option) and held.flag == option.flag:
            t.state.cells[cell] = held.value if there else NONE


def present(t: Tracer, value: Value) -> Atom:
    """Whether a value is not None."""
    if isinstance(value, Option):
        return value.flag
    return false if value == NONE else true


def by_presence(t: Tracer, value: Option, ask: Callable[[Value], Value]) -> Value:
    """The answer to a question about kinds that is known for None and for the value."""
    there, none = ask(value.value), ask(NONE)
    if there == none or not isinstance(there, Scalar) or not isinstance(none, Scalar):
        return there
    if (there, none) == (Scalar(true), Scalar(false)):
        return Scalar(value.flag)
    if (there, none) == (Scalar(false), Scalar(true)):
        return Scalar(t.prim("not_", value.flag))
    return replace(there, atom=t.prim("select", value.flag, there.atom, none.atom))


def _python_name(value: Value) -> str:
    """What Python calls the type of a value."""
    match value:
        case Scalar() | ArrayRef():
            return _NAMES[value.type.dtype]
        case TupleValue() | Instance():
            return value.cls.__name__
        case Static(obj=None):
            return "NoneType"
        case Static():
            return type(value.obj).__name__
        case Option():
            return _python_name(value.value)
        case _:
            return "function"


def sure_pair(t: Tracer, op: str, a: Value, b: Value, sign: str = "") -> tuple[Value, Value]:
    """The operands of an operator or comparison, of which neither is None."""
    if not isinstance(a, Option) and not isinstance(b, Option) and NONE not in (a, b):
        return decided(t, a), decided(t, b)
    sign = sign or _SIGNS[op]
    one, two = _python_name(a), _python_name(b)
    if _operates(a) or _operates(b):
        return sure(t, a), sure(t, b)
    if isinstance(a, Option) and isinstance(b, Option):
        either = t.prim("or_", a.flag, b.flag)
        t.check(either, "TypeError", _unsupported(op, sign, "NoneType", "NoneType"))
    for value, names in ((a, ("NoneType", two)), (b, (one, "NoneType"))):
        if value == NONE:
            t.stop("TypeError", _unsupported(op, sign, *names))
            raise PathEnds
        sure(t, value, _unsupported(op, sign, *names))
    return _bare(a), _bare(b)


def _operates(value: Value) -> bool:
    """Whether it may have operators of its own, which may take None."""
    return isinstance(value, Instance) and value.cls is not list


def _bare(value: Value) -> Value:
    return value.value if isinstance(value, Option) else value


def _unsupported(op: str, sign: str, one: str, two: str) -> str:
    if op in ("lt", "le", "gt", "ge"):
        return f"'{sign}' not supported between instances of '{one}' and '{two}'"
    return f"unsupported operand type(s) for {sign}: '{one}' and '{two}'"


def no_operation(t: Tracer, op: str, a: Value, b: Value) -> UserError:
    """The refusal of an operation on a list, or tuple, which Python does not know either."""
    one, two = _python_name(a), _python_name(b)
    if op == "mul" and any(isinstance(v, Scalar) for v in (a, b)):
        message = "can't multiply sequence by non-int of type 'float'"
    else:
        message = _unsupported(op, _SIGNS[op], one, two)
    return t.error("RG0110", message, "make arrays of lists: np.array(..)", TypeError)


def sure_operands(t: Tracer, value: Value) -> Value:
    """An argument of a library function: it, and what is directly in it, is not None."""
    if isinstance(value, TupleValue):
        items = tuple(sure(t, item) for item in value.items)
        return value if items == value.items else TupleValue(items, value.cls)
    return sure(t, value)
