"""Systems of linear equations with a matrix that is factored already.

`lu_solve(A, F, B; trans)` is the X with A X = B (of the transpose of A with `trans`); F is `lu` of
A. Its value is calculated from F, its derivatives are those in A and B: F counts as a constant.
With dX = solve(dB - dA X) and B_bar = solve'(X_bar), A_bar = -B_bar X', both are solved with the
same factors, and so are derivatives of any order.

Source: Giles, Collected matrix derivative results for forward and reverse mode (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import Type
from retrograd.prims.core import Case, Primitive, Pullback, param
from retrograd.prims.facts import SERIAL, Bundled, Linear
from retrograd.prims.lapack import lu_factors, of_scipy
from retrograd.prims.lengths import like
from retrograd.prims.rules import F2, require

__all__ = ["SOLVE"]

_Tangents = tuple[Atom | None, ...]


def _product(b: Builder, left: Atom, right: Atom, hint: str) -> Atom:
    return b.prim("matmul", left, right, hint=hint, span=None)


def _flipped(b: Builder, matrix: Atom) -> Atom:
    return b.prim("transpose", matrix, perm=(1, 0))


def _type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (F2, F2, F2), "lu_solve", types)
    return (F2,)


def _eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    _, factors, b = args
    n = b.shape[0]
    if b.size == 0:
        return (np.zeros(b.shape),)
    swaps = factors[n].astype(np.int32)
    with np.errstate(all="ignore"):
        trans = int(bool(param(params, "trans")))
        x: Any = of_scipy().dgetrs(factors[:n].T, swaps, b, trans=trans)[0]
    return (np.ascontiguousarray(x),)


def _solved(b: Builder, args: tuple[Atom, ...], right: Atom, trans: bool, hint: str) -> Atom:
    return b.prim("lu_solve", args[0], args[1], right, hint=hint, trans=trans)


def _jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    trans = bool(param(params, "trans"))
    a_dot, _, right = tangents
    if a_dot is not None:
        moved = _product(b, _flipped(b, a_dot) if trans else a_dot, outs[0], "dot")
        right = b.prim("neg", moved) if right is None else b.sub(right, moved)
    return (None if right is None else _solved(b, args, right, trans, "dot"),)


def _vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is None or not (p.wants(0) or p.wants(2)):
        return
    b, x, trans = p.b, p.outs[0], bool(param(p.params, "trans"))
    bar = _solved(b, p.args, out_bar, not trans, "bar")
    if p.wants(2):
        p.add(2, bar)
    if p.wants(0):
        left, right = (x, bar) if trans else (bar, x)
        p.add(0, b.prim("neg", _product(b, left, _flipped(b, right), "bar")))


def _cases() -> tuple[Case, ...]:
    def case(n: int, columns: int, trans: bool, smooth: bool = False) -> Case:
        def draw(rng: Any) -> Sequence[Any]:
            a = rng.uniform(-2.0, 2.0, (n, n)) + 3.0 * np.eye(n)
            return a, lu_factors(a), rng.uniform(-2.0, 2.0, (n, columns))

        return Case((F2, F2, F2), (("trans", trans),), draw=draw, smooth=smooth)

    return (
        case(3, 2, False, smooth=True), case(3, 2, True, smooth=True), case(1, 1, False),
        case(20, 3, True), case(0, 2, False), case(2, 0, True),
    )  # fmt: skip


SOLVE: tuple[Primitive, ...] = (
    Primitive(
        "lu_solve", _type, _eval, _jvp, _vjp, _cases(),
        replace(SERIAL, shape=like(2), linear_in=Linear(((2,),)), bundled=Bundled.LAST),
        cost=100.0,
    ),
)  # fmt: skip
