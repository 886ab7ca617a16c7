"""What NumPy says of values and types: sizes, limits of dtypes; and which dtypes there are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from retrograd.frontend.library.args import bind, dtype_from, no_more
from retrograd.frontend.library.create import as_array, dims_of, filled
from retrograd.frontend.library.narrow import kind_named
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    Closure,
    Enumerate,
    Instance,
    RangeValue,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    Zip,
    describe,
)  # fmt: skip
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.ir.terms import Atom, false, ilit, true
from retrograd.ir.types import BOOL, DType

__all__ = ["REFUSED", "TABLE", "attribute_of_dtype", "dtype_value", "limit", "of_constants"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _isscalar(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.isscalar", args, kwargs, "element")
    assert value is not None
    refuse_times(t, value)
    text = isinstance(value, Static) and isinstance(value.obj, str)
    return literal(isinstance(value, Scalar) or text)


def _callable(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "callable", args, kwargs, "obj")
    match value:
        case Instance():
            return literal(any("__call__" in vars(base) for base in value.cls.__mro__))
        case Static():
            return literal(callable(value.obj))
        case _:
            return literal(isinstance(value, Closure | Transform | Bound))


def _size(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, axis = bind(t, "np.size", args, kwargs, "a axis")
    assert value is not None
    dims = dims_of(t, as_array(t, value, None))
    if axis is not None:
        place = known_int(t, axis)
        if place is None or not -len(dims) <= place < len(dims):
            raise t.error("RG0113", "np.size along this axis", "write the number of an axis")
        return Scalar(dims[place], True)
    total: Atom = ilit(1)
    for dim in dims:
        total = dim if total == ilit(1) else t.prim("mul", total, dim)
    return Scalar(total, True)


def _finfo(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (kind,) = bind(t, "np.finfo", args, kwargs, "dtype")
    assert kind is not None
    if isinstance(kind, Scalar):
        kind = Static(np.dtype(float if kind.type.dtype is DType.F64 else int))
    if dtype_from(t, kind, DType.F64) is not DType.F64:
        raise t.error("RG0108", "np.finfo of a type that is no float", "use np.iinfo")
    return Static(np.finfo(np.float64))


def _iinfo(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (kind,) = bind(t, "np.iinfo", args, kwargs, "int_type")
    if (small := kind_named(kind)) is not None:
        return Static(np.iinfo(small))
    if dtype_from(t, kind, DType.I64) is not DType.I64:
        raise t.error("RG0108", "np.iinfo of a type that is no int", "use np.finfo")
    return Static(np.iinfo(np.int64))


_DTYPES = {DType.F64: np.dtype("f8"), DType.I64: np.dtype("i8"), DType.BOOL: np.dtype("?")}


def dtype_value(dtype: DType) -> Static:
    """A dtype as NumPy has it."""
    return Static(_DTYPES[dtype])


def _element(t: Tracer, value: Value) -> DType:
    """The dtype that a dtype, a name of one, a number or an array has."""
    match value:
        case Scalar() | ArrayRef():
            return value.type.dtype
        case TupleValue():
            made = as_array(t, value, None)
            return made.type.dtype if isinstance(made, Scalar | ArrayRef) else DType.F64
        case _:
            return dtype_from(t, value, DType.F64)


def _dtype_of(t: Tracer, value: Value) -> np.dtype[Any]:
    """As NumPy has it, also if there are no arrays of it here."""
    obj = cast("Any", value.obj) if isinstance(value, Static) else None
    if isinstance(obj, type | np.dtype | str):
        try:
            return np.dtype(cast("Any", obj))
        except TypeError as error:
            message = "this dtype is not accepted"
            raise t.error("RG0103", message, "use float, int or bool") from error
    return _DTYPES[_element(t, value)]


def _result_type(name: str) -> Handler:
    """The dtype that all are converted to."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        no_more(t, name, kwargs)
        if not args:
            raise t.error("RG0108", f"{name} of nothing", "give it an array or a dtype")
        return Static(np.result_type(*(_dtype_of(t, arg) for arg in args)))

    return handler


def _common_type(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.common_type`: floats of 64 bits for arrays of floats and ints, and no others."""
    no_more(t, "np.common_type", kwargs)
    for arg in args:
        if not isinstance(arg, ArrayRef) or arg.type.element == BOOL:
            raise t.error("RG0110", f"np.common_type of {describe(arg)}", "give arrays of numbers")
    return Static(np.float64)


def _issubdtype(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    one, other = bind(t, "np.issubdtype", args, kwargs, "arg1 arg2", 2)
    if not isinstance(one, Static) or not isinstance(other, Static):
        raise t.error("RG0108", "np.issubdtype of this", "give it dtypes, such as x.dtype")
    kinds = [cast("Any", one.obj), cast("Any", other.obj)]
    return literal(bool(np.issubdtype(*kinds)))


def _isdtype(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    one, kind = bind(t, "np.isdtype", args, kwargs, "dtype kind", 2)
    kinds = kind.items if isinstance(kind, TupleValue) else (kind,)
    if not isinstance(one, Static) or not all(isinstance(k, Static) for k in kinds):
        raise t.error("RG0108", "np.isdtype of this", "give it a dtype, such as x.dtype, and kinds")
    known = tuple(cast("Any", k.obj) for k in kinds if isinstance(k, Static))
    try:
        return literal(bool(np.isdtype(cast("Any", one.obj), known)))
    except (TypeError, ValueError) as error:
        t.stop(type(error).__name__, str(error))
        raise PathEnds from error


def _can_cast(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = "from_ to casting"
    one, other, casting = bind(t, "np.can_cast", args, kwargs, names, 2)
    assert one is not None
    assert other is not None
    how = "safe" if casting is None else casting.obj if isinstance(casting, Static) else ""
    if how not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise t.error("RG0108", "np.can_cast with this casting", "write casting='safe'")
    if isinstance(one, Scalar):
        raise t.error("RG0108", "np.can_cast of a number", "give it dtypes, such as x.dtype")
    return literal(np.can_cast(_dtype_of(t, one), _dtype_of(t, other), cast("Any", how)))


def _dtype(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (kind,) = bind(t, "np.dtype", args, kwargs, "dtype")
    if (small := kind_named(kind)) is not None:
        return Static(np.dtype(small))
    return dtype_value(dtype_from(t, kind, DType.F64))


def attribute_of_dtype(t: Tracer, dtype: np.dtype[Any], name: str) -> Value:
    """`x.dtype.kind` and its like."""
    match name:
        case "kind" | "char" | "name" | "str":
            return Static(getattr(dtype, name))
        case "type":
            return Static(dtype.type)
        case "itemsize" | "ndim" | "num":
            return literal(int(getattr(dtype, name)))
        case _:
            raise t.error("RG0107", f"a dtype has no attribute {name!r} here", "use x.dtype.kind")


def _iterable(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.iterable", args, kwargs, "y")
    kinds = TupleValue | ArrayRef | RangeValue | Enumerate | Zip
    text = isinstance(value, Static) and isinstance(value.obj, str)
    return literal(isinstance(value, kinds) or text)


def _everywhere(name: str, value: bool) -> Handler:
    """What is true of all real numbers, or of none."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (given,) = bind(t, name, args, kwargs, "x")
        assert given is not None
        dims = dims_of(t, as_array(t, given, None))
        return filled(t, true if value else false, dims)

    return handler


def _imag(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.imag", args, kwargs, "val")
    assert value is not None
    given = as_array(t, value, None)
    return filled(t, convert(t, ilit(0), _element(t, given)), dims_of(t, given))


_LIMITS = (
    "eps",
    "epsneg",
    "max",
    "min",
    "tiny",
    "smallest_normal",
    "resolution",
    "bits",
    "nmant",
    "epsilon",
    "dig",
    "mant_dig",
    "max_exp",
    "min_exp",
    "max_10_exp",
    "min_10_exp",
    "radix",
)


def limit(t: Tracer, of: object, name: str) -> Value:
    """An attribute of what `np.finfo` or `np.iinfo` gives, or of `sys.float_info`."""
    value: object = getattr(of, name, None) if name in _LIMITS else None
    if isinstance(value, float):
        return literal(float(value))
    if isinstance(value, int):
        return literal(value)
    raise t.error("RG0107", f"the limit {name!r} is not known", "write the number out")


def _empty(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    shape, dtype = bind(t, "np.ndarray", args, kwargs, "shape dtype")
    given = {} if dtype is None else {"dtype": dtype}
    assert shape is not None
    return t.ctx.engine.library[id(np.empty)](t, (shape,), given)


def of_constants(constants: Any) -> Mapping[object, Handler]:
    """`scipy.constants.value` and `precision`, if that module is loaded."""

    def known(name: str) -> Handler:
        def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
            (key,) = bind(t, f"scipy.constants.{name}", args, kwargs, "key")
            if not isinstance(key, Static) or key.obj not in constants.physical_constants:
                raise t.error(
                    "RG0113", "a constant of another name", "write its name, as SciPy has it"
                )
            return literal(float(getattr(constants, name)(key.obj)))

        return handler

    return {getattr(constants, name): known(name) for name in ("value", "precision")}


def _always(name: str, value: bool) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        bind(t, name, args, kwargs, "x")
        return literal(value)

    return handler


def _itself(name: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, name, args, kwargs, "a")
        assert value is not None
        return as_array(t, value, None)

    return handler


def _indexed(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    raise t.error(
        "RG0107", "what is indexed is called", "write np.r_[a, b], np.s_[1:3], np.mgrid[0:2, 0:3]"
    )


def _refused(kind: type[object]) -> Handler:
    name = f"np.{kind.__name__}"
    wider = {"c": "np.complex128", "f": "np.float64"}
    way_out = wider.get(np.dtype(kind).kind, "np.int64")

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        raise t.error("RG0103", f"{name} is not accepted", f"numbers have 64 bits: use {way_out}")

    return handler


REFUSED = (
    np.float32, np.float16, np.longdouble, np.complex64, np.int32, np.int16, np.int8,
    np.uint8, np.uint16, np.uint32, np.uint64,
)  # fmt: skip

TABLE: Mapping[object, Handler] = {
    callable: _callable,
    np.isscalar: _isscalar,
    np.size: _size,
    np.finfo: _finfo,
    np.iinfo: _iinfo,
    np.ndarray: _empty,
    np.iscomplexobj: _always("np.iscomplexobj", False),
    np.isrealobj: _always("np.isrealobj", True),
    np.r_: _indexed,
    np.c_: _indexed,
    np.s_: _indexed,
    np.index_exp: _indexed,
    np.mgrid: _indexed,
    np.ogrid: _indexed,
    np.real: _itself("np.real"),
    np.real_if_close: _itself("np.real_if_close"),
    np.imag: _imag,
    np.isreal: _everywhere("np.isreal", True),
    np.iscomplex: _everywhere("np.iscomplex", False),
    np.iterable: _iterable,
    np.common_type: _common_type,
    np.result_type: _result_type("np.result_type"),
    np.promote_types: _result_type("np.promote_types"),
    np.issubdtype: _issubdtype,
    np.isdtype: _isdtype,
    np.can_cast: _can_cast,
    np.dtype: _dtype,
    **{kind: _refused(kind) for kind in REFUSED},
}
