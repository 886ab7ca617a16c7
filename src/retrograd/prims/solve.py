"""Systems of linear equations with a matrix that is factored already.

`lu_solve(A, F, B; trans)` is the X with A X = B (of the transpose of A with `trans`); F is `lu` of
A. Its value is calculated from F, its derivatives are those in A and B: F counts as a constant.
With dX = solve(dB - dA X) and B_bar = solve'(X_bar), A_bar = -B_bar X', both are solved with the
same factors, and so are derivatives of any order. `tri_solve(T, B; lower, trans, unit)` is the same
for a triangular matrix, of which it reads the triangle only (without the diagonal with `unit`).

Source: Giles, Collected matrix derivative results for forward and reverse mode (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params, flit
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


# Triangular matrices.


def _part(b: Builder, matrix: Atom, params: Params) -> Atom:
    """The elements that a triangular matrix is made of, zeros elsewhere."""
    rows, columns = (b.prim("iota", b.prim("dim", matrix, axis=k)) for k in (0, 1))
    lower, unit = bool(param(params, "lower")), bool(param(params, "unit"))
    op = ("gt" if unit else "ge") if lower else ("lt" if unit else "le")
    inside = b.prim(op, b.prim("slice", rows, spec="an"), columns)
    return b.prim("select", inside, matrix, flit(0.0))


def _tri_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (F2, F2), "tri_solve", types)
    return (F2,)


def _tri_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    t, b = args
    if b.size == 0:
        return (np.zeros(b.shape),)
    lower, trans, unit = (int(bool(param(params, k))) for k in ("lower", "trans", "unit"))
    with np.errstate(all="ignore"):
        x: Any = of_scipy().dtrtrs(t.T, b, lower=1 - lower, trans=1 - trans, unitdiag=unit)[0]
    return (np.ascontiguousarray(x),)


def _tri_solved(b: Builder, t: Atom, right: Atom, params: Params, flip: bool, hint: str) -> Atom:
    every = dict(params)
    every["trans"] = bool(every["trans"]) != flip
    return b.prim("tri_solve", t, right, hint=hint, **every)


def _tri_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    t_dot, right = tangents
    if t_dot is not None:
        part = _part(b, t_dot, params)
        moved = _product(b, _flipped(b, part) if param(params, "trans") else part, outs[0], "dot")
        right = b.prim("neg", moved) if right is None else b.sub(right, moved)
    return (None if right is None else _tri_solved(b, args[0], right, params, False, "dot"),)


def _tri_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is None:
        return
    b, x = p.b, p.outs[0]
    bar = _tri_solved(b, p.args[0], out_bar, p.params, True, "bar")
    if p.wants(1):
        p.add(1, bar)
    if p.wants(0):
        left, right = (x, bar) if param(p.params, "trans") else (bar, x)
        whole = _product(b, left, _flipped(b, right), "bar")
        p.add(0, b.prim("neg", _part(b, whole, p.params)))


def _tri_cases() -> tuple[Case, ...]:
    def case(n: int, columns: int, lower: bool, trans: bool, unit: bool) -> Case:
        def draw(rng: Any) -> Sequence[Any]:
            t = rng.uniform(-1.0, 1.0, (n, n)) + 3.0 * np.eye(n)
            return t, rng.uniform(-2.0, 2.0, (n, columns))

        params = (("lower", lower), ("trans", trans), ("unit", unit))
        return Case((F2, F2), params, draw=draw)

    flags = [(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False)]
    return (
        *(case(3, 2, *each) for each in flags),
        case(1, 1, *flags[0]), case(0, 2, *flags[0]), case(2, 0, *flags[3]),
    )  # fmt: skip


SOLVE: tuple[Primitive, ...] = (
    Primitive(
        "tri_solve", _tri_type, _tri_eval, _tri_jvp, _tri_vjp, _tri_cases(),
        replace(SERIAL, shape=like(1), linear_in=Linear(((1,),)), bundled=Bundled.LAST),
        cost=100.0,
    ),
    Primitive(
        "lu_solve", _type, _eval, _jvp, _vjp, _cases(),
        replace(SERIAL, shape=like(2), linear_in=Linear(((2,),)), bundled=Bundled.LAST),
        cost=100.0,
    ),
)  # fmt: skip
