"""Filters of `scipy.signal` that are designed while a program is translated: they are constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from retrograd.frontend.library.args import bind_given
from retrograd.frontend.library.plain import butterworth, signals
from retrograd.frontend.values.kinds import Scalar, Static, TupleValue, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, Lit, Prim, Stm
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.optimise.algebra import fold

__all__ = ["DESIGNS", "of_scipy"]

DESIGNS = (
    "butter", "buttord", "cheby1", "cheby2", "ellip", "bessel", "firwin", "firwin2", "iirfilter",
    "iirnotch", "iirpeak", "iircomb", "savgol_coeffs", "sosfilt_zi",
)  # fmt: skip

_OF_THE_RUN: Mapping[str, tuple[Callable[..., Any], str, int]] = {
    "butter": (butterworth.butter, "N Wn btype analog output fs", 2),
    "sosfilt_zi": (signals.sosfilt_zi, "sos", 1),
}
"""Programs for numbers of the run, with their parameters and how many of these are needed."""


class _Unknown(Exception):
    """An argument is not known when the program is translated."""


def _known(prims: PrimitiveSet, stms: Sequence[Stm], atom: Atom) -> Lit:
    """A number, calculated of literals if need be."""
    if isinstance(atom, Lit):
        return atom
    for place in range(len(stms) - 1, -1, -1):
        if atom in stms[place].outs:
            expr = stms[place].expr
            if isinstance(expr, Prim):
                args = tuple(_known(prims, stms[:place], arg) for arg in expr.args)
                found = fold(Prim(expr.op, args, expr.params), prims)
                if found is not None:
                    return found[stms[place].outs.index(atom)]
            break
    raise _Unknown


def _python(t: Tracer, value: Value) -> Any:
    """The Python object that a value is."""
    match value:
        case Scalar():
            return _known(t.ctx.prims, t.b.stms, value.atom).value
        case TupleValue():
            return [_python(t, item) for item in value.items]
        case Static(obj=None | str() as obj):
            return obj
        case _:
            raise _Unknown


def _value(t: Tracer, found: Any) -> Value | None:
    """What the program has for a result; None of complex numbers."""
    if isinstance(found, tuple):
        parts = [_value(t, one) for one in cast("tuple[object, ...]", found)]
        items = tuple(part for part in parts if part is not None)
        return TupleValue(items, tuple) if len(items) == len(parts) else None
    array = np.asarray(found)
    if array.dtype.kind not in "if":
        return None
    if array.ndim == 0:
        return literal(int(array) if array.dtype.kind == "i" else float(array))
    return t.ctx.engine.library[id(np.array)](t, (_nested(array.tolist()),), {})


def _nested(rows: Any) -> Value:
    if isinstance(rows, list):
        return TupleValue(tuple(map(_nested, cast("list[Any]", rows))), tuple)
    return literal(rows)


def _design(name: str, function: Callable[..., Any]) -> Handler:
    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        try:
            given = [_python(t, arg) for arg in args]
            named = {key: _python(t, value) for key, value in kwargs.items()}
        except _Unknown:
            if name in _OF_THE_RUN:
                program, words, needed = _OF_THE_RUN[name]
                passed = bind_given(t, f"scipy.signal.{name}", args, kwargs, words, needed)
                return t.call(Static(program), (), passed)
            raise t.error(
                "RG0113", f"scipy.signal.{name} of numbers that are known at run time only",
                "write the numbers out, or design the filter before and pass its coefficients",
            ) from None  # fmt: skip
        try:
            found = function(*given, **named)
        except (TypeError, ValueError) as error:
            raise t.error(
                "RG0108", f"scipy.signal.{name}: {error}", "see the documentation of SciPy",
                python=type(error),
            ) from None  # fmt: skip
        made = _value(t, found)
        if made is None:
            raise t.error(
                "RG0108", f"scipy.signal.{name} with complex results",
                'ask for output="ba" or output="sos"',
            )  # fmt: skip
        return made

    return handler


def of_scipy(signal: Any) -> Mapping[object, Handler]:
    """The table of designs."""
    return {getattr(signal, name): _design(name, getattr(signal, name)) for name in DESIGNS}
