"""Functions that are no ufuncs and are given `out=`: what they give is stored there."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from retrograd.frontend.library.args import is_none
from retrograd.frontend.library.ufunc_calls import stored
from retrograd.frontend.values.kinds import NONE, ArrayRef, Static, Value
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.types import DType

__all__ = ["call_with_out", "method_with_out"]

_ADDING = (np.sum, np.prod, np.cumsum, np.cumprod)
"""Functions that add up in the dtype of `out`."""


_BY_NAME_ONLY = 1_000_000


def call_with_out(
    t: Tracer,
    function: object,
    handler: Handler,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """The value of a function of NumPy's; that of `out` where it is given."""
    place = _place(function) if "out" in kwargs or len(args) > 2 else None
    if place is None:
        return handler(t, args, kwargs)
    named, given = dict(kwargs), list(args)
    out = named.pop("out", None)
    if out is None and len(args) > place:
        out = args[place]
        given = [*given[:place], NONE, *given[place + 1 :]] if len(args) > place + 1 else given[:-1]
    if is_none(out):
        return handler(t, given, named)
    is_floats = isinstance(out, ArrayRef) and out.type.dtype is DType.F64
    if is_floats and any(function is one for one in _ADDING):
        given, named = _of_floats(given, named)
    found = handler(t, given, named)
    ranks = [v.type.rank for v in (out, found) if isinstance(v, ArrayRef)]
    name = str(getattr(function, "__name__", ""))
    if len(ranks) != 2 or ranks[0] != ranks[1]:
        raise t.error("RG0108", f"np.{name} with this `out`", "give it an array of that shape")
    return stored(t, name, out, found)


def method_with_out(
    t: Tracer, name: str, handler: Handler, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The value of a method of arrays, as `call_with_out`."""
    return call_with_out(t, getattr(np, name, None), handler, args, kwargs)


def _of_floats(given: list[Value], named: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments with a dtype, the third of them, where there is none."""
    if len(given) > 2:
        dtype = Static(np.float64) if is_none(given[2]) else given[2]
        return [*given[:2], dtype, *given[3:]], named
    return given, {"dtype": Static(np.float64), **{k: v for k, v in named.items() if v != NONE}}


def _place(function: object) -> int | None:
    """Where `out` is among the arguments of a function of NumPy's that is no ufunc; None if it is
    not there."""
    module = str(getattr(function, "__module__", None) or "")
    if module not in ("numpy", "numpy.linalg") or isinstance(function, np.ufunc | type):
        return None
    try:
        names = inspect.signature(cast("Any", function)).parameters
    except ValueError:
        return None
    if "out" not in names:
        return None
    starred = any(one.kind is one.VAR_POSITIONAL for one in names.values())
    return _BY_NAME_ONLY if starred else list(names).index("out")
