"""Comparisons, logic and float classification, elementwise; none has a derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.types import BOOL, F64, I64, DType
from retrograd.prims.core import ZERO, Case, Primitive
from retrograd.prims.facts import ELEMENTWISE, Exact
from retrograd.prims.rules import (
    B1,
    BOOLS,
    F1,
    F2,
    FLOATS,
    I1,
    NUMBERS,
    elementwise_type,
    guarded,
    values_case,
)  # fmt: skip

__all__ = ["COMPARE"]


def _logical(
    name: str, function: Callable[..., Any], arity: int, dtypes: tuple[DType, ...],
    cases: tuple[Case, ...], commutative: bool = False,
) -> Primitive:  # fmt: skip
    facts = replace(ELEMENTWISE, exact=Exact.ALWAYS, commutative=commutative)
    return Primitive(
        name, elementwise_type(name, arity, dtypes, DType.BOOL), guarded(function), ZERO, ZERO,
        cases, facts, elementwise=True,
    )  # fmt: skip


def _relations() -> tuple[Primitive, ...]:
    nan = values_case((F64, F64), (np.float64(np.nan), np.float64(np.nan)))
    cases = (
        Case((F64, F64)), Case((F2, F1)), Case((F64, F1)), Case((I64, I64)), Case((I1, I64)), nan,
    )  # fmt: skip
    with_bools = (*NUMBERS, DType.BOOL)
    bools = Case((B1, BOOL))
    return (
        _logical("lt", np.less, 2, NUMBERS, cases),
        _logical("le", np.less_equal, 2, NUMBERS, cases),
        _logical("gt", np.greater, 2, NUMBERS, cases),
        _logical("ge", np.greater_equal, 2, NUMBERS, cases),
        _logical("eq", np.equal, 2, with_bools, (*cases, bools), commutative=True),
        _logical("ne", np.not_equal, 2, with_bools, (*cases, bools), commutative=True),
    )


def _logic() -> tuple[Primitive, ...]:
    one = (Case((BOOL,)), Case((B1,)))
    two = (Case((BOOL, BOOL)), Case((B1, BOOL)), Case((B1, B1)))
    edge = np.array([1.0, np.nan, np.inf, -np.inf])
    floats = (Case((F64,)), values_case((F1,), (edge,)))
    return (
        _logical("and_", np.logical_and, 2, BOOLS, two, commutative=True),
        _logical("or_", np.logical_or, 2, BOOLS, two, commutative=True),
        _logical("xor", np.logical_xor, 2, BOOLS, two, commutative=True),
        _logical("not_", np.logical_not, 1, BOOLS, one),
        _logical("isnan", np.isnan, 1, FLOATS, floats),
        _logical("isinf", np.isinf, 1, FLOATS, floats),
        _logical("isfinite", np.isfinite, 1, FLOATS, floats),
    )


COMPARE: tuple[Primitive, ...] = (*_relations(), *_logic())
