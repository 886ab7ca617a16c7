"""`is`: whether two values are one object, as far as that is known."""

from __future__ import annotations

from typing import cast

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.identity.transformed import Baked
from retrograd.frontend.values.baked import require_known
from retrograd.frontend.values.forms import arrays
from retrograd.frontend.values.kinds import (
    UNDEF,
    ArrayRef,
    Closure,
    Instance,
    OneOf,
    Option,
    Scalar,
    Static,
    TupleValue,
    Value,
    certain,
)
from retrograd.frontend.values.numbers import is_python
from retrograd.frontend.values.object_rows import same_rows
from retrograd.frontend.values.optional import by_presence
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.several import any_kind
from retrograd.frontend.values.tracer import NeedKinds, NeedLists, Tracer
from retrograd.ir.terms import Lit, false, true
from retrograd.ir.types import BOOL

__all__ = ["identity", "same_object", "same_static"]


def _identical(t: Tracer, a: Value, b: Value) -> bool:
    """`a is b`, where it is known at compile time."""
    if isinstance(a, Static | Closure) or isinstance(b, Static | Closure):
        return a == b
    if isinstance(a, Instance) or isinstance(b, Instance):
        return same_object(t, a, b)
    if isinstance(a, ArrayRef) and isinstance(b, ArrayRef):
        return a == b
    if isinstance(a, Scalar) and isinstance(b, Scalar) and BOOL in (a.type, b.type):
        return a.type == b.type and _same_truth(t, a, b)
    if isinstance(a, ArrayRef | TupleValue) != isinstance(b, ArrayRef | TupleValue):
        return False
    if isinstance(a, ArrayRef) != isinstance(b, ArrayRef):
        return False
    if isinstance(a, TupleValue) and a.cls is list and not t.ctx.way.lists:
        raise NeedLists
    raise t.error("RG0110", "`is` between numbers", "compare them with `==`")


def identity(t: Tracer, a: Value, b: Value) -> Value:
    """`a is b`, also of what may be None, or is of one of several kinds."""
    if isinstance(b, Option | OneOf):
        a, b = b, a
    if isinstance(a, OneOf):
        return Scalar(any_kind(t, a, lambda one: truth(t, identity(t, one, b))))
    if not isinstance(a, Option):
        if (same := same_rows(t, a, b)) is not None:
            return Scalar(same)
        if _are_truths_of_the_run(a, b):
            return _identity_of_truths(t, cast("Scalar", a), cast("Scalar", b))
        return Scalar(true if _identical(t, a, b) else false)
    if isinstance(b, Option):
        way_out = "ask of each whether it is None first"
        raise t.error("RG0110", "`is` between two values that may be None", way_out)
    return by_presence(t, a, lambda one: identity(t, one, b))


def _are_truths_of_the_run(a: Value, b: Value) -> bool:
    both = [v for v in (a, b) if isinstance(v, Scalar) and v.type == BOOL]
    return len(both) == 2 and not all(isinstance(v.atom, Lit) for v in both)


def _identity_of_truths(t: Tracer, a: Scalar, b: Scalar) -> Value:
    """`flag is True`: there is one True of Python's, and those of NumPy's are none of them."""
    if not t.ctx.way.kinds and not (is_python(a) and is_python(b)):
        raise NeedKinds
    if is_python(a) and is_python(b):
        return Scalar(t.prim("eq", a.atom, b.atom))
    if (a.numpy and is_python(b)) or (b.numpy and is_python(a)):
        return Scalar(false)
    raise t.error(
        "RG0110", "`is` between truth values of the run", "write `if flag:`, or compare with `==`"
    )


def _same_truth(t: Tracer, a: Scalar, b: Scalar) -> bool:
    """`flag is True`, of what is known: one from a comparison of NumPy's numbers never is."""
    require_known(t, a)
    require_known(t, b)
    if isinstance(a.atom, Lit) and isinstance(b.atom, Lit):
        return a == b
    raise t.error(
        "RG0110", "`is` between truth values of the run", "write `if flag:`, or compare with `==`"
    )


def same_object(t: Tracer, a: Value, b: Value) -> bool:
    """Whether two values are one object; refused where it depends on the path."""
    if not isinstance(a, Instance) or not isinstance(b, Instance) or a.place == b.place:
        return a == b
    if a.cls is list and b.cls is list and not _reach(t, a).isdisjoint(_reach(t, b)):
        for one in (a, b):
            t.note_list(t.state.cells.get(one.cells[0]))
        raise t.error("RG0110", "whether these are one list is known at run time only",
                      "compare the indices at which they are")  # fmt: skip
    if any(b.place + 1 + k in t.state.links.get(c, ()) for k, c in enumerate(a.cells)):
        raise t.error("RG0110", "whether these are one object is known at run time only",
                      "compare an attribute that tells them apart")  # fmt: skip
    t.ctx.compared = True
    return False


def _reach(t: Tracer, one: Instance) -> frozenset[int]:
    """The items of a list, and the buffers in which it is or may be a row."""
    (cell,) = one.cells
    content = certain(t.state.cells.get(cell, UNDEF))
    own = {cell}
    if isinstance(content, TupleValue) and content.cls is ListBuffer:
        own |= {ref.loc for ref in arrays(content.items[0])}
    return frozenset(own.union(*(t.state.links.get(number, ()) for number in own)))


def same_static(a: Value, b: Value) -> bool:
    """Equality of baked objects: a dtype is equal to what it may be written as."""
    if isinstance(a, Static) and isinstance(b, Static):
        for one, other in ((a.obj, b.obj), (b.obj, a.obj)):
            if isinstance(one, np.dtype):
                return isinstance(other, np.dtype | type | str) and bool(one == other)
            if isinstance(one, Baked):
                return one == other
    return a == b
