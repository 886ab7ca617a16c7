"""Bits and order of integers, elementwise on i64; none has a derivative.

A shift by a count outside 0..63 shifts every bit out: `shl` gives 0, `shr` gives 0 or -1.
`range_len` is the length of a range, at most 2**63 - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.terms import Params
from retrograd.ir.types import I64, Type
from retrograd.prims.core import ZERO, Case, Primitive
from retrograd.prims.facts import ELEMENTWISE, Exact
from retrograd.prims.rules import I1, INTS, elementwise_type, guarded, require, values_case

__all__ = ["INTEGER"]


def _shl(x: Any, n: Any) -> Any:
    inside = (n >= 0) & (n < 64)
    return np.where(inside, np.left_shift(x, np.where(inside, n, 0)), 0)[()]


def _shr(x: Any, n: Any) -> Any:
    inside = (n >= 0) & (n < 64)
    return np.right_shift(x, np.where(inside, n, 63))[()]


def _bit_length(x: Any) -> Any:
    bits = [int(v).bit_length() for v in np.ravel(x)]
    return np.array(bits, np.int64).reshape(np.shape(x))[()]


def _integer(
    name: str, function: Callable[..., Any], arity: int, *more: Case, commutative: bool = False
) -> Primitive:
    facts = replace(ELEMENTWISE, exact=Exact.ALWAYS, commutative=commutative)
    usual = (Case((I64,) * arity), Case((I1,) * arity), Case((I1, I64)[:arity]))
    return Primitive(
        name, elementwise_type(name, arity, INTS), guarded(function), ZERO, ZERO,
        (*usual, *more), facts, elementwise=True,
    )  # fmt: skip


def _shift_case() -> Case:
    return values_case((I1, I1), (np.array([-5, 5, 1, 3]), np.array([2, 64, 63, -1])))


_MOST = 2**63 - 1


def _range_len_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (I64,) * 3, "range_len", types)
    return (I64,)


def _range_len(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    start, stop, step = map(int, args)
    found = -((start - stop) // step) if step else 0
    return (np.int64(min(max(found, 0), _MOST)),)


def _range_cases() -> Iterator[Case]:
    for start, stop, step in (
        (0, 7, 1), (7, 0, -2), (2, 9, 3), (5, -(2**63), 1), (-1, _MOST, 1), (3, 1, 0),
        (-(2**62), 2**62, 3), (-(2**63), _MOST, 2**62), (_MOST, -(2**63), -(2**63)),
    ):  # fmt: skip
        yield values_case((I64,) * 3, (np.int64(start), np.int64(stop), np.int64(step)))


INTEGER: tuple[Primitive, ...] = (
    _integer("bit_and", np.bitwise_and, 2, commutative=True),
    _integer("bit_or", np.bitwise_or, 2, commutative=True),
    _integer("bit_xor", np.bitwise_xor, 2, commutative=True),
    _integer("bit_not", np.invert, 1),
    _integer("shl", _shl, 2, _shift_case()),
    _integer("shr", _shr, 2, _shift_case()),
    _integer("bit_length", _bit_length, 1),
    _integer("imin", np.minimum, 2, commutative=True),
    _integer("imax", np.maximum, 2, commutative=True),
    Primitive(
        "range_len",
        _range_len_type,
        _range_len,
        ZERO,
        ZERO,
        tuple(_range_cases()),
        replace(ELEMENTWISE, exact=Exact.ALWAYS),
        cost=4.0,
        elementwise=True,
    ),
)
