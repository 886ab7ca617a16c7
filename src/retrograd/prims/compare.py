"""Comparisons, logic and float classification, elementwise; none has a derivative.

Two numbers of different types are compared exactly by `mixed_lt` and its like, as in Python.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.terms import Params
from retrograd.ir.types import BOOL, F64, I64, DType, Type
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
    require,
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


def _mixed(name: str, test: Callable[[int, float], bool]) -> Primitive:
    """An int against a float, both as they are: above 2**53 not every int is a float."""

    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(types == (I64, F64), name, types)
        return (BOOL,)

    def evaluate(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
        return (np.bool_(test(int(args[0]), float(args[1]))),)

    pairs = (
        (2**53 + 1, 2.0**53), (2**53, 2.0**53), (-(2**53) - 1, -(2.0**53)), (2**63 - 1, 2.0**63),
        (-(2**63), -(2.0**63)), (3, 2.5), (0, np.nan), (2**63 - 1, np.inf), (-(2**63), -np.inf),
    )  # fmt: skip
    cases = tuple(values_case((I64, F64), (np.int64(i), np.float64(x))) for i, x in pairs)
    facts = replace(ELEMENTWISE, exact=Exact.ALWAYS)
    return Primitive(name, rule, evaluate, ZERO, ZERO, cases, facts, cost=4.0, elementwise=True)


def _mixed_relations() -> tuple[Primitive, ...]:
    return (
        _mixed("mixed_lt", operator.lt), _mixed("mixed_le", operator.le),
        _mixed("mixed_gt", operator.gt), _mixed("mixed_ge", operator.ge),
        _mixed("mixed_eq", operator.eq), _mixed("mixed_ne", operator.ne),
    )  # fmt: skip


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


COMPARE: tuple[Primitive, ...] = (*_relations(), *_mixed_relations(), *_logic())
