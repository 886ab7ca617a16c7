"""Arrays of ints of less than 64 bits: how they are made, and what functions do with them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity import narrow_kernels as kernels
from retrograd.frontend.identity.narrow_ints import NARROW, NarrowArray, narrow_kind
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.numbers import is_python
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.small_ints import small_of
from retrograd.frontend.values.tracer import Handler, NeedKinds, Tracer
from retrograd.ir.terms import Lit
from retrograd.ir.types import I64, DType

__all__ = ["KERNELS", "is_record", "kind_named", "narrowed", "of_narrow"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]

op: Any = operator
_KINDS = {DType.F64: np.float64, DType.I64: np.int64, DType.BOOL: np.bool_}
_WAY_OUT = "convert first: x.astype(np.int64), or x.astype(float)"

_OPERATORS: Mapping[object, Any] = {
    np.add: op.add, np.subtract: op.sub, np.multiply: op.mul, np.divide: op.truediv,
    np.floor_divide: op.floordiv, np.remainder: op.mod, np.power: op.pow,
    np.negative: op.neg, np.absolute: op.abs, np.invert: op.invert, np.bitwise_and: op.and_,
    np.bitwise_or: op.or_, np.bitwise_xor: op.xor, np.equal: op.eq, np.not_equal: op.ne,
    np.less: op.lt, np.less_equal: op.le, np.greater: op.gt, np.greater_equal: op.ge,
}  # fmt: skip
_EITHER = (np.maximum, np.minimum, np.fmax, np.fmin)
_ASKING = (
    np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.isnan, np.isfinite, np.isinf,
)  # fmt: skip
"""Ufuncs that give truth values."""
_BY_WIDTH: tuple[object, ...] = (
    np.mean, np.std, np.var, np.median, np.percentile,
    np.quantile, np.average, np.any, np.all, np.argmax, np.argmin, np.argsort, np.nonzero,
    np.flatnonzero, np.argwhere, np.count_nonzero, np.searchsorted, np.bincount, np.digitize,
    np.shape, np.ndim, np.size, np.array_equal, np.allclose, np.isclose, np.interp, np.corrcoef,
    np.cov, np.isin, np.unravel_index, np.ravel_multi_index, np.ix_, np.histogram,
    np.linalg.norm, np.add.at, np.subtract.at, np.multiply.at, np.maximum.at, np.minimum.at,
    np.iscomplexobj, np.isrealobj,
)  # fmt: skip
"""Functions that give the same of an int of any number of bits."""
_PLACES: tuple[object, ...] = (
    np.sort, np.unique, np.flip, np.fliplr, np.flipud, np.roll, np.reshape, np.ravel,
    np.transpose, np.squeeze, np.repeat, np.tile, np.copy, np.min, np.max, np.take, np.diag,
    np.triu, np.tril, np.atleast_1d, np.atleast_2d, np.expand_dims, np.swapaxes, np.moveaxis,
    np.rot90, np.broadcast_to, np.delete, np.compress, np.diff, np.round, np.around, np.pad,
)  # fmt: skip
"""Functions that give some of the elements, or all in other places, or differences of them."""
_SUMS: tuple[object, ...] = (np.sum, np.prod, np.cumsum, np.cumprod, np.trace)
_PRODUCTS: tuple[object, ...] = (
    np.dot, np.matmul, np.inner, np.outer, np.cross, np.convolve, np.correlate, np.kron, np.vdot,
    np.tensordot, np.polyval,
)  # fmt: skip
"""Functions that multiply elements of two arrays."""
_JOINING: tuple[object, ...] = (
    np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack,
)  # fmt: skip
_SAME: tuple[object, ...] = (np.asarray, np.asanyarray, np.ascontiguousarray, np.atleast_1d)
_FILLED: tuple[object, ...] = (
    np.zeros, np.ones, np.empty, np.eye, np.identity, np.zeros_like, np.ones_like, np.empty_like,
)  # fmt: skip
_LIKE: tuple[object, ...] = (np.zeros_like, np.ones_like, np.empty_like)
_OF_DATA: tuple[object, ...] = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
_PLACE_OF_DTYPE: Mapping[int, int] = {
    **{id(one): 1 for one in (*_OF_DATA, *_LIKE, np.zeros, np.ones, np.empty, np.identity)},
    id(np.full): 2, id(np.full_like): 2, id(np.eye): 3, id(np.arange): 3,
}  # fmt: skip


def is_record(value: Value) -> bool:
    """Whether it is an array of ints of less than 64 bits."""
    return isinstance(value, TupleValue) and value.cls is NarrowArray


def kind_named(value: Value | None) -> type[Any] | None:
    """The class of such ints that a dtype means."""
    return narrow_kind(value.obj) if isinstance(value, Static) else None


def narrowed(t: Tracer, values: Value, kind: type[Any]) -> Value:
    """The last bits of ints, as an array or a number of that class."""
    bits = np.iinfo(kind)
    args = (values, literal(bits.bits), literal(bits.min < 0))
    return _held(t.call(Static(kernels.last_bits), args, {}), kind)


def _held(values: Value, kind: type[Any]) -> Value:
    """Ints that are in the range."""
    if isinstance(values, Scalar):
        return replace(values, numpy=True, small=kind)
    return TupleValue((values, Static(kind), literal(value=False)), NarrowArray)


def _class_of(t: Tracer, value: Value) -> object:
    """What `np.result_type` takes for a value: a dtype, or a number of Python's."""
    match value:
        case TupleValue(cls=cls) if cls is NarrowArray:
            return np.dtype(cast("Any", value.items[1]).obj)
        case Scalar() if value.small is not None:
            return np.dtype(value.small)
        case Scalar() if value.type == I64 and not value.numpy:
            return _of_int(t, value)
        case Scalar() | ArrayRef():
            return np.dtype(_KINDS[value.type.dtype])
        case ComplexValue():
            return np.dtype(complex)
        case Static() if narrow_kind(value.obj) is not None:
            return np.dtype(narrow_kind(value.obj))
        case TupleValue() if value.cls in (list, tuple):
            return _class_of(t, t.call(Static(np.asarray), (value,), {}))
        case _:
            raise t.error("RG0110", f"an array of ints and {describe(value)}", _WAY_OUT)


def _of_int(t: Tracer, value: Scalar) -> object:
    """That of an int which may be Python's: those of NumPy's have 64 bits."""
    if is_python(value):
        return 1
    if not t.ctx.way.kinds:
        raise NeedKinds
    raise t.error(
        "RG0123", "an int gives another one with ints of less than 64 bits if it is NumPy's",
        "say so: int(n), or np.int64(n)",
    )  # fmt: skip


def _common(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = (_class_of(t, arg) for arg in args)
    return Static(np.result_type(cast("Any", a), cast("Any", b)).type)


def _made(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    values, kind = args
    assert isinstance(kind, Static)
    if (small := narrow_kind(kind.obj)) is not None:
        floats = isinstance(values, Scalar | ArrayRef) and values.type.dtype is DType.F64
        return values if floats else narrowed(t, values, small)
    name = str(getattr(kind.obj, "__name__", ""))
    if name in ("float16", "float32"):
        raise t.error("RG0103", f"this gives {name} in NumPy, which is not accepted", _WAY_OUT)
    return values


def _number(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, kind = args
    assert isinstance(kind, Static)
    return _held(value, cast("Any", kind.obj))


def _raw(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = args
    if isinstance(value, TupleValue):
        return value.items[0] if is_record(value) else t.call(Static(np.asarray), args, {})
    return value


def _operand(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, kind = args
    assert isinstance(kind, Static)
    small = narrow_kind(kind.obj)
    if small is None or not isinstance(value, Scalar) or value.type != I64 or not is_python(value):
        return _raw(t, (value,), {})
    bounds = np.iinfo(small)
    if isinstance(value.atom, Lit) and bounds.min <= value.atom.value <= bounds.max:
        return value
    return t.call(Static(kernels.put), (value, kind), {})


KERNELS: Mapping[object, Handler] = {
    kernels.common: _common, kernels.made: _made, kernels.number: _number,
    kernels.operand: _operand, kernels.raw: _raw,
}  # fmt: skip


def of_narrow(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value | None:
    """What a function of NumPy's gives, if it is given or asked for such arrays; else None."""
    if (kind := next((k for k in NARROW if obj is k), None)) and len(args) == 1 and not kwargs:
        return _constructed(t, kind, args[0])
    if (made := _with_dtype(t, obj, args, kwargs)) is not None:
        return made
    if any(map(is_record, (*args, *kwargs.values()))) and _is_of_numpy(obj):
        return _of_function(t, obj, args, kwargs)
    return _of_several(t, obj, args, kwargs) if args and _is_among(obj, _JOINING) else None


def _of_several(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value | None:
    """Arrays that are put together, of which one is of such ints; else None."""
    arrays = frozen(t, args[0])
    if not isinstance(arrays, TupleValue) or not any(map(is_record, arrays.items)):
        return None
    kind = _class_of(t, arrays.items[0])
    for one in arrays.items[1:]:
        kind = np.result_type(cast("Any", kind), cast("Any", _class_of(t, one)))
    raw = TupleValue(tuple(_raw(t, (one,), {}) for one in arrays.items))
    made = t.call(Static(obj), (raw, *args[1:]), kwargs)
    return _made(t, (made, Static(np.dtype(cast("Any", kind)).type)), {})


def _is_of_numpy(obj: object) -> bool:
    module = str(getattr(obj, "__module__", None) or "").partition(".")[0]
    ours = module in ("numpy", "scipy") or isinstance(obj, np.ufunc)
    return ours or _is_among(obj, _BY_WIDTH)


def _is_among(obj: object, several: Sequence[object]) -> bool:
    return any(obj is one or (callable(obj) and obj == one) for one in several)


def _constructed(t: Tracer, kind: type[Any], value: Value) -> Value:
    if isinstance(value, ArrayRef) or is_record(value):
        return t.call(Static(kernels.made), (_as_ints(t, _raw(t, (value,), {})), Static(kind)), {})
    if isinstance(value, TupleValue):
        return _of_data(t, kind, value)
    return _held(t.call(Static(kernels.put), (value, Static(kind)), {}), kind)


def _as_ints(t: Tracer, values: Value) -> Value:
    return t.call(Static(np.asarray), (values, Static(np.int64)), {})


def _of_data(t: Tracer, kind: type[Any], data: Value) -> Value:
    """`np.array(data, kind)`."""
    if isinstance(data, ArrayRef) or is_record(data):
        return _constructed(t, kind, data)
    args = (Static(np.array), data, Static(kind), Static(np.int64))
    return t.call(Static(kernels.converted), args, {})


def _with_dtype(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value | None:
    """An array that is made of a class of ints that the call names, or as an array of them is."""
    place = _PLACE_OF_DTYPE.get(id(obj))
    if place is None:
        return None
    named = kwargs.get("dtype") or (args[place] if len(args) > place else None)
    kind = _kind_of_data(obj, args) if named is None else kind_named(named)
    if kind is None:
        return None
    rest = {name: value for name, value in kwargs.items() if name != "dtype"}
    own = args[:place]
    if _is_among(obj, _OF_DATA):
        return _of_data(t, kind, own[0])
    if _is_among(obj, _FILLED):
        own = [_raw(t, (arg,), {}) if is_record(arg) else arg for arg in own]
        return _held(t.call(Static(obj), own, {**rest, "dtype": Static(np.int64)}), kind)
    if obj is np.full or obj is np.full_like:
        bounded = t.call(Static(kernels.put), (own[1], Static(kind)), {})
        own = [_raw(t, (own[0],), {}) if is_record(own[0]) else own[0], bounded]
        return _held(t.call(Static(obj), own, {**rest, "dtype": Static(np.int64)}), kind)
    made = t.call(Static(obj), own, {**rest, "dtype": Static(np.int64)})
    same = (Static(np.array), made, Static(kind))
    return t.call(Static(kernels.converted), same, {})


def _kind_of_data(obj: object, args: Args) -> type[Any] | None:
    """The class of an array that is made of numbers of such a class alone."""
    if obj is np.full and len(args) == 2:
        return small_of(args[1])
    if not args or not _is_among(obj, _OF_DATA):
        return None
    kinds = set(_kinds_in(args[0]))
    if not kinds or None in kinds:
        return None
    return narrow_kind(np.result_type(*(np.dtype(cast("Any", kind)) for kind in kinds)))


def _kinds_in(data: Value) -> Iterator[type | None]:
    """Those of the numbers in lists and tuples; None of all else."""
    if isinstance(data, TupleValue) and data.cls in (list, tuple):
        for item in data.items:
            yield from _kinds_in(item)
    else:
        yield small_of(data)


def _of_function(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value:
    raw = [_raw(t, (arg,), {}) if is_record(arg) else arg for arg in args]
    named = {k: _raw(t, (v,), {}) if is_record(v) else v for k, v in kwargs.items()}
    first = args[0] if args else None
    if isinstance(obj, np.ufunc):
        return _of_ufunc(t, obj, args, raw, kwargs)
    if _is_among(obj, _SAME) and not kwargs and first is not None and is_record(first):
        return first
    if obj is np.array and first is not None and len(args) == 1 and not kwargs:
        return t.call(Static(np.copy), (first,), {})
    if obj is np.where:
        return t.call(Static(kernels.chosen), args, kwargs) if len(args) == 3 else (
            t.call(Static(obj), raw, named)
        )  # fmt: skip
    if _is_among(obj, _LIKE) and first is not None and is_record(first) and not kwargs:
        return _held(t.call(Static(obj), raw, {}), cast("Any", _class_of(t, first)).type)
    if obj is np.clip and not kwargs and first is not None and is_record(first):
        return t.call(Static(NarrowArray.clip), args, {})
    if _is_among(obj, _PLACES) and first is not None:
        found = t.call(Static(obj), raw, named)
        if not is_record(first):
            return found
        return _first_of(t, found, cast("Any", _class_of(t, first)).type)
    if _is_among(obj, _SUMS) and first is not None and is_record(first):
        return _summed(t, t.call(Static(obj), raw, named), cast("Any", _class_of(t, first)))
    if _is_among(obj, _PRODUCTS) and _meets_floats(t, args[:2]):
        return t.call(Static(obj), raw, named)
    if _is_among(obj, _BY_WIDTH) or _takes_places(obj, args) or _measures(obj, first):
        return t.call(Static(obj), raw, named)
    name = getattr(obj, "__name__", str(obj))
    raise t.error("RG0107", f"{name} of an array of ints of less than 64 bits", _WAY_OUT)


def _summed(t: Tracer, found: Value, dtype: np.dtype[Any]) -> Value:
    """Sums have 64 bits: those of ints without a sign are such ints, too."""
    if dtype.kind != "u":
        return found
    if not isinstance(found, Scalar):
        message = "sums along an axis of ints without a sign, which are np.uint64"
        raise t.error("RG0107", message, _WAY_OUT)
    return _held(found, np.uint64)


def _takes_places(obj: object, args: Args) -> bool:
    """Whether only indices are such ints."""
    return _is_among(obj, (np.take, np.take_along_axis)) and not is_record(args[0])


def _measures(obj: object, image: Value | None) -> bool:
    """Whether it tells of an image by labels: that has such ints only where sums are told."""
    if getattr(obj, "__module__", None) != "scipy.ndimage._measurements" or image is None:
        return False
    of_any = ("sum", "sum_labels", "mean", "variance", "standard_deviation", "center_of_mass",
              "label")  # fmt: skip
    return not is_record(image) or getattr(obj, "__name__", "") in of_any


def _first_of(t: Tracer, found: Value, kind: type[Any]) -> Value:
    """The elements in a result, of which the first part has them (`np.unique`)."""
    if isinstance(found, TupleValue):
        return replace(found, items=(narrowed(t, found.items[0], kind), *found.items[1:]))
    return narrowed(t, found, kind)


def _of_ufunc(t: Tracer, ufunc: np.ufunc, args: Args, raw: Args, kwargs: Kwargs) -> Value:
    program: Callable[..., Any] | None = _OPERATORS.get(ufunc)
    if kwargs or len(args) != ufunc.nin:
        name = f"np.{ufunc.__name__} with more arguments, of ints of less than 64 bits"
        raise t.error("RG0107", name, _WAY_OUT)
    if program is not None:
        return t.call(Static(program), args, {})
    if ufunc in _EITHER:
        return t.call(Static(kernels.applied), (Static(ufunc), *args), {})
    if ufunc not in _ASKING:
        floats = ufunc.nin == 1 and _gives_floats(ufunc, cast("Any", _class_of(t, args[0])))
        if not floats and not _meets_floats(t, args):
            name = f"np.{ufunc.__name__} of ints of less than 64 bits"
            raise t.error("RG0107", name, _WAY_OUT)
    return t.call(Static(ufunc), raw, {})


def _gives_floats(ufunc: np.ufunc, dtype: np.dtype[Any]) -> bool:
    """Whether it gives floats of 64 bits: of ints of 8 and 16 bits many give fewer."""
    resolved = ufunc.resolve_dtypes((dtype, None))
    return resolved[-1] == np.dtype(float)


def _meets_floats(t: Tracer, args: Args) -> bool:
    return any(_class_of(t, arg) == np.dtype(float) for arg in args)
