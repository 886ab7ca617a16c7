"""`f(*x)`: how many arguments an array stands for is what the function takes."""

from __future__ import annotations

import ast
import builtins
from dataclasses import MISSING, fields, is_dataclass
from types import FunctionType
from typing import cast

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer, ListRow
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.syntax.functions import callee_of
from retrograd.frontend.syntax.lists import copied
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.iterators import iterator_of
from retrograd.frontend.values.kinds import (
    Closure,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.lists import (
    arrays,
    as_array,
    content_of,
    current,
    of_buffers,
    parts_of,
    sized,
)
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import ilit

__all__ = ["spread", "transposed"]


def spread(t: Tracer, node: ast.Call, fun: Value, value: Value, before: int) -> list[Value]:
    """The arguments that `*value` stands for, after so many others."""
    steps = steps_of(t, value)
    if (found := steps.all()) is not None:
        return [current(t, item) for item in found]
    taken = _takes(t, fun, node)
    others = sum(not isinstance(arg, ast.Starred) for arg in node.args) - before
    stars = sum(isinstance(arg, ast.Starred) for arg in node.args)
    count = -1 if taken is None or stars > 1 else taken - before - others
    if steps.at is None or count < 0:
        raise t.error("RG0101", f"`*` of {describe(value)} in a call", "use a tuple")
    same = t.prim("eq", steps.trips, ilit(count))
    t.check(same, "TypeError", f"{count} arguments are needed, the array has others")
    return [steps.at(Scalar(ilit(k))) for k in range(count)]


def transposed(t: Tracer, value: Value) -> Value | None:
    """`zip(*rows)` of a list of run-time length: its columns as lists; None of all else."""
    if not isinstance(value, Instance) or value.cls is not list:
        return None
    if content_of(t, value).cls is not ListBuffer:
        return None
    some = t.prim("gt", sized(t, value).atom, ilit(0))
    t.check(some, "ValueError", "zip(*rows) without rows")
    buffers, length = parts_of(content_of(t, copied(t, value)))
    match buffers:
        case TupleValue(cls=cls) if cls is ListRow:
            array = as_array(t, value)
            if array.type.rank > 2:
                return None
            atom = t.prim("transpose", t.base(array.loc), perm=(1, 0))
            count = Scalar(t.prim("dim", atom, axis=0), True)
            columns: Value = of_buffers(t, TupleValue((t.new(atom),), ListRow), count)
        case TupleValue() if all(ref.type.rank == 1 for ref in arrays(buffers)):
            columns = TupleValue(tuple(of_buffers(t, part, length) for part in buffers.items))
        case _:
            return None
    return iterator_of(t, zip, columns)


def _takes(t: Tracer, fun: Value, node: ast.Call) -> int | None:
    """How many arguments a function takes, where that is one number."""
    match fun:
        case Static(obj=np.ufunc() as ufunc):
            return ufunc.nin
        case Static(obj=builtins.complex):
            return 2
        case Static(obj=type()):
            cls = cast("type[object]", fun.obj)
            if is_dataclass(cls) or fields_of(cls) is not None:
                return None if node.keywords else _of_fields(cls)
            init = vars(cls).get("__init__")
            return None if init is None else _less(_takes(t, Static(init), node), 1)
        case Closure() | Static(obj=FunctionType()):
            pass
        case _:
            return None
    args = callee_of(t, fun).source.node.args
    given = [k.arg for k in node.keywords]
    named = {a.arg for a in args.kwonlyargs}
    if args.defaults or args.vararg is not None or not named.issuperset(given):
        return None
    return len(args.posonlyargs) + len(args.args)


def _of_fields(cls: type[object]) -> int | None:
    """How many fields a dataclass or a NamedTuple is made of, where none has a default."""
    if is_dataclass(cls):
        made = [f for f in fields(cls) if f.init]
        given = (one for f in made for one in (f.default, f.default_factory))
        return len(made) if all(one is MISSING for one in given) else None
    defaults: object = getattr(cls, "_field_defaults", None)
    return None if defaults else len(fields_of(cls) or ())


def _less(count: int | None, by: int) -> int | None:
    return None if count is None else count - by
