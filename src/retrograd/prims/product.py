"""Derivatives of `reduce_prod`, as loops of the language.

Dividing the product by each factor is wrong where a factor is zero, and a case distinction on zeros
has no second derivative there. So forward mode multiplies dual numbers, and reverse mode multiplies
the factors before each factor with those after it. Both are ordinary programs: they can be
differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, For, Params, Var, flit
from retrograd.ir.types import F64, I64
from retrograd.prims.core import Pullback, param

__all__ = ["prod_jvp", "prod_vjp"]

_Step = Callable[[Builder, Atom, tuple[Var, ...]], tuple[Atom, ...]]


def _axes_first(rank: int, params: Params) -> tuple[int, ...]:
    axes = cast(tuple[int, ...], param(params, "axes"))
    return (*sorted(axes), *(k for k in range(rank) if k not in axes))


def _size(b: Builder, dims: tuple[Atom, ...]) -> Atom:
    total = dims[0]
    for dim in dims[1:]:
        total = b.mul(total, dim)
    return total


def _reduced(params: Params) -> int:
    return len(cast(tuple[int, ...], param(params, "axes")))


def _as_runs(b: Builder, x: Atom, params: Params) -> Atom:
    """The factors along the first axis, what is not reduced behind."""
    rank, count = x.type.rank, _reduced(params)
    perm = _axes_first(rank, params)
    moved = x if perm == tuple(range(rank)) else b.prim("transpose", x, perm=perm)
    if count == 1:
        return moved
    dims = b.dims(moved)
    return b.prim("reshape", moved, _size(b, dims[:count]), *dims[count:])


def _from_runs(b: Builder, runs: Atom, like: Atom, params: Params) -> Atom:
    """The inverse of `_as_runs`, for an array shaped as `like`."""
    rank, count = like.type.rank, _reduced(params)
    perm = _axes_first(rank, params)
    dims = b.dims(like)
    spread = runs if count == 1 else b.prim("reshape", runs, *(dims[k] for k in perm))
    if perm == tuple(range(rank)):
        return spread
    return b.prim("transpose", spread, perm=tuple(perm.index(k) for k in range(rank)))


def _loop(
    b: Builder, trips: Atom, inits: tuple[Atom, ...], step: _Step, descending: bool = False
) -> tuple[Var, ...]:
    types = tuple(a.type for a in inits)
    carried = tuple(b.names.var("run", t) for t in types)
    index = b.names.var("k", I64)
    inner = b.inner()
    body = inner.block(step(inner, index, carried))
    return b.bind(For(index, trips, carried, inits, body, descending=descending), types, "run")


def _row(b: Builder, runs: Atom, k: Atom) -> Atom:
    if runs.type.rank == 1:
        return b.prim("index", runs, k, checked=False, span=None)
    return b.prim("slice", runs, k, spec="i" + "a" * (runs.type.rank - 1))


def _set_row(b: Builder, runs: Atom, k: Atom, row: Atom) -> Atom:
    if runs.type.rank == 1:
        return b.prim("update", runs, row, k, checked=False, span=None)
    return b.prim("update_slice", runs, row, k, spec="i" + "a" * (runs.type.rank - 1))


def _filled(b: Builder, runs: Atom, value: float) -> Atom:
    rest = b.dims(runs)[1:]
    return b.prim("full", flit(value), *rest) if rest else flit(value)


def prod_jvp(
    b: Builder,
    args: tuple[Atom, ...],
    outs: tuple[Atom, ...],
    tangents: tuple[Atom | None, ...],
    params: Params,
) -> tuple[Atom | None, ...]:
    """Multiplies dual numbers along the reduced axes."""
    if tangents[0] is None:
        return (None,)
    runs, runs_dot = _as_runs(b, args[0], params), _as_runs(b, tangents[0], params)

    def step(inner: Builder, k: Atom, carried: tuple[Var, ...]) -> tuple[Atom, ...]:
        product, product_dot = carried
        factor, factor_dot = _row(inner, runs, k), _row(inner, runs_dot, k)
        moved = inner.add(inner.mul(product_dot, factor), inner.mul(product, factor_dot))
        return inner.mul(product, factor), moved

    trips = b.prim("dim", runs, axis=0)
    _, dot = _loop(b, trips, (_filled(b, runs, 1.0), _filled(b, runs, 0.0)), step)
    if dot.type == outs[0].type:
        return (dot,)
    if dot.type == F64:
        return (b.prim("broadcast", dot, *b.dims(outs[0])),)
    return (b.prim("reshape", dot, *b.dims(outs[0])),)


def prod_vjp(p: Pullback) -> None:
    """Products of the factors before, times the cotangent and the factors after."""
    (out_bar,) = p.out_bars
    if out_bar is None or not p.wants(0):
        return
    b, x = p.b, p.args[0]
    runs = _as_runs(b, x, p.params)
    trips = b.prim("dim", runs, axis=0)

    def before(inner: Builder, k: Atom, carried: tuple[Var, ...]) -> tuple[Atom, ...]:
        products, product = carried
        return (
            _set_row(inner, products, k, product),
            inner.mul(product, _row(inner, runs, k)),
        )

    def after(inner: Builder, k: Atom, carried: tuple[Var, ...]) -> tuple[Atom, ...]:
        products, product = carried
        bar = inner.mul(_row(inner, products, k), product)
        return _set_row(inner, products, k, bar), inner.mul(product, _row(inner, runs, k))

    start = _filled(b, runs, 1.0)
    products, _ = _loop(b, trips, (b.zeros_like(runs), start), before)
    if start.type.is_scalar:
        seed = out_bar if out_bar.type.is_scalar else b.prim("sum_like", out_bar, start)
    else:
        seed = b.prim("reshape", out_bar, *b.dims(runs)[1:])
    bars, _ = _loop(b, trips, (products, seed), after, descending=True)
    p.add(0, _from_runs(b, bars, x, p.params))
