"""Primitives that are there for what they do: checks that raise, and the tape.

The tape's primitives appear only after the reverse transformation, which is applied last, so they
have no derivatives; and they act on a tape that the evaluator owns, so they have no evaluation rule
of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.terms import Params
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type
from retrograd.messages import class_named, exception_of, speak
from retrograd.prims.core import (
    ZERO,
    Case,
    Effect,
    Primitive,
    RaisedError,
    Unsupported,
    param,
)  # fmt: skip
from retrograd.prims.facts import CHECK, TAPE, Bundled, Exact, Held
from retrograd.prims.rules import F1, ill_typed, require, span_of, values_case

__all__ = ["CONTROL", "MOST_SHOWN", "offloaded_in", "popped_types", "type_named"]


MOST_SHOWN = 8
"""How many numbers a message may show."""


def _check_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    """A condition, and the numbers that the message shows."""
    numbers = types[1:]
    good = len(numbers) <= MOST_SHOWN and all(t.is_scalar for t in numbers)
    require(good and types[:1] == (BOOL,), "check", types)
    return ()


def _check_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    if not args[0]:
        kind, message = str(param(params, "kind")), param(params, "message")
        if not isinstance(message, str):
            numbers = [np.asarray(value).item() for value in args[1:]]
            message = str(exception_of(kind, message, numbers))
        raise RaisedError(class_named(kind).__name__, message, span_of(params))
    return ()


def _output_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    """The numbers that the text shows."""
    require(len(types) <= MOST_SHOWN and all(t.is_scalar for t in types), "output", types)
    return ()


def _output_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    numbers = [np.asarray(value).item() for value in args]
    kind, pieces = param(params, "kind"), param(params, "message")
    speak(cast("tuple[Any, ...]", kind), cast("tuple[Any, ...]", pieces), numbers)
    return ()


def type_named(text: str) -> Type:
    """The type that is written so: `f64`, `i64[2]`."""
    dtype, bracket, rank = text.rstrip("]").partition("[")
    if dtype not in {d.value for d in DType}:
        raise CompilerBug(f"no type is written {text!r}")
    found = Type(DType(dtype), int(rank) if bracket else 0)
    if str(found) != text or found.rank > MAX_RANK:
        raise CompilerBug(f"no type is written {text!r}")
    return found


def _push_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    _check_offloaded("push", types, params)
    return ()


def popped_types(params: Params) -> tuple[Type, ...]:
    """The types of what a pop with these parameters takes off the tape."""
    return tuple(type_named(text) for text in cast(tuple[str, ...], param(params, "types")))


def _pop_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    if types:
        raise ill_typed("pop", types)
    found = popped_types(params)
    _check_offloaded("pop", found, params)
    return found


def offloaded_in(params: Params) -> tuple[tuple[int, str], ...]:
    """Of a push or pop: the positions of arrays that may leave memory, and the folders for them."""
    return cast("tuple[tuple[int, str], ...]", dict(params).get("offloaded", ()))


def _check_offloaded(op: str, types: tuple[Type, ...], params: Params) -> None:
    """What is offloaded are arrays, each to one folder, that do not lie on the tape themselves."""
    held = cast("tuple[int, ...]", dict(params).get("held", ()))
    places = [k for k, _ in offloaded_in(params)]
    fits = all(0 <= k < len(types) and types[k].rank for k in places)
    if not fits or places != sorted(set(places)) or not set(places).isdisjoint(held):
        raise CompilerBug(f"{op} offloads {places} of {', '.join(map(str, types))}")


def _no_tape(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    raise CompilerBug("push and pop are evaluated by the evaluator, on its tape")


def _control() -> tuple[Primitive, ...]:
    last = Unsupported("code that uses the tape is not differentiated again")
    silent = Unsupported("derivatives are silent: the function is run once for what it shows")
    blame: Params = (("kind", "ValueError"), ("message", "no"), ("span", None))
    pieces = (("", "text", ("no: ", ("format", 0, ".3g"), ("str", 1, ""))), ("", "value", 2))
    shows: Params = (("kind", "ValueError"), ("message", pieces), ("span", None))
    return (
        Primitive(
            "check", _check_type, _check_eval, ZERO, ZERO,
            (
                values_case((BOOL,), (np.True_,), blame),
                values_case(
                    (BOOL, F64, I64, BOOL),
                    (np.True_, np.float64(0.5), np.int64(3), np.False_), shows,
                ),
            ), CHECK, effect=Effect.CHECK,
        ),
        Primitive(
            "output", _output_type, _output_eval, silent, silent,
            (Case((), (("kind", ("print", "", "stdout")), ("message", ()))),),
            replace(CHECK, exact=Exact.NEVER, held=Held.SAME), effect=Effect.OUTPUT,
        ),
        Primitive(
            "push", _push_type, _no_tape, last, last,
            (Case((F64, F1, I64)), Case((F1,), (("offloaded", ((0, "/scratch"),)),)), Case(())),
            replace(TAPE, bundled=Bundled.ANY), effect=Effect.TAPE,
        ),
        Primitive(
            "pop", _pop_type, _no_tape, last, last,
            (Case((), (("types", ("f64", "f64[1]", "bool[2]")),)),), TAPE, effect=Effect.TAPE,
        ),
    )  # fmt: skip


CONTROL: tuple[Primitive, ...] = _control()
