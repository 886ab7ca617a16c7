"""Bits and order of integers, elementwise on i64; none has a derivative.

A shift by a count outside 0..63 shifts every bit out: `shl` gives 0, `shr` gives 0 or -1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.types import I64
from retrograd.prims.core import ZERO, Case, Primitive
from retrograd.prims.facts import ELEMENTWISE, Exact
from retrograd.prims.rules import I1, INTS, elementwise_type, guarded, values_case

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
)
