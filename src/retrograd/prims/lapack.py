"""Factorisations of matrices by LAPACK, as the machine code calls it.

A factorisation has no derivative of its own: what is calculated with it has one, in the matrix that
was factored (`retrograd.prims.solve`, and the rules of the programs in `frontend/library`). So any
derivative needs one factorisation. Its result is one array, in which the factors lie below each
other; the number of its rows is an operand.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import F64, I64, Type
from retrograd.prims.core import ZERO, Case, Primitive
from retrograd.prims.facts import SERIAL, Facts
from retrograd.prims.lengths import Along, Lengths
from retrograd.prims.rules import F2, require

__all__ = ["LAPACK", "lu_factors", "of_scipy"]


def of_scipy() -> Any:
    """SciPy's LAPACK, which takes longer to load than most programs."""
    return importlib.import_module("scipy.linalg.lapack")


def _packed_type(name: str) -> Any:
    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(types == (F64.with_rank(2), I64), name, types)
        return (F2,)

    return rule


def _packed(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    return (args[1], Along(0, 1))


_FACTORS: Facts = replace(SERIAL, shape=_packed)


def lu_factors(a: Any) -> Any:
    """The transpose of the matrix with both factors; in the last row the row that was swapped with
    each. Where a pivot is zero, the first one is exactly so."""
    n = a.shape[0]
    found = np.zeros((n + 1, n))
    if n > 0:
        lu, swaps, info = of_scipy().dgetrf(a)
        if info > 0:
            lu[info - 1, info - 1] = 0.0
        found[:n], found[n] = lu.T, swaps
    return found


def _lu_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (lu_factors(args[0]),)


def _lu_case(n: int, *, smooth: bool = False) -> Case:
    def draw(rng: Any) -> Sequence[Any]:
        return rng.uniform(-2.0, 2.0, (n, n)), np.int64(n + 1)

    return Case((F2, I64), draw=draw, smooth=smooth)


LAPACK: tuple[Primitive, ...] = (
    Primitive(
        "lu", _packed_type("lu"), _lu_eval, ZERO, ZERO,
        (_lu_case(3, smooth=True), _lu_case(1), _lu_case(0), _lu_case(40)),
        _FACTORS, cost=100.0,
    ),
)  # fmt: skip
