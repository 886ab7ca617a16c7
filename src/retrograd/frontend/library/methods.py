"""Attributes and methods of arrays, numbers and tuples."""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType, UnionType
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.objects import is_outlet
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.signatures import SAID, said
from retrograd.frontend.identity.specs import DISPATCHED
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.array_functions import FOLDS_AT
from retrograd.frontend.library.array_methods import ARRAY_METHODS, SCALAR_METHODS
from retrograd.frontend.library.complexes import attribute_of_complex, call_complex_method
from retrograd.frontend.library.create import dims_of
from retrograd.frontend.library.environment import get_variable, is_environment
from retrograd.frontend.library.inquiries import attribute_of_dtype, dtype_value, limit
from retrograd.frontend.library.instances import attribute, call_object, exception_attribute
from retrograd.frontend.library.layouts import layout
from retrograd.frontend.library.members import member_attribute
from retrograd.frontend.library.out_arguments import method_with_out
from retrograd.frontend.library.output import LEVELS, call_logger
from retrograd.frontend.library.patterns import (
    call_expression,
    expression_attribute,
    is_expression,
)
from retrograd.frontend.library.plain.families_of_series import FITS
from retrograd.frontend.library.plain.views import itemsize_of, namespace_of, nbytes_of
from retrograd.frontend.library.reduce import transpose
from retrograd.frontend.library.spelt_out import spelt_out
from retrograd.frontend.library.splitting import SPLITS
from retrograd.frontend.library.squeezing import squeeze
from retrograd.frontend.library.stats_objects import has_methods, method_of, thawed_of
from retrograd.frontend.library.text_methods import METHODS as TEXT_METHODS
from retrograd.frontend.library.text_methods import call_text
from retrograd.frontend.library.texts import pieces_of
from retrograd.frontend.library.ufunc_methods import METHODS as UFUNC_METHODS
from retrograd.frontend.library.ufunc_methods import call_ufunc_method
from retrograd.frontend.library.ways_out import of_array_method, of_solution
from retrograd.frontend.library.written_rotations import METHODS as ROTATIONS
from retrograd.frontend.library.written_series import power_fit
from retrograd.frontend.values.arrays import extent
from retrograd.frontend.values.complexes import is_about_complex
from retrograd.frontend.values.dicts import dict_of
from retrograd.frontend.values.function_attributes import function_attribute, is_given
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    Closure,
    ComplexValue,
    Failure,
    Instance,
    RangeValue,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.numbers import of_numpy, of_python
from retrograd.frontend.values.object_rows import held_by_name
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.scopes import assigned_name, is_space, module_attribute
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["METHODS", "attribute_of", "call_method"]

LIST_METHODS = frozenset({
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
})  # fmt: skip
DICT_METHODS = frozenset({
    "clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values",
})  # fmt: skip
Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def attribute_of(t: Tracer, value: Value, name: str) -> Value:
    """`value.name`."""
    value = sure(t, value, f"'NoneType' object has no attribute '{name}'", "AttributeError")
    match value:
        case Instance() | TupleValue() if value.cls is list and name in LIST_METHODS:
            return Bound(value, name)
        case Instance() if value.cls is dict and name in DICT_METHODS:
            return Bound(value, name)
        case Instance() if value.cls not in (list, dict):
            return attribute(t, value, name)
        case _ if (found := _of_every_class(t, value, name)) is not None:
            return found
        case ArrayRef() | ComplexValue():
            return _array_attribute(t, value, name)
        case TupleValue() | RangeValue() if (found := _tuple_attribute(t, value, name)) is not None:
            return found
        case Scalar() if name in SCALAR_METHODS:
            return Bound(value, name)
        case Scalar() if name in _OF_NUMBERS:
            return _scalar_attribute(t, value, name)
        case Static(obj=str()) | Text() if name in TEXT_METHODS:
            return Bound(value, name)
        case Failure() if (held := exception_attribute(t, value, name)) is not None:
            return held
        case Static() | Closure():
            return _known_attribute(t, value, name)
        case _:
            raise _no_attribute(t, value, name)


def _of_every_class(t: Tracer, value: Value, name: str) -> Value | None:
    """The class of a value, or an operator of it as a method; None of other names."""
    if name == "__class__":
        return t.call(Static(type), (value,), {})
    return spelt_out(value, name)


def _no_attribute(t: Tracer, value: Value, name: str) -> Exception:
    if isinstance(value, TupleValue) and (found := of_solution(value.cls, name)) is not None:
        return t.error("RG0107", *found)
    return t.error(
        "RG0107",
        f"{describe(value)} has no attribute {name!r} here",
        f"use an operator, or a function that takes {describe(value)}",
        python=AttributeError,
    )


CLASS_METHODS: Mapping[tuple[object, str], FunctionType] = {
    (np.polynomial.Polynomial, "fit"): power_fit,
    **{(getattr(np.polynomial, name), "fit"): program for name, program in FITS.items()},
}
"""Functions of classes that are known, which are other objects whenever they are looked up."""

_OF_NUMBERS = ("real", "imag", "T", "ndim", "shape", "size", "dtype", "device")


def _scalar_attribute(t: Tracer, value: Scalar, name: str) -> Value:
    """What NumPy's numbers have besides methods."""
    known: dict[str, Value] = {
        "ndim": Scalar(ilit(0)), "shape": TupleValue(()), "size": Scalar(ilit(1)),
        "dtype": dtype_value(value.type.dtype), "device": Static("cpu"),
        "imag": Scalar(convert(t, ilit(0), value.type.dtype)),
    }  # fmt: skip
    return known.get(name, value)


def _tuple_attribute(t: Tracer, value: TupleValue | RangeValue, name: str) -> Value | None:
    """A field, method or property of a NamedTuple or frozen dataclass, or an end of a range or a
    slice; None where there is none."""
    if isinstance(value, RangeValue):
        ends = {"start": value.start, "stop": value.stop, "step": value.step}
        return None if value.backwards else ends.get(name)
    fields = ("start", "stop", "step") if value.cls is slice else fields_of(value.cls) or ()
    if name in fields:
        return value.items[fields.index(name)]
    if value.cls is slice:
        return None
    if name in ("_replace", "_asdict") and fields and issubclass(value.cls, tuple):
        return Bound(value, name)
    if name == "_fields" and issubclass(value.cls, tuple):
        return TupleValue(tuple(map(Static, fields)))
    t.recorder.ask("attribute", value.cls, name, STATIC)
    member: object = getattr(value.cls, name, None)
    if isinstance(member, property) and isinstance(member.fget, FunctionType):
        return t.call(Static(member.fget), (value,), {})
    return Bound(value, name) if isinstance(member, FunctionType) else None


def _known_attribute(t: Tracer, value: Static | Closure, name: str) -> Value:
    """An attribute of a function, or of what is baked in."""
    if name == "__name__" and (own := _name_of(t, value)) is not None:
        return own
    if isinstance(value, Closure):
        if is_given(t, value, name):
            return function_attribute(t, value, name)
        raise _no_attribute(t, value, name)
    if isinstance(value.obj, FunctionType) and name in vars(value.obj):
        if (place := assigned_name(t, vars(value.obj), name)) is not None:
            return t.content(place.cell("value"))
        return module_attribute(t, value.obj, name)
    if isinstance(value.obj, FunctionType) and name in SAID:
        return t.call(Static(said), (value, Static(name)), {})
    if name == "get" and is_environment(value):
        return Bound(value, name)
    return _baked_attribute(t, value, name)


def _name_of(t: Tracer, value: Static | Closure) -> Value | None:
    """The name of a function or a class; None where a decorator may give it another."""
    if isinstance(value, Closure):
        node = value.source.node
        if isinstance(node, ast.Lambda):
            return Static("<lambda>")
        return None if node.decorator_list else Static(node.name)
    match value.obj:
        case FunctionType() as function:
            return module_attribute(t, function, "__name__")
        case BuiltinFunctionType() | np.ufunc() | type() as known:
            return Static(known.__name__)
        case known if type(known) is DISPATCHED:
            return Static(str(getattr(known, "__name__", "")))
        case _:
            return None


def _class_method(holder: object, name: str) -> FunctionType | None:
    """What stands for a function of a class that is known."""
    if getattr(holder, "__module__", None) == "scipy.spatial.transform._rotation":
        return ROTATIONS.get(name)
    return CLASS_METHODS.get((holder, name))


def _baked_attribute(t: Tracer, value: Static, name: str) -> Value:
    match value.obj:
        case ModuleType() | type() as holder:
            known = _class_method(holder, name)
            return module_attribute(t, holder, name) if known is None else Static(known)
        case Enum():
            return member_attribute(t, value, name)
        case np.ufunc() as ufunc if name == "at" and ufunc in FOLDS_AT:
            return Static(FOLDS_AT[ufunc])
        case np.ufunc() if name in UFUNC_METHODS:
            return Bound(value, name)
        case np.dtype() as dtype:
            return attribute_of_dtype(t, cast("np.dtype[Any]", dtype), name)
        case UnionType() as union if name == "__args__":
            return TupleValue(tuple(Static(one) for one in union.__args__))
        case np.finfo() | np.iinfo() | sys.float_info as limits:
            return limit(t, cast("object", limits), name)
        case obj if has_methods(obj):
            thawed = thawed_of(t, obj)
            return method_of(t, obj, name) if thawed is None else attribute_of(t, thawed, name)
        case obj if is_expression(obj):
            return expression_attribute(t, value, name)
        case obj if is_space(obj):
            return module_attribute(t, obj, name)
        case obj if name in LEVELS and is_outlet(obj):
            return Bound(value, name)
        case _:
            raise t.error(
                "RG0107",
                f"{describe(value)} has no attribute {name!r} here",
                f"use an operator, or a function that takes {describe(value)}",
            )


_OF_ALL: Mapping[str, object] = {"device": "cpu", "__array_namespace__": namespace_of}
_MADE_BY: Mapping[str, object] = {
    "imag": np.zeros_like, "flat": np.ravel, "mT": np.matrix_transpose,
    "itemsize": itemsize_of, "nbytes": nbytes_of,
}  # fmt: skip


def _array_attribute(t: Tracer, ref: ArrayRef | ComplexValue, name: str) -> Value:
    if isinstance(ref, ComplexValue):
        return attribute_of_complex(t, ref, name)
    match name:
        case "shape":
            return TupleValue(tuple(Scalar(dim, True, False) for dim in dims_of(t, ref)))
        case "ndim":
            return Scalar(ilit(ref.type.rank))
        case "real":
            return ref
        case "imag" | "flat" | "mT" | "itemsize" | "nbytes":
            return t.call(Static(_MADE_BY[name]), (ref,), {})
        case "size":
            total: Atom = ilit(1)
            for axis in range(ref.type.rank):
                dim = extent(t, ref, axis)
                total = dim if axis == 0 else t.prim("mul", total, dim)
            return Scalar(total, True, False)
        case "T":
            return transpose(t, (ref,), {})
        case "dtype":
            return dtype_value(ref.type.dtype)
        case "device" | "__array_namespace__":
            return Static(_OF_ALL[name])
        case _ if name in ARRAY_METHODS:
            return Bound(ref, name)
        case _:
            way_out = of_array_method(name)
            known = None if name in dir(np.ndarray) else AttributeError
            raise t.error("RG0107", f"the array method {name!r} is not known", way_out, known)


def replaced(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dataclasses.replace` and `_replace` of a NamedTuple."""
    value = args[0]
    if isinstance(value, Instance) and len(args) == 1:
        cls = cast("Any", value.cls)
        if dataclasses.is_dataclass(cls):
            own = [
                f.name for f in dataclasses.fields(cls) if f.init and f.name in layout(t, value.cls)
            ]
            kept = {n: held_by_name(t, value, n) for n in own if n not in kwargs}
            return t.call(Static(cls), (), {**kept, **kwargs})
    fields = fields_of(value.cls) if isinstance(value, TupleValue) else None
    if not isinstance(value, TupleValue) or fields is None or len(args) != 1:
        raise t.error("RG0108", f"replace in {describe(value)}", "use a NamedTuple or a dataclass")
    for name in kwargs:
        if name not in fields:
            raise t.error(
                "RG0108", f"{describe(value)} has no field {name!r}", "see its definition"
            )
    items = zip(fields, value.items, strict=True)
    return TupleValue(tuple(kwargs.get(name, item) for name, item in items), value.cls)


METHODS: Mapping[object, Handler] = {
    dataclasses.replace: replaced, np.squeeze: squeeze, **SPLITS,
}  # fmt: skip


def call_method(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """A call of a method."""
    if isinstance(method.receiver, Scalar | ArrayRef | ComplexValue) and is_about_complex(
        (method.receiver, *args, *kwargs.values())
    ):
        return call_complex_method(t, method, args, kwargs)
    if isinstance(method.receiver, Instance):
        return call_object(t, method, args, kwargs)
    if pieces_of(method.receiver) is not None:
        return call_text(t, method, args, kwargs)
    if isinstance(method.receiver, Static) and isinstance(method.receiver.obj, Enum):
        own: object = getattr(type(method.receiver.obj), method.name)
        return t.call(Static(own), (method.receiver, *args), kwargs)
    if isinstance(method.receiver, Static) and is_outlet(method.receiver.obj):
        return call_logger(t, method, args, kwargs)
    if isinstance(method.receiver, Static) and is_expression(method.receiver.obj):
        return call_expression(t, method, args, kwargs)
    if is_environment(method.receiver):
        return get_variable(t, args, kwargs)
    if isinstance(method.receiver, Static):
        return call_ufunc_method(t, method, args, kwargs)
    if isinstance(method.receiver, TupleValue):
        if method.name == "_replace":
            return replaced(t, (method.receiver, *args), kwargs)
        if method.name == "_asdict":
            bind(t, "_asdict", args, kwargs, "", 0)
            return dict_of(t, fields_of(method.receiver.cls) or (), method.receiver.items)
        function: object = getattr(method.receiver.cls, method.name)
        return t.call(Static(function), (method.receiver, *args), kwargs)
    table = ARRAY_METHODS if isinstance(method.receiver, ArrayRef) else SCALAR_METHODS
    given = (method.receiver, *args)
    made = method_with_out(t, method.name, table[method.name], given, kwargs)
    return of_python(made) if method.name in _OF_PYTHON else of_numpy(made)


_OF_PYTHON = ("item", "tolist", "bit_length", "is_integer")
