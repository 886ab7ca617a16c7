"""Random words: a function of integers, so whoever runs a program again has the same ones.

Nothing is differentiated in them; what a program makes of the words is ordinary arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.draws import word, words
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import I64, Type
from retrograd.prims.core import ZERO, Primitive, RaisedError
from retrograd.prims.extents import not_negative
from retrograd.prims.facts import MAKER
from retrograd.prims.lengths import from_operands
from retrograd.prims.rules import require, span_of, values_case
from retrograd.prims.shape import EXTENT_MESSAGE

__all__ = ["RANDOM"]


def _type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) in (2, 3) and all(t == I64 for t in types), "random_bits", types)
    return (I64.with_rank(len(types) - 2),)


def _eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    key, start, *count = map(int, args)
    if not count:
        return (np.int64(word(key, start)),)
    if count[0] < 0:
        raise RaisedError("ValueError", EXTENT_MESSAGE, span_of(params))
    return (words(key, start, count[0]),)


def _demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    not_negative(b, args[2:], EXTENT_MESSAGE)


_CASES = tuple(
    values_case((I64,) * len(args), tuple(map(np.int64, args)))
    for args in (
        (7, 0), (7, 3), (-1, 2**40 + 2), (2**63 - 1, 5),
        (7, 0, 8), (7, 1, 2), (7, 3, 6), (-5, 2, 3), (7, 6, 0), (0, 2**40, 1),
    )
)  # fmt: skip

RANDOM: tuple[Primitive, ...] = (
    Primitive(
        "random_bits", _type, _eval, ZERO, ZERO, _CASES,
        replace(MAKER, shape=from_operands(2)), cost=30.0, demands=_demands,
    ),
)  # fmt: skip
