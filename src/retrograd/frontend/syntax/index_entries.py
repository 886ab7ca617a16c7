"""Indices: from the syntax of an index to its entries."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.identity import masked_arrays
from retrograd.frontend.syntax.advanced import Entry, IndexArray
from retrograd.frontend.values.arrays import Index, NewAxis, Slice
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Option,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.late_refusals import refuse_unless
from retrograd.frontend.values.members import as_number
from retrograd.frontend.values.optional import settle
from retrograd.frontend.values.scalars import as_index
from retrograd.frontend.values.small_ints import plain_ints
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit
from retrograd.ir.types import BOOL, F64, I64

__all__ = ["bounds_of", "items_of", "of_one", "part_of", "slice_value"]

_END = 1 << 62
"""A place behind every end."""


def items_of(t: Tracer, node: ast.expr) -> list[Entry]:
    """The entries of an index; None stands for `...`."""
    starred = isinstance(node, ast.Tuple) and any(isinstance(e, ast.Starred) for e in node.elts)
    alone = starred or not isinstance(node, ast.Tuple)
    entries = node.elts if isinstance(node, ast.Tuple) and not starred else [node]
    found: list[Entry] = []
    for entry in entries:
        if isinstance(entry, ast.Slice):
            found.append(Slice(*bounds_of(t, entry)))
            continue
        found += _items(t, frozen(t, t.eval(entry)), alone)
    return found


def bounds_of(t: Tracer, node: ast.Slice) -> list[Scalar | None]:
    """Where a slice begins and ends, and its step; None where nothing is said."""
    bounds = (node.lower, node.upper, node.step)
    return _bounds(t, [NONE if b is None else t.eval(b) for b in bounds])


def part_of(t: Tracer, value: TupleValue) -> Slice:
    """The part that a slice means."""
    return Slice(*_bounds(t, value.items))


def slice_value(t: Tracer, node: ast.Slice) -> Value:
    """A slice as an object is given it as an index."""
    bounds = (node.lower, node.upper, node.step)
    return TupleValue(tuple(NONE if b is None else t.eval(b) for b in bounds), slice)


def _bounds(t: Tracer, values: Sequence[Value]) -> list[Scalar | None]:
    lower, upper, step = values
    if isinstance(step, Option):
        raise _may_be_none(t, "the step of a slice", "step = 1 if step is None else step")
    by = None if step == NONE else as_index(t, step)
    ahead = by is None or (isinstance(by.atom, Lit) and by.atom.value > 0)
    return [_bound_of(t, lower, 0 if ahead else None), _bound_of(t, upper, _END if ahead else None),
            by]  # fmt: skip


def _bound_of(t: Tracer, value: Value, instead: int | None) -> Scalar | None:
    """A bound; of one that may be None, the number that says the same where the step is above 0."""
    if not isinstance(value, Option):
        return None if value == NONE else as_index(t, value)
    if instead is None:
        what = "a bound of a slice that goes backwards"
        raise _may_be_none(t, what, "lo = n - 1 if lo is None else lo")
    held = as_index(t, value.value)
    return Scalar(t.prim("select", value.flag, held.atom, ilit(instead)))


def _may_be_none(t: Tracer, what: str, before: str) -> UserError:
    """None is a bound of its own: so which of the two it is decides what the program is."""
    return t.error("RG0109", f"{what} that may be None", f"decide before: {before}")


def _held(t: Tracer, value: Option) -> Value:
    """An index that some search has found: None, which is an axis, is refused in the run."""
    refuse_unless(
        t, value.flag, "RG0109", "an index that is None in this run, which adds an axis",
        "decide before: if k is None: ... else: x[k]",
    )  # fmt: skip
    settle(t, value, True)
    return value.value


def _items(t: Tracer, value: Value, alone: bool) -> list[Entry]:
    value = plain_ints(as_number(value))
    match value:
        case Static(obj=None):
            return [NewAxis()]
        case Option():
            return _items(t, _held(t, value), alone)
        case Static() if value.obj is Ellipsis:
            return [None]
        case Scalar() if value.type == BOOL:
            return [IndexArray(of_one(t, value), new=True)]
        case Scalar() if value.type == F64:
            raise t.error(
                "RG0109",
                "a float as an index (an int that meets a float at a join becomes a float)",
                "keep the index an int on every path, or write int(...)",
            )
        case Scalar():
            return [Index(value)]
        case ArrayRef() if value.type.element in (I64, BOOL):
            return [IndexArray(value)]
        case TupleValue() if value.items and (value.cls is list or _is_inner(value, alone)):
            made = t.ctx.engine.library[id(np.array)](t, [value], {})
            return _items(t, made, False)
        case RangeValue() | TupleValue(cls=masked_arrays.MaskedArray):
            return _items(t, t.call(Static(np.asarray), (value,), {}), False)
        case TupleValue() if value.cls is slice:
            return [part_of(t, value)]
        case TupleValue() if alone and value.cls is tuple:
            return [item for entry in value.items for item in _items(t, entry, False)]
        case _:
            raise t.error(
                "RG0109", f"indexing with {describe(value)} is not accepted",
                "indices are ints, slices, and arrays of ints or bools",
            )  # fmt: skip


def _is_inner(value: TupleValue, alone: bool) -> bool:
    """Whether a tuple is one of several indices, and an array to NumPy as lists are."""
    return value.cls is tuple and not alone


def of_one(t: Tracer, value: Scalar) -> ArrayRef:
    """A number as an array of one element."""
    made = t.new(t.prim("full", value.atom, ilit(1)))
    assert isinstance(made, ArrayRef)
    return made
