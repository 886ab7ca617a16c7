"""Making arrays and changing their shape.

Extents are run-time values, so a negative extent or a size that does not fit raises ValueError in
the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params, flit, ilit
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type
from retrograd.prims.core import (
    ZERO,
    Case,
    DemandRule,
    Primitive,
    Pullback,
    RaisedError,
    param,
)
from retrograd.prims.extents import not_negative, same, stretch
from retrograd.prims.facts import IN_FIRST, MAKER, SCALAR, SERIAL, VIEW, Bundled, Linear
from retrograd.prims.lengths import Along, Lengths, from_operands
from retrograd.prims.rules import (
    B1,
    BROADCAST_MESSAGE,
    F1,
    F2,
    F3,
    I1,
    dtype_of,
    require,
    span_of,
    values_case,
)  # fmt: skip

__all__ = ["ALL_ZEROS", "EXTENT_MESSAGE", "RESHAPE_MESSAGE", "SHAPE", "STORAGE"]

EXTENT_MESSAGE = "negative dimensions are not allowed"
ALL_ZEROS = ("zeros", "empty")
"""Operations whose arrays are zeros: nothing depends on what memory had in it before."""

RESHAPE_MESSAGE = "cannot reshape an array to a different size"

STORAGE: dict[DType, type[np.generic]] = {
    DType.F64: np.float64, DType.I64: np.int64, DType.BOOL: np.bool_,
}  # fmt: skip

_Tangents = tuple[Atom | None, ...]


def _extents(dims: Sequence[Any], params: Params) -> tuple[int, ...]:
    shape = tuple(int(d) for d in dims)
    if any(d < 0 for d in shape):
        raise RaisedError("ValueError", EXTENT_MESSAGE, span_of(params))
    return shape


def _extent_types(name: str, types: tuple[Type, ...], dims: tuple[Type, ...]) -> int:
    require(1 <= len(dims) <= MAX_RANK and all(t == I64 for t in dims), name, types)
    return len(dims)


def _value_and_rank(name: str, types: tuple[Type, ...]) -> tuple[Type, int]:
    require(len(types) >= 2, name, types)
    return types[0], _extent_types(name, types, types[1:])


def _dims_case(dtype: DType, *shape: int) -> Case:
    return values_case((I64,) * len(shape), tuple(map(np.int64, shape)), (("dtype", dtype.value),))


def _around_case(dtype: DType, shape: Sequence[int], spans: Sequence[int]) -> Case:
    params: Params = (("dtype", dtype.value), ("rank", len(shape)))
    values = tuple(map(np.int64, (*shape, *spans)))
    return values_case((I64,) * len(values), values, params)


def _first_extents(args: tuple[Atom, ...], params: Params) -> Lengths:
    return args[: cast(int, param(params, "rank"))]


def _first_demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    not_negative(b, args[: cast(int, param(params, "rank"))], EXTENT_MESSAGE)


def _extents_from(first: int) -> DemandRule:
    """The operands from `first` on are extents."""
    return lambda b, args, params: not_negative(b, args[first:], EXTENT_MESSAGE)


# dim, zeros, empty, iota: nothing to differentiate.


def _dim_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    axis = param(params, "axis")
    require(len(types) == 1 and isinstance(axis, int) and 0 <= axis < types[0].rank, "dim", types)
    return (I64,)


def _dim_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (np.int64(args[0].shape[cast(int, param(params, "axis"))]),)


def _zeros_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    return (Type(dtype_of(params), _extent_types("zeros", types, types)),)


def _zeros_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (np.zeros(_extents(args, params), STORAGE[dtype_of(params)]),)


def _zeros_around_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    rank = cast(int, param(params, "rank"))
    require(len(types) in (rank + 2, rank + 4), "zeros_around", types)
    require(all(t == I64 for t in types), "zeros_around", types)
    return (Type(dtype_of(params), _extent_types("zeros_around", types, types[:rank])),)


_UNSET: dict[DType, float | int | bool] = {
    DType.F64: np.nan, DType.I64: np.iinfo(np.int64).min, DType.BOOL: True,
}  # fmt: skip


def _zeros_around_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    """What has to be written before it is read is what a reader would notice."""
    rank = cast(int, param(params, "rank"))
    out = np.zeros(_extents(args[:rank], params), STORAGE[dtype_of(params)])
    for first, end in zip(args[rank::2], args[rank + 1 :: 2], strict=True):
        out[max(int(first), 0) : max(int(end), 0)] = _UNSET[dtype_of(params)]
    return (out,)


def _iota_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (I64,), "iota", types)
    return (I1,)


def _iota_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (np.arange(*_extents(args, params), dtype=np.int64),)


# full


def _full_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    value, rank = _value_and_rank("full", types)
    require(value.is_scalar, "full", types)
    return (value.with_rank(rank),)


def _full_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    value, *dims = args
    dtype = np.asarray(value).dtype
    return (np.full(_extents(dims, params), value, dtype),)


def _full_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    value = tangents[0]
    return (None if value is None else b.prim("full", value, *args[1:], hint="dot"),)


def _summed_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.add(0, p.b.prim("sum_like", out_bar, p.args[0], hint="bar"))


# array_of


def _array_of_shape(params: Params) -> tuple[int, ...]:
    return cast(tuple[int, ...], param(params, "shape"))


def _array_of_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    shape = _array_of_shape(params)
    require(1 <= len(shape) <= MAX_RANK and np.prod(shape) == len(types) > 0, "array_of", types)
    element = types[-1]
    require(all(t == element.element for t in types), "array_of", types)
    return (element.with_rank(len(shape)),)


def _array_of_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (np.array(args).reshape(_array_of_shape(params)),)


def _array_of_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    filled = tuple(flit(0.0) if t is None else t for t in tangents)
    return (b.prim("array_of", *filled, hint="dot", shape=_array_of_shape(params)),)


def _array_of_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    shape = _array_of_shape(p.params)
    for k, place in enumerate(np.ndindex(*shape)):
        if out_bar is not None and p.wants(k):
            where = tuple(ilit(i) for i in place)
            p.add(k, p.b.prim("index", out_bar, *where, hint="bar", checked=False, span=None))


def _as_said(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    return _array_of_shape(params)


# copy


def _copy_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 1 and types[0].rank > 0, "copy", types)
    return types


def _copy_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (args[0].copy(),)


def _same_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    return tangents


def _same_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.add(0, out_bar)


# broadcast and reshape: an array and the new extents.


def _broadcast_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    value, rank = _value_and_rank("broadcast", types)
    require(value.rank <= rank, "broadcast", types)
    return (value.with_rank(rank),)


def _broadcast_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, *dims = args
    shape = _extents(dims, params)
    try:
        return (np.broadcast_to(x, shape).copy(),)
    except ValueError as error:
        raise RaisedError("ValueError", BROADCAST_MESSAGE, span_of(params)) from error


def _broadcast_demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    x, *dims = args
    not_negative(b, dims, EXTENT_MESSAGE)
    lead = len(dims) - x.type.rank
    for axis in range(x.type.rank):
        stretch(b, b.prim("dim", x, axis=axis), dims[lead + axis])


def _broadcast_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    return (None if x is None else b.prim("broadcast", x, *args[1:], hint="dot"),)


def _reshape_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    value, rank = _value_and_rank("reshape", types)
    require(value.rank > 0, "reshape", types)
    return (value.with_rank(rank),)


def _reshape_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, *dims = args
    shape = _extents(dims, params)
    if int(np.prod(shape, dtype=object)) != x.size:
        raise RaisedError("ValueError", RESHAPE_MESSAGE, span_of(params))
    return (x.reshape(shape).copy(),)


def _size(b: Builder, dims: Sequence[Atom]) -> Atom:
    total = dims[0]
    for dim in dims[1:]:
        total = b.mul(total, dim)
    return total


def _reshape_demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    x, *dims = args
    not_negative(b, dims, EXTENT_MESSAGE)
    same(b, _size(b, b.dims(x)), _size(b, dims), RESHAPE_MESSAGE)


def _reshape_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    return (None if x is None else b.prim("reshape", x, *args[1:], hint="dot"),)


def _reshape_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.add(0, p.b.prim("reshape", out_bar, *p.b.dims(p.args[0]), hint="bar"))


# transpose


def _perm(params: Params) -> tuple[int, ...]:
    return cast(tuple[int, ...], param(params, "perm"))


def _transpose_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 1 and types[0].rank > 0, "transpose", types)
    require(sorted(_perm(params)) == list(range(types[0].rank)), "transpose", types)
    return types


def _transpose_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (np.transpose(args[0], _perm(params)).copy(order="C"),)


def _transpose_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    return (None if x is None else b.prim("transpose", x, hint="dot", perm=_perm(params)),)


def _transpose_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    perm = _perm(p.params)
    if out_bar is not None and p.wants(0):
        inverse = tuple(perm.index(k) for k in range(len(perm)))
        p.add(0, p.b.prim("transpose", out_bar, hint="bar", perm=inverse))


def _permuted(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    return tuple(Along(0, axis) for axis in _perm(params))


def _resized(types: tuple[Type, ...], x: tuple[int, ...], *dims: int) -> Case:
    return Case(
        (*types, *(I64,) * len(dims)),
        draw=lambda rng: (rng.uniform(-2.0, 2.0, x)[()], *map(np.int64, dims)),
    )


def _makers() -> tuple[Primitive, ...]:
    shapes = ((3,), (2, 0), (1, 2, 3))
    made = tuple(_dims_case(dtype, *shape) for dtype in STORAGE for shape in shapes)
    fulls = (_resized((F64,), (), 3), _resized((F64,), (), 2, 3), _resized((F64,), (), 2, 1, 40),
             values_case((I64, I64), (np.int64(7), np.int64(2))),
             values_case((BOOL, I64), (np.True_, np.int64(2))))  # fmt: skip
    lists = (
        Case((F64,), (("shape", (1,)),)), Case((F64,) * 3, (("shape", (3,)),)),
        Case((F64,) * 6, (("shape", (2, 3)),)), Case((I64,) * 4, (("shape", (2, 1, 2)),)),
    )  # fmt: skip
    dims = tuple(Case((F3,), (("axis", k),), smooth=False) for k in range(3))
    spans = (((3,), (1, 1)), ((2, 0), (0, 0, 2, 1)), ((1, 2, 3), (1, -1, 5, 5)))
    around = tuple(_around_case(dtype, *given) for dtype in STORAGE for given in spans)
    sized = replace(MAKER, shape=from_operands(0))
    filled = replace(MAKER, bundled=Bundled.LANES)
    return (
        Primitive("dim", _dim_type, _dim_eval, ZERO, ZERO, (*dims, Case((I1,), (("axis", 0),))),
                  replace(SCALAR, shape_only=(0,), bundled=Bundled.LANES), cost=0.0),
        Primitive("zeros", _zeros_type, _zeros_eval, ZERO, ZERO, made,
                  replace(sized, linear_in=Linear()), demands=_extents_from(0)),
        Primitive("empty", _zeros_type, _zeros_eval, ZERO, ZERO, made, sized, cost=0.0,
                  demands=_extents_from(0)),
        Primitive("zeros_around", _zeros_around_type, _zeros_around_eval, ZERO, ZERO, around,
                  replace(MAKER, shape=_first_extents), demands=_first_demands),
        Primitive("iota", _iota_type, _iota_eval, ZERO, ZERO,
                  (values_case((I64,), (np.int64(4),)), values_case((I64,), (np.int64(0),))),
                  sized, demands=_extents_from(0)),
        Primitive("full", _full_type, _full_eval, _full_jvp, _summed_vjp, fulls,
                  replace(filled, shape=from_operands(1), linear_in=IN_FIRST),
                  demands=_extents_from(1)),
        Primitive("array_of", _array_of_type, _array_of_eval, _array_of_jvp, _array_of_vjp, lists,
                  replace(filled, shape=_as_said, linear_in=Linear(each=True))),
    )  # fmt: skip


def _changers() -> tuple[Primitive, ...]:
    copies = (Case((F1,)), Case((F3,)), Case((I1,)), Case((B1,)))
    broadcasts = (
        _resized((F64,), (), 3), _resized((F1,), (1,), 3), _resized((F1,), (3,), 2, 3),
        _resized((F2,), (2, 1), 2, 3), _resized((F2,), (1, 3), 4, 2, 3),
        _resized((F3,), (2, 1, 3), 2, 2, 3), _resized((F1,), (3,), 3), _resized((F1,), (1,), 0),
    )  # fmt: skip
    reshapes = (
        _resized((F1,), (6,), 2, 3), _resized((F2,), (2, 3), 6), _resized((F3,), (2, 3, 2), 4, 3),
        _resized((F1,), (0,), 0, 3), _resized((F1,), (4,), 2, 1, 2),
    )  # fmt: skip
    transposes = (
        Case((F1,), (("perm", (0,)),)), Case((F2,), (("perm", (1, 0)),)),
        Case((F3,), (("perm", (2, 0, 1)),)), Case((F3,), (("perm", (0, 2, 1)),)),
    )  # fmt: skip
    resized = replace(VIEW, shape=from_operands(1))
    return (
        Primitive("copy", _copy_type, _copy_eval, _same_jvp, _same_vjp, copies,
                  replace(SERIAL, linear_in=IN_FIRST, cheap=True, bundled=Bundled.LANES)),
        Primitive(
            "broadcast", _broadcast_type, _broadcast_eval, _broadcast_jvp, _summed_vjp,
            broadcasts, resized, demands=_broadcast_demands,
        ),
        Primitive("reshape", _reshape_type, _reshape_eval, _reshape_jvp, _reshape_vjp, reshapes,
                  resized, demands=_reshape_demands),
        Primitive(
            "transpose", _transpose_type, _transpose_eval, _transpose_jvp, _transpose_vjp,
            transposes, replace(VIEW, shape=_permuted),
        ),
    )  # fmt: skip


SHAPE: tuple[Primitive, ...] = (*_makers(), *_changers())
