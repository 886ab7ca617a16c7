"""`f(*x)`: how many arguments an array stands for is what the function takes."""

from __future__ import annotations

import ast
from types import FunctionType

import numpy as np

from retrograd.frontend.identity.specs import fields_of
from retrograd.frontend.syntax.functions import callee_of
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import ArrayRef, Closure, Scalar, Static, Value, describe
from retrograd.frontend.values.lists import current
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import ilit

__all__ = ["spread"]


def spread(t: Tracer, node: ast.Call, fun: Value, value: Value, before: int) -> list[Value]:
    """The arguments that `*value` stands for, after so many others."""
    steps = steps_of(t, value)
    if steps.items is not None and not isinstance(value, ArrayRef):
        return [current(t, item) for item in steps.items]
    taken = _taken(t, fun)
    others = sum(not isinstance(arg, ast.Starred) for arg in node.args) - before
    count = -1 if taken is None else taken - before - others - len(node.keywords)
    if steps.at is None or count < 0:
        raise t.error("RG0101", f"`*` of {describe(value)} in a call", "use a tuple")
    same = t.prim("eq", steps.trips, ilit(count))
    t.check(same, "TypeError", f"{count} arguments are needed, the array has others")
    return [steps.at(Scalar(ilit(k))) for k in range(count)]


def _taken(t: Tracer, fun: Value) -> int | None:
    """How many arguments a function takes, where that is one number."""
    match fun:
        case Static(obj=np.ufunc() as ufunc):
            return ufunc.nin
        case Static(obj=type() as cls):
            if (fields := fields_of(cls)) is not None:
                return len(fields)
            init = vars(cls).get("__init__")
            return None if init is None else _less(_taken(t, Static(init)), 1)
        case Closure() | Static(obj=FunctionType()):
            pass
        case _:
            return None
    args = callee_of(t, fun).source.node.args
    if args.defaults or args.vararg is not None or args.kw_defaults:
        return None
    return len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs)


def _less(count: int | None, by: int) -> int | None:
    return None if count is None else count - by
