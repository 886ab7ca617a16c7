"""Methods of arrays and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.identity.buffers import ListRow
from retrograd.frontend.library.args import bind, dtype_from, flag, is_none, no_more
from retrograd.frontend.library.create import as_array, copy_of
from retrograd.frontend.library.elementwise import clip
from retrograd.frontend.library.narrow import kind_named, narrowed
from retrograd.frontend.library.plain import ufuncs
from retrograd.frontend.library.reduce import TABLE as REDUCE
from retrograd.frontend.library.reduce import dot, ravel, reduction, reshape, transpose
from retrograd.frontend.library.same_array import view
from retrograd.frontend.values.arrays import extent, read, value_atom, write
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
)  # fmt: skip
from retrograd.frontend.values.lists import of_buffers
from retrograd.frontend.values.scalars import as_int, convert
from retrograd.frontend.values.tracer import Handler, NeedLists, PathEnds, Tracer
from retrograd.ir.terms import false
from retrograd.ir.types import F64, DType

__all__ = ["ARRAY_METHODS", "SCALAR_METHODS"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _setflags(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """Whether an array may be written to is not told: all may."""
    bind(t, "setflags", args, kwargs, "self write align uic")
    return NONE


def _copy(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, _ = bind(t, "copy", args, kwargs, "a order")
    assert value is not None
    return copy_of(t, value)


def _astype(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = "a dtype order casting subok copy"
    value, dtype, _, _, _, copy = bind(t, "astype", args, kwargs, names, 2)
    assert value is not None
    if (kind := kind_named(dtype)) is not None:
        return narrowed(t, as_array(t, value, DType.I64), kind)
    made = as_array(t, value, dtype_from(t, dtype, DType.F64))
    wanted = is_none(copy) or flag(t, copy, "copy")
    return copy_of(t, made) if wanted and made == value else made


def _fill(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    ref, value = bind(t, "fill", args, kwargs, "a value", 2)
    if not isinstance(ref, ArrayRef) or not isinstance(value, Scalar):
        raise t.error("RG0110", "fill with anything but a number", "write x[:] = y")
    write(t, ref, value.atom)
    return Static(None)


def _item(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "item", kwargs)
    value, *places = args
    if isinstance(value, Scalar) and not places:
        return value
    if len(places) == 1 and isinstance(places[0], TupleValue):
        places = list(places[0].items)
    if not places:
        return t.call(Static(ufuncs.item), (value,), {})
    if isinstance(value, ArrayRef) and len(places) not in (1, value.type.rank):
        t.check(false, "ValueError", "incorrect number of indices for array")
        raise PathEnds
    return t.call(Static(ufuncs.item_at), (value, TupleValue(tuple(places))), {})


def _flatten(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    made = ravel(t, args, kwargs)
    return t.new(read(t, made)) if isinstance(made, ArrayRef) else made


def _bit_length(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "bit_length", args, kwargs, "x")
    assert value is not None
    return Scalar(t.prim("bit_length", as_int(t, value).atom), True)


def _is_integer(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "is_integer", args, kwargs, "x")
    assert isinstance(value, Scalar)
    atom = convert(t, value.atom, F64)
    return Scalar(t.prim("eq", t.prim("floor", atom), atom))


def _tolist(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """Nested lists, of numbers; a number of an array without axes."""
    (value,) = bind(t, "tolist", args, kwargs, "a")
    if not isinstance(value, ArrayRef):
        return value or NONE
    if not t.ctx.way.lists:
        raise NeedLists
    if value.type.rank > 2:
        what = f"tolist of an array of rank {value.type.rank}"
        raise t.error("RG0110", what, "leave it an array")
    copy = copy_of(t, value)
    buffers = copy if value.type.rank == 1 else TupleValue((copy,), ListRow)
    return of_buffers(t, buffers, Scalar(extent(t, value, 0), True))


def _sort(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    ref, axis, _, order = bind(t, "sort", args, kwargs, "a axis kind order")
    if not isinstance(ref, ArrayRef) or not is_none(order):
        raise t.error("RG0108", "sort with the argument 'order'", "leave it out")
    made = t.call(Static(np.sort), (ref, *(() if axis is None else (axis,))), {})
    write(t, ref, value_atom(t, made))
    return NONE


def _partition(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    ref, *others = args
    assert isinstance(ref, ArrayRef)
    made = t.call(Static(np.partition), (ref, *others), kwargs)
    write(t, ref, value_atom(t, made))
    return NONE


def _compress(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, condition, axis = bind(t, "compress", args, kwargs, "a condition axis", 2)
    assert value is not None
    assert condition is not None
    along = {} if axis is None else {"axis": axis}
    return t.call(Static(np.compress), (condition, value), along)


def _function(function: object) -> Handler:
    """A method that is a function of NumPy's."""
    return lambda t, args, kwargs: t.ctx.engine.library[id(function)](t, args, kwargs)


def _transpose(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """With the axes in a tuple or one by one."""
    if len(args) == 1 or isinstance(args[1], TupleValue | Static):
        return transpose(t, args, kwargs)
    return transpose(t, (args[0], TupleValue(tuple(args[1:]))), kwargs)


ARRAY_METHODS: Mapping[str, Handler] = {
    **{
        name: _function(getattr(np, name))
        for name in (
            "argmax",
            "argmin",
            "argpartition",
            "argsort",
            "conjugate",
            "cumprod",
            "cumsum",
            "diagonal",
            "nonzero",
            "put",
            "repeat",
            "round",
            "searchsorted",
            "squeeze",
            "swapaxes",
            "take",
            "trace",
        )
    },
    "conj": _function(np.conjugate),
    **{name: reduction(name) for name in ("sum", "prod", "max", "min", "any", "all")},
    "mean": REDUCE[np.mean],
    "var": REDUCE[np.var],
    "std": REDUCE[np.std],
    "dot": dot,
    "copy": _copy,
    "setflags": _setflags,
    "view": view,
    "astype": _astype,
    "reshape": reshape,
    "transpose": _transpose,
    "ravel": REDUCE[np.ravel],
    "flatten": _flatten,
    "fill": _fill,
    "clip": clip,
    "item": _item,
    "tolist": _tolist,
    "sort": _sort,
    "partition": _partition,
    "compress": _compress,
    "choose": _function(np.choose),
    "__array__": _function(np.asarray),
}
_OF_ARRAYS = ("fill", "setflags", "sort", "partition", "__array__")
SCALAR_METHODS: Mapping[str, Handler] = {
    **{name: handler for name, handler in ARRAY_METHODS.items() if name not in _OF_ARRAYS},
    "bit_length": _bit_length,
    "is_integer": _is_integer,
}
