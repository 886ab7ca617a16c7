"""Masked arrays: the functions of `numpy.ma`, and what NumPy's own functions do with them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.identity.masked_arrays import MaskedArray
from retrograd.frontend.library.plain import masked
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.kinds import NONE, Static, TupleValue, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["of_masked", "of_masked_arguments"]

op: Any = operator

Args = Sequence[Value]
Kwargs = Mapping[str, Value]

_MADE = "data dtype copy order mask fill_value keep_mask hard_mask shrink subok ndmin"
_OF_CLASS = "data mask dtype copy subok ndmin fill_value keep_mask hard_mask shrink order"
_NAMES = {
    "asarray": "a dtype order", "masked_where": "condition a copy", "masked_invalid": "a copy",
    "masked_equal": "x value copy", "masked_not_equal": "x value copy",
    "masked_greater": "x value copy", "masked_greater_equal": "x value copy",
    "masked_less": "x value copy", "masked_less_equal": "x value copy",
    "masked_values": "x value rtol atol copy shrink", "masked_inside": "x v1 v2 copy",
    "masked_outside": "x v1 v2 copy", "zeros": "shape dtype", "ones": "shape dtype",
    "masked_all": "shape dtype", "getdata": "a subok", "getmask": "a", "getmaskarray": "arr",
    "is_masked": "x", "isMaskedArray": "x", "filled": "a fill_value", "compressed": "x",
    "count": "obj axis keepdims", "sum": "a axis dtype out keepdims",
    "prod": "a axis dtype out keepdims", "mean": "a axis dtype out keepdims",
    "var": "a axis dtype out ddof keepdims", "std": "a axis dtype out ddof keepdims",
    "min": "a axis out fill_value keepdims", "max": "a axis out fill_value keepdims",
    "any": "a axis out keepdims", "all": "a axis out keepdims",
    "ptp": "a axis out fill_value keepdims", "argmin": "a axis fill_value out",
    "argmax": "a axis fill_value out", "cumsum": "a axis dtype out",
    "anom": "a axis dtype", "ravel": "a order", "reshape": "a new_shape order",
    "transpose": "a axes", "squeeze": "a axis", "where": "condition x y",
    "median": "a axis out overwrite_input keepdims", "average": "a axis weights returned",
    "concatenate": "arrays axis", "dot": "a b strict out",
}  # fmt: skip
_DOMAINS: Mapping[str, Callable[..., Any]] = {
    "sqrt": masked.below_zero, "log": masked.not_positive, "log2": masked.not_positive,
    "log10": masked.not_positive, "arcsin": masked.beyond_one, "arccos": masked.beyond_one,
    "arccosh": masked.below_one, "arctanh": masked.no_area, "tan": masked.no_tangent,
}  # fmt: skip
_EVERYWHERE = (
    "exp", "sin", "cos", "arctan", "arcsinh", "sinh", "cosh", "tanh", "fabs", "negative", "floor",
    "ceil", "absolute",
)  # fmt: skip
_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": op.add, "subtract": op.sub, "multiply": op.mul,
    "divide": op.truediv, "true_divide": op.truediv,
    "floor_divide": op.floordiv, "equal": op.eq, "not_equal": op.ne,
    "less": op.lt, "less_equal": op.le, "greater": op.gt,
    "greater_equal": op.ge, "power": op.pow,
}  # fmt: skip
_QUESTIONS = (np.isnan, np.isfinite, np.isinf, np.signbit, np.logical_not)
_DIVIDING = (np.divide, np.floor_divide, np.remainder, np.fmod)
_METHODS: Mapping[object, Callable[..., Any]] = {
    np.sum: masked.sum, np.prod: masked.prod, np.mean: masked.mean, np.var: masked.var,
    np.std: masked.std, np.min: masked.min, np.max: masked.max, np.any: masked.any,
    np.all: masked.all, np.argmin: masked.argmin, np.argmax: masked.argmax,
    np.cumsum: masked.cumsum, np.ravel: masked.ravel, np.reshape: masked.reshape,
    np.transpose: masked.transpose, np.squeeze: masked.squeeze, np.copy: masked.copy,
    np.round: masked.around, np.around: masked.around, np.clip: masked.clip,
    np.shape: masked.shape, np.ndim: masked.ndim, np.size: masked.size,
    np.asarray: masked.plain, np.array: masked.plain_copy, np.where: masked.chosen,
}  # fmt: skip
"""Functions that ask an array for a method of that name, or take its elements."""
_WAY_OUT = "use a function of np.ma, m.filled(value) or m.compressed()"


def _operation(program: Callable[..., Any], *first: Value) -> Handler:
    return lambda t, args, kwargs: t.call(Static(program), [*first, *args], kwargs)


def of_masked(module: Any) -> Mapping[object, Handler]:
    """The functions of `numpy.ma`, if it is loaded."""
    programs = {
        getattr(module, name): compiled(
            Plain(
                getattr(module, name),
                getattr(masked, name),
                words,
                label=f"np.ma.{name}",
            )
        )
        for name, words in _NAMES.items()
    }
    undefined = {
        getattr(module, name): _operation(
            masked.by_function, Static(getattr(np, name)), _domain_of(name)
        )
        for name in (*_DOMAINS, *_EVERYWHERE)
    }
    operators = {
        getattr(module, name): _operation(masked.operated, Static(program))
        for name, program in _OPERATORS.items()
    }
    return {
        module.array: compiled(Plain(module.array, masked.array, _MADE, label="np.ma.array")),
        module.MaskedArray: compiled(
            Plain(module.MaskedArray, masked.array, _OF_CLASS, label="np.ma.masked_array")
        ),
        **programs, **undefined, **operators,
    }  # fmt: skip


def _domain_of(name: str) -> Value:
    return Static(_DOMAINS[name]) if name in _DOMAINS else NONE


def of_masked_arguments(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value | None:
    """What a function of NumPy's gives of arrays that are masked; None of other arguments."""
    if not any(isinstance(one, TupleValue) and one.cls is MaskedArray for one in args):
        return None
    program = _METHODS.get(obj)
    if program is not None:
        return t.call(Static(program), args, kwargs)
    if isinstance(obj, np.ufunc) and not kwargs:
        return _of_ufunc(t, obj, args)
    module = str(getattr(obj, "__module__", None) or "").partition(".")[0]
    if module in ("numpy", "scipy") and not _is_of_masked(obj):
        name = getattr(obj, "__name__", "")
        raise t.error("RG0107", f"{module}'s {name} of a masked array", _WAY_OUT)
    return None


def _is_of_masked(obj: object) -> bool:
    holder = obj if isinstance(obj, type) else type(obj)
    modules = (getattr(obj, "__module__", None), holder.__module__)
    return any(str(one).startswith("numpy.ma") for one in modules)


def _of_ufunc(t: Tracer, ufunc: np.ufunc, args: Args) -> Value:
    if ufunc.nout != 1 or len(args) != ufunc.nin:
        raise t.error("RG0107", f"np.{ufunc.__name__} of a masked array", _WAY_OUT)
    if ufunc in _QUESTIONS:
        return t.call(Static(masked.asked), (Static(ufunc), *args), {})
    if ufunc.nin == 1:
        domain = _domain_of(ufunc.__name__)
        return t.call(Static(masked.by_ufunc), (Static(ufunc), domain, *args), {})
    divides = literal(ufunc in _DIVIDING)
    return t.call(Static(masked.by_two), (Static(ufunc), divides, *args), {})
