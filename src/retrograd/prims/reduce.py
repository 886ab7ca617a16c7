"""Reductions, and the order in which sums are added up.

A *run* of n floats is summed by a rule that depends on n only, so that every variant of a program
has the same bits. Below 32 elements: serially, from 0. Otherwise in blocks of 8192 elements, the
last one shorter: element k of a block goes to lane k % 32, each lane is serial from 0, the lanes
are folded by a tree (lane l takes lane l+16, then l+8, l+4, l+2, l+1), and the sums of the blocks
are added serially, from 0.

Reducing all axes is one run over the elements in row-major order; reducing the last axis alone
makes a run of each row; any other choice, and `sum_like` to an array, is serial in row-major order.
Products are serial. The sums that a `For` opens are runs over its iterations. Of zeros of both
signs, the last one is the maximum, and the minimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params, flit
from retrograd.ir.types import F64, DType, Type
from retrograd.prims.core import (
    ZERO,
    Case,
    DemandRule,
    EvalRule,
    JvpRule,
    Primitive,
    Pullback,
    RaisedError,
    TypeRule,
    VjpRule,
    param,
)  # fmt: skip
from retrograd.prims.extents import not_empty
from retrograd.prims.facts import IN_FIRST, REDUCTION, Bundled, Facts
from retrograd.prims.lengths import Along, Lengths, like
from retrograd.prims.product import prod_jvp, prod_vjp
from retrograd.prims.rules import (
    F1,
    F2,
    F3,
    NUMBERS,
    option,
    require,
    shaped_case,
    span_of,
    values_case,
)  # fmt: skip

__all__ = ["BLOCK", "LANES", "REDUCE", "fold_lanes", "lane_sum", "reduced_axes"]

LANES = 32
BLOCK = 8192

_Tangents = tuple[Atom | None, ...]
_Step = Callable[[Any, slice], Any]


def fold_lanes(count: int, shape: tuple[int, ...], step: _Step) -> Any:
    """Sums runs of `count` terms, one for each place of `shape`, in the order of this module.

    `step(accumulators, places)` adds the terms at `places` to accumulators of shape
    (*shape, number of places).
    """
    if count < LANES:
        total = np.zeros((*shape, 1))
        for k in range(count):
            total = step(total, slice(k, k + 1))
        return total[..., 0]
    total = np.zeros(shape)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        lanes = np.zeros((*shape, LANES))
        for k in range(start, stop, LANES):
            width = min(LANES, stop - k)
            lanes[..., :width] = step(lanes[..., :width], slice(k, k + width))
        half = LANES // 2
        while half:
            lanes = lanes[..., :half] + lanes[..., half:]
            half //= 2
        total = total + lanes[..., 0]
    return total


def lane_sum(values: Any) -> Any:
    """Sums the last axis of `values`, each row a run."""
    rows = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        total = fold_lanes(
            rows.shape[-1], rows.shape[:-1], lambda acc, places: acc + rows[..., places]
        )
    return np.asarray(total)[()]


def reduced_axes(params: Params) -> tuple[int, ...]:
    """The axes that a reduction removes, as non-negative numbers."""
    return cast(tuple[int, ...], param(params, "axes"))


def _reduce_type(name: str, dtypes: tuple[DType, ...]) -> TypeRule:
    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        axes = reduced_axes(params)
        require(len(types) == 1 and types[0].rank > 0 and types[0].dtype in dtypes, name, types)
        require(len(set(axes)) == len(axes) > 0, name, types)
        require(all(0 <= k < types[0].rank for k in axes), name, types)
        kept = types[0].rank - (0 if option(params, "keepdims", False) else len(axes))
        return (types[0].with_rank(kept),)

    return rule


def _serial(x: Any, axes: tuple[int, ...], combine: Callable[[Any, Any], Any], unit: float) -> Any:
    """Folds `axes` one element after the other, in row-major order."""
    kept = tuple(k for k in range(x.ndim) if k not in axes)
    moved = np.transpose(x, (*sorted(axes), *kept))
    shape = moved.shape[len(axes) :]
    total = np.full(shape, unit, x.dtype)
    with np.errstate(all="ignore"):
        for part in moved.reshape(math.prod(moved.shape[: len(axes)]), *shape):
            total = combine(total, part)
    return total


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    if x.dtype != np.float64:
        return np.sum(x, axis=axes)
    if len(axes) == x.ndim:
        return lane_sum(x.reshape(-1))
    if axes == (x.ndim - 1,):
        return lane_sum(x)
    return _serial(x, axes, np.add, 0.0)


def _prod(x: Any, axes: tuple[int, ...]) -> Any:
    return _serial(x, axes, np.multiply, 1)


def _max(x: Any, axes: tuple[int, ...]) -> Any:
    return _extreme(x, axes, np.maximum.reduce, np.greater, -np.inf)


def _min(x: Any, axes: tuple[int, ...]) -> Any:
    return _extreme(x, axes, np.minimum.reduce, np.less, np.inf)


def _extreme(
    x: Any, axes: tuple[int, ...], reduce: Any, better: Callable[[Any, Any], Any], unit: float
) -> Any:
    """The extreme element; of zeros of both signs the last one, which NumPy leaves open."""
    out = reduce(x, axis=axes)
    if x.dtype != np.float64 or not np.any(out == 0.0):
        return out

    def step(held: Any, new: Any) -> Any:
        return cast(Any, np.where(better(held, new) | np.isnan(held), held, new))

    return _serial(x, axes, step, unit)


def _empty_message(identity: str) -> str:
    return f"zero-size array to reduction operation {identity} which has no identity"


def _reduced_not_empty(identity: str) -> DemandRule:
    def rule(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
        extents = (b.prim("dim", args[0], axis=k) for k in sorted(reduced_axes(params)))
        not_empty(b, extents, _empty_message(identity))

    return rule


def _evaluate(function: Callable[[Any, tuple[int, ...]], Any], identity: str | None) -> EvalRule:
    """An evaluation rule; `identity` names the operation where an empty reduction is an error."""

    def rule(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
        (x,), axes = args, tuple(sorted(reduced_axes(params)))
        if identity is not None and any(x.shape[k] == 0 for k in axes):
            raise RaisedError("ValueError", _empty_message(identity), span_of(params))
        with np.errstate(all="ignore"):
            out = np.asarray(function(x, axes), x.dtype)
        if option(params, "keepdims", False):
            out = out.reshape(tuple(1 if k in axes else n for k, n in enumerate(x.shape)))
        return (out[()],)

    return rule


def _kept(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    """The extents that a reduction leaves."""
    axes, keepdims = reduced_axes(params), option(params, "keepdims", False)
    return tuple(
        1 if k in axes else Along(0, k)
        for k in range(args[0].type.rank)
        if keepdims or k not in axes
    )


_FACTS = replace(REDUCTION, shape=_kept)
_LINEAR = replace(_FACTS, linear_in=IN_FIRST, bundled=Bundled.LANES)


# Derivatives. A result (or its cotangent) is brought back to the operand's rank with extents of 1.


def _unsqueeze(b: Builder, value: Atom, params: Params, rank: int) -> Atom:
    if value.type.is_scalar or value.type.rank == rank:
        return value
    axes = reduced_axes(params)
    spec = "".join("n" if k in axes else "a" for k in range(rank))
    return b.prim("slice", value, spec=spec)


def _linear_jvp(name: str) -> JvpRule:
    def rule(
        b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents,
        params: Params,
    ) -> _Tangents:  # fmt: skip
        x = tangents[0]
        if x is None:
            return (None,)
        keepdims = option(params, "keepdims", False)
        return (b.prim(name, x, hint="dot", axes=reduced_axes(params), keepdims=keepdims),)

    return rule


def _sum_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        x = p.args[0]
        wide = _unsqueeze(p.b, out_bar, p.params, x.type.rank)
        p.add(0, p.b.prim("broadcast", wide, *p.b.dims(x), hint="bar"))


def _shares(b: Builder, x: Atom, out: Atom, params: Params) -> Atom:
    """1/m at the m places where x has the extreme value, 0 elsewhere."""
    hit = b.prim("eq", x, _unsqueeze(b, out, params, x.type.rank))
    chosen = b.prim("select", hit, flit(1.0), flit(0.0))
    count = b.prim("reduce_sum", chosen, axes=reduced_axes(params), keepdims=False)
    return b.div(chosen, _unsqueeze(b, count, params, x.type.rank))


def _extreme_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    if x is None:
        return (None,)
    parts = b.mul(x, _shares(b, args[0], outs[0], params))
    keepdims = option(params, "keepdims", False)
    return (b.prim("reduce_sum", parts, hint="dot", axes=reduced_axes(params), keepdims=keepdims),)


def _extreme_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        shares = _shares(p.b, p.args[0], p.outs[0], p.params)
        p.add(0, p.b.mul(shares, _unsqueeze(p.b, out_bar, p.params, p.args[0].type.rank)))


# sum_like


def _sum_like_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 2 and types[0].dtype in NUMBERS, "sum_like", types)
    require(types[1].rank <= types[0].rank, "sum_like", types)
    return (types[0].with_rank(types[1].rank),)


def _sum_like_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    g, x = args
    want = np.shape(x)
    if np.shape(g) == want:
        return (np.array(g)[()],)
    if not want:
        return (_sum(g, tuple(range(g.ndim))),)
    lead = g.ndim - len(want)
    short = tuple(k for k, n in enumerate(want) if n == 1 and g.shape[lead + k] != 1)
    out = _serial(g, (*range(lead), *(lead + k for k in short)), np.add, 0.0)
    if out.size != np.prod(want):
        raise CompilerBug(f"sum_like of shape {g.shape} to {want}")
    return (out.reshape(want),)


def _sum_like_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    g = tangents[0]
    return (None if g is None else b.prim("sum_like", g, args[1], hint="dot"),)


def _sum_like_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is None or not p.wants(0):
        return
    g = p.args[0]
    if g.type.is_scalar:
        p.add(0, out_bar)
    else:
        p.add(0, p.b.prim("broadcast", out_bar, *p.b.dims(g), hint="bar"))


# The family.


def _param_sets(rank: int) -> tuple[Params, ...]:
    choices: dict[int, tuple[tuple[int, ...], ...]] = {
        1: ((0,),),
        2: ((0,), (1,), (0, 1)),
        3: ((1,), (2,), (0, 2), (1, 2), (0, 1), (0, 1, 2)),
    }
    return tuple(
        (("axes", axes), ("keepdims", keepdims))
        for axes in choices[rank]
        for keepdims in (False, True)
    )


def _all_params() -> tuple[tuple[Type, Params], ...]:
    return tuple((t, params) for t in (F1, F2, F3) for params in _param_sets(t.rank))


def _float_cases() -> tuple[Case, ...]:
    flat: Params = (("axes", (0,)), ("keepdims", False))
    both: Params = (("axes", (0, 1)), ("keepdims", False))
    return (
        *(Case((t,), params) for t, params in _all_params()),
        shaped_case((100,), params=flat),
        shaped_case((3, 45), params=both),
        values_case((Type(DType.I64, 2),), (np.arange(6).reshape(2, 3) - 2,), both),
    )


def _primitive(
    name: str, function: Callable[[Any, tuple[int, ...]], Any], jvp: JvpRule, vjp: VjpRule,
    more: tuple[Case, ...], identity: str | None = None, facts: Facts = _FACTS,
) -> Primitive:  # fmt: skip
    return Primitive(
        name, _reduce_type(name, NUMBERS), _evaluate(function, identity), jvp, vjp,
        (*_float_cases(), *more), facts,
        demands=None if identity is None else _reduced_not_empty(identity),
    )  # fmt: skip


def _logical(name: str, function: Callable[[Any, tuple[int, ...]], Any]) -> Primitive:
    cases = tuple(
        Case((Type(DType.BOOL, t.rank),), params, smooth=False) for t, params in _all_params()
    )
    return Primitive(
        name,
        _reduce_type(name, (DType.BOOL,)),
        _evaluate(function, None),
        ZERO,
        ZERO,
        cases,
        _FACTS,
    )


def _family() -> tuple[Primitive, ...]:
    flat: Params = (("axes", (0,)), ("keepdims", False))
    rows: Params = (("axes", (1,)), ("keepdims", False))
    ties = (
        values_case((F1,), (np.array([1.0, 3.0, 3.0, -1.0, -1.0]),), flat),
        values_case((F2,), (np.array([[1.0, 1.0], [2.0, 3.0]]),), rows),
    )
    zeros = tuple(
        values_case((F1,), (np.array(data),), flat, smooth=True)
        for data in ([2.0, 0.0, 3.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [])
    )
    nothing = (shaped_case((0,), params=flat), shaped_case((2, 0), params=rows))
    likes = (
        Case((F64, F64)), Case((F1, F64)), Case((F3, F64)), Case((F2, F1)), Case((F2, F2)),
        Case((F3, F2)), shaped_case((2, 3), (2, 1)), shaped_case((4, 2, 3), (1, 3)),
        shaped_case((2, 3), (1,)), shaped_case((0, 3), (1, 3)), shaped_case((70,), (1,)),
    )  # fmt: skip
    return (
        _primitive(
            "reduce_sum", _sum, _linear_jvp("reduce_sum"), _sum_vjp, nothing,
            facts=_LINEAR,
        ),
        _primitive("reduce_prod", _prod, prod_jvp, prod_vjp, (*zeros, *nothing)),
        _primitive(
            "reduce_max", _max, _extreme_jvp, _extreme_vjp, ties,
            "maximum",
        ),
        _primitive(
            "reduce_min", _min, _extreme_jvp, _extreme_vjp, ties,
            "minimum",
        ),
        _logical("reduce_any", lambda x, axes: np.any(x, axis=axes)),
        _logical("reduce_all", lambda x, axes: np.all(x, axis=axes)),
        Primitive(
            "sum_like", _sum_like_type, _sum_like_eval, _sum_like_jvp, _sum_like_vjp, likes,
            replace(_LINEAR, shape=like(1), shape_only=(1,)),
        ),
    )  # fmt: skip


REDUCE: tuple[Primitive, ...] = _family()
