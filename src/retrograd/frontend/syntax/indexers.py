"""What NumPy's objects make of an index: `np.r_[...]`, `np.mgrid[...]`, `np.s_[...]`."""

from __future__ import annotations

import ast
import os
from types import BuiltinMethodType
from typing import Generic, Optional, Union, get_origin

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.library.environment import variable
from retrograd.frontend.library.plain import grids, joining, ranges
from retrograd.frontend.values.kinds import (
    NONE,
    ComplexValue,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
)  # fmt: skip
from retrograd.frontend.values.members import combined
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.types import I64

__all__ = ["indexed", "is_indexer", "item_of_range"]


def _parts(t: Tracer, node: ast.expr, ranges: bool = True) -> list[Value]:
    """What stands between brackets: slices as ranges of numbers, or as they are."""
    found: list[Value] = []
    for entry in node.elts if isinstance(node, ast.Tuple) else [node]:
        if not isinstance(entry, ast.Slice):
            found.append(t.eval(entry))
            continue
        bounds = [NONE if b is None else t.eval(b) for b in (entry.lower, entry.upper, entry.step)]
        if not ranges:
            found.append(TupleValue(tuple(bounds), slice))
            continue
        if bounds[1] == NONE:
            raise t.error("RG0109", "a range of numbers without an end", "write start:stop")
        defaults = (literal(0), NONE, literal(1))
        every = [d if b == NONE else b for b, d in zip(bounds, defaults, strict=True)]
        found.append(t.ctx.engine.library[id(np.arange)](t, every, {}))
    return found


_INDEXERS = (np.r_, np.c_, np.mgrid, np.ogrid, np.s_, np.index_exp)


def is_indexer(obj: object) -> bool:
    """Whether it is one of NumPy's objects that make arrays of an index, the environment, or a
    class with parameters, as `list[int]`."""
    return any(obj is one for one in (*_INDEXERS, os.environ)) or _has_parameters(obj)


def _has_parameters(obj: object) -> bool:
    """Whether it is a type whose index names types only, which say nothing here."""
    if isinstance(obj, type):
        generic = obj is not Generic and Generic in obj.__mro__
        return generic or isinstance(getattr(obj, "__class_getitem__", None), BuiltinMethodType)
    return get_origin(obj) is not None or isinstance(obj, type(Union))


def item_of_range(t: Tracer, value: RangeValue, index: ast.expr) -> Value:
    """`range(a, b)[k]`."""
    at = None if isinstance(index, ast.Slice) else t.eval(index)
    if not isinstance(at, Scalar) or at.type != I64:
        raise t.error("RG0109", "a part of a range", "make a range of other ends")
    return t.call(Static(ranges.item), (at, value.start, value.stop, value.step), {})


def _united(t: Tracer, of: object, index: ast.expr) -> Value:
    """`Union[A, B]` and `Optional[A]`, for isinstance."""
    found = t.eval(index)
    kinds = found.items if isinstance(found, TupleValue) else (found,)
    if any(isinstance(kind, Static) and isinstance(kind.obj, str) for kind in kinds):
        return Static(of)  # a name that is looked up later, which only annotations may have
    united = NONE if of is Optional else kinds[0]
    for kind in kinds if of is Optional else kinds[1:]:
        united = combined("or", united, kind) or Static(of)
    return united


def indexed(t: Tracer, of: object, index: ast.expr) -> Value:
    """What one of NumPy's objects for that makes of an index, and what else `is_indexer` names."""
    if of is os.environ:
        return variable(t, t.eval(index))
    if of is Union or of is Optional:
        return _united(t, of, index)
    if _has_parameters(of):
        return Static(of)
    if of is np.r_ or of is np.c_:
        program = joining.row if of is np.r_ else joining.columns
        return t.call(Static(program), _parts(t, index), {})
    if of is np.mgrid or of is np.ogrid:
        return _grid(t, index, grids.dense if of is np.mgrid else grids.opened)
    entries = tuple(_parts(t, index, ranges=False))
    several = isinstance(index, ast.Tuple) or of is np.index_exp
    return TupleValue(entries) if several else entries[0]


def _grid(t: Tracer, node: ast.expr, made: object) -> Value:
    """`np.mgrid[a:b, c:d:e, f:g:5j]`, or one line of it."""
    lines, several = list[Value](), isinstance(node, ast.Tuple)
    for entry in node.elts if isinstance(node, ast.Tuple) else [node]:
        if isinstance(entry, ast.Slice):
            lines.append(_line(t, entry))
            continue
        given = t.eval(entry)
        if isinstance(given, TupleValue) and given.cls in (tuple, list) and not several:
            several = True
            lines += [_line_of(t, one) for one in given.items]
        else:
            lines.append(_line_of(t, given))
    return t.call(Static(made), (TupleValue(tuple(lines)),), {}) if several else lines[0]


def _without_end(t: Tracer) -> UserError:
    return t.error("RG0109", "an axis of a grid without an end", "write start:stop")


def _line(t: Tracer, entry: ast.Slice) -> Value:
    """The numbers along an axis of a grid."""
    if entry.upper is None:
        raise _without_end(t)
    start = literal(0) if entry.lower is None else t.eval(entry.lower)
    step, count = literal(1), NONE
    if isinstance(entry.step, ast.Constant) and isinstance(entry.step.value, complex):
        count = literal(int(abs(entry.step.value)))
    elif entry.step is not None:
        step, count = _step_or_count(t, t.eval(entry.step))
    return t.call(Static(grids.line), (start, t.eval(entry.upper), step, count), {})


def _step_or_count(t: Tracer, step: Value) -> tuple[Value, Value]:
    """A step; or how many points there are, which is the size of a complex number."""
    if not isinstance(step, ComplexValue):
        return step, NONE
    return literal(1), t.call(Static(int), (t.call(Static(abs), (step,), {}),), {})


def _line_of(t: Tracer, value: Value) -> Value:
    """The numbers that a slice says, which the program has made before."""
    if not isinstance(value, TupleValue) or value.cls is not slice or value.items[1] == NONE:
        raise _without_end(t)
    start, stop, step = value.items
    start = literal(0) if start == NONE else start
    step, count = _step_or_count(t, literal(1) if step == NONE else step)
    return t.call(Static(grids.line), (start, stop, step, count), {})
