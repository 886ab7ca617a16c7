"""What NumPy says of values and types: sizes, limits of dtypes; and which dtypes there are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.args import bind, dtype_from
from retrograd.frontend.library.create import as_array, dims_of
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import (
    Bound,
    Closure,
    Instance,
    Scalar,
    Static,
    Transform,
    Value,
)
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import DType

__all__ = ["TABLE", "limit"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _isscalar(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.isscalar", args, kwargs, "element")
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
    if dtype_from(t, kind, DType.I64) is not DType.I64:
        raise t.error("RG0108", "np.iinfo of a type that is no int", "use np.finfo")
    return Static(np.iinfo(np.int64))


_LIMITS = ("eps", "epsneg", "max", "min", "tiny", "smallest_normal", "resolution", "bits", "nmant")


def limit(t: Tracer, of: object, name: str) -> Value:
    """An attribute of what `np.finfo` or `np.iinfo` gives."""
    value: object = getattr(of, name, None) if name in _LIMITS else None
    if isinstance(value, np.float64):
        return literal(float(value))
    if isinstance(value, int):
        return literal(value)
    raise t.error("RG0107", f"the limit {name!r} is not known", "write the number out")


def _empty(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    shape, dtype = bind(t, "np.ndarray", args, kwargs, "shape dtype")
    given = {} if dtype is None else {"dtype": dtype}
    assert shape is not None
    return t.ctx.engine.library[id(np.empty)](t, (shape,), given)


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
    raise t.error("RG0107", "what is indexed is called", "write np.r_[a, b], np.s_[1:3]")


def _refused(kind: type[object]) -> Handler:
    name = f"np.{kind.__name__}"
    wider = {"c": "two floats, the real and the imaginary part", "f": "np.float64"}
    way_out = wider.get(np.dtype(kind).kind, "np.int64")

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        raise t.error("RG0103", f"{name} is not accepted", f"numbers have 64 bits: use {way_out}")

    return handler


_NARROW = (
    np.float32, np.float16, np.longdouble, np.complex64, np.complex128, np.int32, np.int16, np.int8,
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
    np.real: _itself("np.real"),
    **{kind: _refused(kind) for kind in _NARROW},
}
