"""Products of matrices and vectors.

Where the right operand is a vector, each result is a run of `retrograd.prims.reduce` whose terms
are fused into the lanes. The other products are serial in the inner extent, each term fused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import F64, Type
from retrograd.prims.core import Case, Primitive, Pullback, RaisedError
from retrograd.prims.extents import same
from retrograd.prims.facts import A_PRODUCT, SERIAL, Bundled
from retrograd.prims.fused import fma
from retrograd.prims.lengths import Along, Lengths
from retrograd.prims.reduce import fold_lanes
from retrograd.prims.rules import F1, F2, require, shaped_case, span_of

__all__ = ["LINALG"]

_Tangents = tuple[Atom | None, ...]


def _type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 2 and all(t.is_float for t in types), "matmul", types)
    require(all(t.rank in (1, 2) for t in types), "matmul", types)
    return (F64.with_rank(types[0].rank + types[1].rank - 2),)


_MESSAGE = "matmul: the inner extents {0} and {1} differ"


def _demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    left, right = args
    inner = b.prim("dim", left, axis=left.type.rank - 1)
    same(b, inner, b.prim("dim", right, axis=0), _MESSAGE)


def _eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    a, b = args
    if a.shape[-1] != b.shape[0]:
        message = _MESSAGE.format(a.shape[-1], b.shape[0])
        raise RaisedError("ValueError", message, span_of(params))
    with np.errstate(all="ignore"):
        if b.ndim == 2:
            total = np.zeros((*a.shape[:-1], b.shape[1]))
            for k in range(len(b)):
                total = fma(a[..., k, None], b[k], total)
            return (total,)
        total = fold_lanes(
            len(b), a.shape[:-1], lambda acc, places: fma(a[..., places], b[places], acc)
        )
    return (np.asarray(total)[()],)


def _product(b: Builder, left: Atom, right: Atom, hint: str) -> Atom:
    return b.prim("matmul", left, right, hint=hint, span=None)


def _jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    left = None if tangents[0] is None else _product(b, tangents[0], args[1], "dot")
    right = None if tangents[1] is None else _product(b, args[0], tangents[1], "dot")
    if left is None or right is None:
        return (right if left is None else left,)
    return (b.add(left, right),)


def _flipped(b: Builder, matrix: Atom) -> Atom:
    return b.prim("transpose", matrix, perm=(1, 0))


def _outer(b: Builder, column: Atom, row: Atom) -> Atom:
    return b.mul(b.prim("slice", column, spec="an"), row)


def _left_bar(b: Builder, out_bar: Atom, right: Atom, left: Atom) -> Atom:
    match left.type.rank, right.type.rank:
        case (1, 1):
            return b.mul(out_bar, right)
        case (1, 2):
            return _product(b, right, out_bar, "bar")
        case (2, 1):
            return _outer(b, out_bar, right)
        case _:
            return _product(b, out_bar, _flipped(b, right), "bar")


def _right_bar(b: Builder, out_bar: Atom, left: Atom, right: Atom) -> Atom:
    match left.type.rank, right.type.rank:
        case (1, 1):
            return b.mul(out_bar, left)
        case (1, 2):
            return _outer(b, left, out_bar)
        case (2, 1):
            return _product(b, out_bar, left, "bar")
        case _:
            return _product(b, _flipped(b, left), out_bar, "bar")


def _vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    left, right = p.args
    if out_bar is not None and p.wants(0):
        p.add(0, _left_bar(p.b, out_bar, right, left))
    if out_bar is not None and p.wants(1):
        p.add(1, _right_bar(p.b, out_bar, left, right))


def _outer_extents(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    left, right = (a.type.rank for a in args)
    rows = (Along(0, axis) for axis in range(left - 1))
    return (*rows, *(Along(1, axis) for axis in range(1, right)))


def _cases() -> tuple[Case, ...]:
    none: Params = (("span", None),)
    usual = tuple(
        shaped_case(left, right, params=none)
        for left, right in (
            ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((70,), (70,)),
            ((0,), (0,)), ((2, 0), (0,)), ((2, 40), (40,)), ((2, 0), (0, 3)),
        )
    )  # fmt: skip
    return (*usual, Case((F1, F1), none), Case((F2, F2), none, draw=_square))


def _square(rng: Any) -> tuple[Any, ...]:
    return rng.uniform(-2.0, 2.0, (3, 3)), rng.uniform(-2.0, 2.0, (3, 3))


LINALG: tuple[Primitive, ...] = (
    Primitive(
        "matmul", _type, _eval, _jvp, _vjp, _cases(),
        replace(SERIAL, shape=_outer_extents, linear_in=A_PRODUCT, bundled=Bundled.ONE),
        cost=2.0, demands=_demands,
    ),
)  # fmt: skip
