"""The translation of `np.einsum`, whose plan is made at compile time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.create import as_operand
from retrograd.frontend.library.plain.einsum import labels_of, run
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value, describe
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE"]


def _rank(t: Tracer, value: Value) -> int:
    match value:
        case Scalar():
            return 0
        case ArrayRef():
            return value.type.rank
        case _:
            raise t.error("RG0110", f"{describe(value)} in np.einsum", "give it arrays")


def _value(argument: Value | str | int | tuple[int, ...]) -> Value:
    match argument:
        case str():
            return Static(argument)
        case int():
            return literal(argument)
        case tuple():
            return TupleValue(tuple(literal(item) for item in argument))
        case _:
            return argument


def _einsum(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    for name in kwargs:
        if name != "optimize":
            raise t.error("RG0108", f"np.einsum with {name!r} is not accepted", "leave it out")
    first = args[0] if args else None
    if not isinstance(first, Static) or not isinstance(first.obj, str) or len(args) < 2:
        raise t.error("RG0108", "np.einsum without subscripts", 'write them: "ij,jk->ik"')
    operands = [as_operand(t, value) for value in args[1:]]

    def call(program: object, *arguments: Value | str | int | tuple[int, ...]) -> Value:
        return t.call(Static(program), [_value(argument) for argument in arguments], {})

    try:
        inputs, output = labels_of(first.obj, [_rank(t, x) for x in operands])
    except ValueError as error:
        raise t.error("RG0108", f"np.einsum: {error}", "correct the subscripts") from None
    return run(inputs, output, operands, call)


TABLE: Mapping[object, Handler] = {np.einsum: _einsum}
