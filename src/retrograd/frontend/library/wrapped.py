"""Functions that a library has made of others: what is called is the function inside."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.specs import CACHED, python_of
from retrograd.frontend.library.outside_curves import curve_of
from retrograd.frontend.library.partials import remembered
from retrograd.frontend.library.written_closures import vectorize
from retrograd.frontend.values.kinds import NONE, Static, Value
from retrograd.frontend.values.scopes import lift, module_attribute
from retrograd.frontend.values.tracer import Tracer

__all__ = ["function_inside", "is_with_errstate"]

_AUTOGRAD = "autograd.numpy.numpy_wrapper"


def _made_in(function: Callable[..., Any]) -> frozenset[CodeType]:
    """The code of the functions that are written inside of a function."""
    code = cast("FunctionType", function).__code__
    return frozenset(one for one in code.co_consts if isinstance(one, CodeType))


_KINDS = ("float64", "int64", "bool")
_WITH_ERRSTATE = _made_in(np.errstate.__call__)


def function_inside(t: Tracer, obj: object) -> Value | None:
    """The function of which numba, autograd, `functools.cache`, `np.vectorize`, or `np.errstate`
    as a decorator has made another one, or a curve from outside; None of all else."""
    if isinstance(obj, FunctionType):
        return _inside_function(t, obj)
    if type(obj) is CACHED:
        return remembered(t, obj)
    if isinstance(obj, np.vectorize):
        return _vectorised(t, obj)
    python = python_of(obj)
    return curve_of(t, obj) if python is None else Static(python)


def is_with_errstate(obj: object) -> bool:
    """Whether `np.errstate`, as a decorator, has made a function."""
    return isinstance(obj, FunctionType) and obj.__code__ in _WITH_ERRSTATE


def _inside_function(t: Tracer, function: FunctionType) -> Value | None:
    """autograd is recognised by the names of its modules; it need not be there."""
    if is_with_errstate(function):
        return _without_errstate(t, function)
    module: object = function.__globals__.get("__name__")
    if module == "autograd.tracer" and "f_raw" in function.__code__.co_freevars:
        place = function.__code__.co_freevars.index("f_raw")
        cell = (function.__closure__ or ())[place]
        return lift(t, cell.cell_contents, "cell", cell, "f_raw")
    if module == _AUTOGRAD:
        names = (name for name, one in function.__globals__.items() if one is function)
        known = (getattr(np, name, None) for name in names)
        return next((Static(one) for one in known if callable(one)), None)
    return None


def _without_errstate(t: Tracer, function: FunctionType) -> Value:
    """Errors that are ignored, or warned of, are results like others, as in a `with`."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    state = cells["self"].cell_contents
    for name in ("all", "divide", "over", "under", "invalid"):
        how: object = getattr(state, f"_{name}", None)
        if how not in ("ignore", "warn", "print", None):
            raise t.error(
                "RG0127", f"`errstate` with {name}={how!r}",
                "test the result: np.isfinite(x); numbers follow IEEE 754 here and do not raise",
            )  # fmt: skip
    t.recorder.obstacle = t.recorder.obstacle or "the settings of `np.errstate` were asked for"
    return module_attribute(t, function, "__wrapped__")


def _vectorised(t: Tracer, obj: Any) -> Value:
    if obj.excluded:
        raise t.error(
            "RG0108", "np.vectorize with `excluded`", "write a loop over the elements"
        )  # fmt: skip
    kinds = [np.dtype(kind) for kind in obj.otypes or ()]
    if len(kinds) > 1 or any(kind.name not in _KINDS for kind in kinds):
        raise t.error(
            "RG0108", f"np.vectorize with otypes={obj.otypes!r}",
            "use otypes=[float], [int] or [bool], or none",
        )  # fmt: skip
    t.recorder.obstacle = t.recorder.obstacle or "the settings of `np.vectorize` were asked for"
    function = module_attribute(t, obj, "pyfunc")
    signature = NONE if obj.signature is None else Static(str(obj.signature))
    kind = Static(kinds[0]) if kinds else NONE
    return t.call(Static(vectorize), (function, kind, signature), {})
