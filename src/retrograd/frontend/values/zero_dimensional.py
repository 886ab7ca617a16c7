"""Numbers that are arrays without axes in NumPy: which array each of them is, and who has it.

NumPy changes such an array in place (`y += 1`), for all who have it. Here it is a number, and the
name gets another one. So it is changed where nothing else has it, and else refused. Elements of
arrays and results of ufuncs are no such arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from retrograd.frontend.values.atoms import ONE_OF, SHARED
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    Scalar,
    Value,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.tracer import Tracer

__all__ = ["changed_number", "handed_over", "overwritten", "with_array"]

_MAKING: tuple[object, ...] = (
    np.array, np.copy, np.empty, np.empty_like, np.full, np.full_like, np.ones, np.ones_like,
    np.piecewise, np.select, np.where, np.zeros, np.zeros_like,
)  # fmt: skip
_VIEWING: tuple[object, ...] = (
    np.asarray, np.asanyarray, np.reshape, np.squeeze, np.transpose, "reshape", "squeeze",
    "transpose", "view",
)  # fmt: skip
_COPYING = ("copy", "astype")


def with_array(t: Tracer, function: object, args: Sequence[Value], made: Value) -> Value:
    """What a function of NumPy's, or a method (its name), gives, as an array without axes if it is
    one there: a new one, or that of the first argument."""
    held = _array_of(made)
    if held is None:
        return made
    if any(function is one for one in _VIEWING):
        first = args[0] if args else made
        return _with(made, SHARED if _has_axes(first) else held or t.ctx.fresh())
    if function in _COPYING:
        return _with(made, held and t.ctx.fresh())
    return _with(made, t.ctx.fresh() if any(function is one for one in _MAKING) else 0)


def changed_number(t: Tracer, old: Value, new: Value) -> Value:
    """What `old op= ..` makes of a number, which may be an array that only its name has."""
    array = _array_of(old)
    if not array or _array_of(new) is None:
        return new
    if array == SHARED or _is_held(t, array, t.state.cells.values()):
        raise t.error(
            "RG0106", "an array without axes changes in place, and something else has it as well",
            "make a new one: x = x + y",
        )  # fmt: skip
    return _with(new, array)


def overwritten(t: Tracer, old: Scalar, new: Scalar) -> Scalar | None:
    """An array without axes into which a function has written `new`; None where it is none, or
    where something else may have it, too."""
    array = old.array
    if not array or array in (SHARED, ONE_OF) or array in t.ctx.stored_arrays:
        return None
    held = (one.array for value in t.state.cells.values() for one in _numbers_in(value))
    return None if array in held else replace(new, array=array)


def handed_over(t: Tracer, value: Scalar, having: Iterable[Value]) -> int:
    """Which array a number is on the other side of a call: its own one, unless two of the values
    that `having` gives have it."""
    if not value.array or value.array == SHARED:
        return value.array
    return SHARED if _is_held(t, value.array, having) else 1


def _is_held(t: Tracer, array: int, having: Iterable[Value]) -> bool:
    """Whether two of some values may be an array, or a list of run-time length has it."""
    stored = t.ctx.stored_arrays
    if array in stored or (stored and array == ONE_OF):
        return True
    places = (array, ONE_OF, SHARED)
    found = (one for value in having for one in _numbers_in(value))
    return sum(1 for one in found if one.array and (array == ONE_OF or one.array in places)) > 1


def _numbers_in(value: Value) -> Iterator[Scalar]:
    match value:
        case Scalar():
            yield value
        case ComplexValue():
            yield from _numbers_in(value.real)
        case _:
            for part in parts(value):
                yield from _numbers_in(part)


def _array_of(value: Value) -> int | None:
    """Which array a real or complex number is; None of what is no number."""
    number = value.real if isinstance(value, ComplexValue) else value
    return number.array if isinstance(number, Scalar) else None


def _with(value: Value, array: int) -> Value:
    if isinstance(value, ComplexValue):
        return with_parts(value, tuple(_with(part, array) for part in parts(value)))
    assert isinstance(value, Scalar)
    return value if value.array == array else replace(value, array=array)


def _has_axes(value: Value) -> bool:
    return isinstance(value.real if isinstance(value, ComplexValue) else value, ArrayRef)
