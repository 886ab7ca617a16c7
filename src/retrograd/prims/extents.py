"""Extents of arrays: checks that operands fit, and the extent that broadcasting gives.

Primitives on arrays are pure, although they cannot be applied to operands that do not fit. So what
has to hold of their operands' extents is a statement of its own, which the frontend makes before
each of them (`demand`): it stays where the result is not needed, moves out of loops and goes where
the extents are proved to be equal. The rules of `Primitive.demands` are written with the functions
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Lit, Params, ilit
from retrograd.ir.types import I64, Type
from retrograd.prims.core import ZERO, Effect, Primitive, PrimitiveSet, RaisedError, param
from retrograd.prims.facts import CHECK, SCALAR, Exact
from retrograd.prims.lengths import Along, Common, Length, Lengths
from retrograd.prims.rules import require, span_of, values_case

__all__ = [
    "EXTENTS", "FIT_MESSAGE", "demand", "extents_fit", "extents_of", "fit", "not_empty",
    "not_negative", "same", "stretch",
]  # fmt: skip

FIT_MESSAGE = "operands could not be broadcast together: extents {0} and {1}"


# What primitives demand. Nothing is emitted that is known to hold.


def demand(
    b: Builder, prims: PrimitiveSet, op: str, args: tuple[Atom, ...], params: Params
) -> None:
    """Emits the checks without which a primitive must not be applied to these operands."""
    primitive = prims[op]
    if primitive.demands is not None:
        primitive.demands(b, args, params)
    elif primitive.elementwise:
        arrays = list(dict.fromkeys(a for a in args if a.type.rank))
        for back in range(1, max((a.type.rank for a in arrays), default=0) + 1):
            along = [a for a in arrays if a.type.rank >= back]
            if len(along) > 1:
                fit(b, [b.prim("dim", a, axis=a.type.rank - back) for a in along])


def _pair(b: Builder, how: str, m: Atom, n: Atom, message: str) -> None:
    if m != n:
        b.effect("check_extents", m, n, how=how, message=message, span=b.prov.span)


def extents_of(b: Builder, args: tuple[Atom, ...], lengths: Lengths) -> list[Atom]:
    """Extents of a result as values, which are read and calculated."""

    def value(length: Length) -> Atom:
        match length:
            case int():
                return ilit(length)
            case Along(operand, axis):
                return b.prim("dim", args[operand], axis=axis)
            case Common(parts):
                found = [value(part) for part in parts]
                total = found[0]
                for other in found[1:]:
                    total = b.prim("common_extent", total, other)
                return total
            case _:
                return length

    return [value(length) for length in lengths]


def fit(b: Builder, extents: Sequence[Atom]) -> None:
    """All of these can be stretched to one extent."""
    first = extents[0]
    for k, other in enumerate(extents[1:], 2):
        _pair(b, "fit", first, other, FIT_MESSAGE)
        if k < len(extents):
            first = b.prim("common_extent", first, other)


def stretch(b: Builder, m: Atom, n: Atom, message: str = FIT_MESSAGE) -> None:
    """An axis of extent m can be stretched to n."""
    if m != ilit(1):
        _pair(b, "stretch", m, n, message)


def same(b: Builder, m: Atom, n: Atom, message: str) -> None:
    """The extents are equal; the message may mention them as `{0}` and `{1}`."""
    _pair(b, "same", m, n, message)


def _at_least(b: Builder, extents: Iterable[Atom], least: int, message: str) -> None:
    for extent in extents:
        if not isinstance(extent, Lit) or extent.value < least:
            holds = b.prim("ge", extent, ilit(least))
            b.effect("check", holds, kind="ValueError", message=message, span=b.prov.span)


def not_negative(b: Builder, extents: Iterable[Atom], message: str) -> None:
    """An array can have these extents."""
    _at_least(b, extents, 0, message)


def not_empty(b: Builder, extents: Iterable[Atom], message: str) -> None:
    """There is an element along each of these axes."""
    _at_least(b, extents, 1, message)


# The primitives.

_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "fit": lambda m, n: m == n or m == 1 or n == 1,
    "stretch": lambda m, n: m == n or m == 1,
    "same": lambda m, n: m == n,
}


def extents_fit(how: str, m: int, n: int) -> bool:
    """Whether `check_extents` holds for two numbers."""
    if how not in _HOLDS:
        raise CompilerBug(f"check_extents of the unknown kind {how!r}")
    return _HOLDS[how](m, n)


def _check_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (I64, I64), "check_extents", types)
    return ()


def _check_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    m, n = (int(a) for a in args)
    if not extents_fit(str(param(params, "how")), m, n):
        message = str(param(params, "message")).format(m, n)
        raise RaisedError("ValueError", message, span_of(params))
    return ()


def _common_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (I64, I64), "common_extent", types)
    return (I64,)


def _common_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    m, n = (int(a) for a in args)
    return (np.int64(n if m == 1 else m),)


def _family() -> tuple[Primitive, ...]:
    pairs = ((3, 3), (1, 4), (4, 1), (0, 1), (1, 1))
    checks = tuple(
        values_case(
            (I64, I64), (np.int64(m), np.int64(n)),
            (("how", how), ("message", FIT_MESSAGE), ("span", None)),
        )
        for how in _HOLDS for m, n in pairs if extents_fit(how, m, n)
    )  # fmt: skip
    commons = tuple(values_case((I64, I64), (np.int64(m), np.int64(n))) for m, n in pairs)
    return (
        Primitive(
            "check_extents", _check_type, _check_eval, ZERO, ZERO, checks, CHECK,
            cost=0.0, effect=Effect.CHECK,
        ),
        Primitive(
            "common_extent", _common_type, _common_eval, ZERO, ZERO, commons,
            replace(SCALAR, exact=Exact.ALWAYS), cost=1.0,
        ),
    )  # fmt: skip


EXTENTS: tuple[Primitive, ...] = _family()
