"""`==` and `!=` of lists of which one has its items in buffers: one truth value, as in Python."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.identity.standard_library import same_items, same_objects
from retrograd.frontend.values.item_kinds import is_kinds
from retrograd.frontend.values.kinds import ArrayRef, Instance, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.list_texts import texts_in
from retrograd.frontend.values.lists import as_array, content_of, parts_of, sized
from retrograd.frontend.values.object_rows import has_rows
from retrograd.frontend.values.scalars import logical_not, truth
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, false, ilit

__all__ = ["compare_lists"]


def compare_lists(t: Tracer, op: str, a: Value, b: Value) -> Scalar | None:
    """`a op b`; None of what is compared otherwise: known lists, and lists with arrays."""
    if _in_buffers(t, b) and not _in_buffers(t, a):
        a, b, op = b, a, {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}.get(op, op)
    if not _in_buffers(t, a) or isinstance(b, ArrayRef):
        return None
    if op not in ("eq", "ne"):
        raise t.error(
            "RG0110", "the order of lists of run-time length", "compare their items in a loop"
        )
    equal = _equal(t, a, b)
    return Scalar(equal if op == "eq" else logical_not(t, equal))


def _in_buffers(t: Tracer, value: Value) -> bool:
    return (
        isinstance(value, Instance) and value.cls is list and content_of(t, value).cls is ListBuffer
    )


def _equal(t: Tracer, a: Value, b: Value) -> Atom:
    if not isinstance(b, Instance | TupleValue) or b.cls is not list:
        return false
    if isinstance(b, TupleValue):
        count: Atom = ilit(len(b.items))
        other = t.call(Static(np.array), [b], {}) if b.items else None
    else:
        count, other = sized(t, b).atom, b
    same = t.prim("eq", sized(t, a).atom, count)
    if other is None:
        return same
    if not all(_is_of_numbers(t, one) for one in (a, b)):
        rows = any(_has_objects(t, one) for one in (a, b))
        return truth(t, t.call(Static(same_objects if rows else same_items), (a, b), {}))
    arrays = [as_array(t, one) if isinstance(one, Instance) else one for one in (a, other)]
    equal = truth(t, t.call(Static(np.array_equal), arrays, {}))
    both_empty = t.prim("and_", same, t.prim("eq", count, ilit(0)))  # whatever their rows were
    return t.prim("or_", both_empty, equal)


def _is_of_numbers(t: Tracer, value: Value) -> bool:
    """Whether a list has numbers alone, or lists of them."""
    if not isinstance(value, Instance) or not _in_buffers(t, value):
        return True
    buffers, _ = parts_of(content_of(t, value))
    tuples = isinstance(buffers, TupleValue) and issubclass(buffers.cls, tuple)
    return not (tuples or is_kinds(buffers) or texts_in(buffers) or has_rows([buffers]))


def _has_objects(t: Tracer, value: Value) -> bool:
    """Whether a list has objects, which are equal if they are the same one."""
    if not isinstance(value, Instance) or not _in_buffers(t, value):
        return False
    buffers, _ = parts_of(content_of(t, value))
    return has_rows([buffers])
