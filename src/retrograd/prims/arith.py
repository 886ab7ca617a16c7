"""Arithmetic, elementwise on f64 and i64; the checked integer arithmetic of scalars.

Derivatives at kinks are JAX's: abs has 0 at 0, maximum and minimum share ties equally.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params, flit
from retrograd.ir.types import BOOL, F64, I64, DType, Type
from retrograd.prims.core import ZERO, Case, Effect, Primitive, Pullback, RaisedError
from retrograd.prims.facts import (
    A_PRODUCT,
    A_SUM,
    ELEMENTWISE,
    IN_FIRST,
    SCALAR,
    Bundled,
    Exact,
    Facts,
    Held,
    Linear,
)  # fmt: skip
from retrograd.prims.fused import fma
from retrograd.prims.rules import (
    B1,
    F1,
    F2,
    FLOATS,
    I1,
    NUMBERS,
    Partial,
    alone,
    both,
    dtype_of,
    elementwise,
    elementwise_type,
    float_cases,
    guarded,
    max_rank,
    narrow,
    require,
    shaped_case,
    span_of,
    values_case,
)  # fmt: skip

__all__ = ["ARITH", "OVERFLOW_MESSAGE"]

OVERFLOW_MESSAGE = "integer overflow: the result needs more than 64 bits"

_LOW, _HIGH = -(2**63), 2**63 - 1
_INT_CASES = (Case((I64, I64)), Case((I1, I64)), Case((I1, I1)))
_WRAPPING = values_case((I64, I64), (np.int64(_HIGH), np.int64(2)))


# Facts. Arithmetic is correctly rounded. A remainder of floats takes several roundings.

_EXACT = replace(ELEMENTWISE, exact=Exact.ALWAYS)
_LIPSCHITZ = replace(_EXACT, lipschitz=True)
_EXACT_ON_INTS = replace(ELEMENTWISE, exact=Exact.INTEGERS)


def _linear(linear_in: Linear, exact: Exact = Exact.ALWAYS, commutative: bool = False) -> Facts:
    return replace(
        ELEMENTWISE, linear_in=linear_in, exact=exact, commutative=commutative,
        bundled=Bundled.LANES,
    )  # fmt: skip


# Partial derivatives.


def _same(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return v


def _negated(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.neg(v)


def _times(position: int) -> Partial:
    return Partial(lambda b, v, args, out: b.mul(v, args[position]), (position,))


def _chosen(test: str, position: int) -> Partial:
    """All of v where the operand wins the comparison, half at ties, nothing where it loses."""

    def scale(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
        mine, other = args[position], args[1 - position]
        tie = b.prim("select", b.prim("eq", mine, other), b.mul(flit(0.5), v), flit(0.0))
        return b.prim("select", b.prim(test, mine, other), v, tie)

    return both(scale)


def _div_by_denominator(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.neg(b.mul(v, b.div(out, args[1])))


def _ratio(x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0, whatever y is."""
    return np.where(x == 0.0, 0.0, np.divide(x, y))[()]


def _strong_product(x: Any, y: Any) -> Any:
    """x * y, and x where x is 0, whatever y is."""
    return _where(x == 0.0, x, np.multiply(x, y))


def _ratio_by_denominator(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.neg(b.mul(v, b.prim("ratio", out, args[1])))


def _mod_by_divisor(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.neg(b.mul(v, b.prim("floordiv", args[0], args[1])))


def _copysign_by_size(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    signs = b.mul(b.prim("sign", args[0]), b.prim("copysign", flit(1.0), args[1]))
    return b.mul(v, signs)


def _fma_joint(b: Builder, tangents: tuple[Atom, ...], args: tuple[Atom, ...]) -> Atom:
    inner = b.prim("fma", args[0], tangents[1], tangents[2])
    return b.prim("fma", tangents[0], args[1], inner)


def _with_squares(mul: Primitive) -> Primitive:
    """The product with itself adds 2 v x to the cotangent of an array once, not v x twice."""
    general = mul.vjp
    assert callable(general)

    def rule(p: Pullback) -> None:
        (out_bar,) = p.out_bars
        if p.args[0] != p.args[1] or p.args[0].type.is_scalar or out_bar is None:
            general(p)
        elif p.wants(0):
            p.add(0, p.b.mul(p.b.mul(out_bar, p.args[0]), flit(2.0)))

    return replace(mul, vjp=rule)


def _with_quotients(div: Primitive) -> Primitive:
    """Where both operands have cotangents these are v / y and -(v / y) (x / y): one division."""
    general = div.vjp
    assert callable(general)

    def rule(p: Pullback) -> None:
        (out_bar,) = p.out_bars
        if out_bar is None or not (p.wants(0) and p.wants(1)):
            general(p)
            return
        part = p.b.div(out_bar, p.args[1])
        p.add(0, narrow(p.b, part, p.args, 0))
        p.add(1, narrow(p.b, p.b.neg(p.b.mul(part, p.outs[0])), p.args, 1))

    return replace(div, vjp=rule)


def _smooth() -> tuple[Primitive, ...]:
    pair = float_cases(2)
    apart = float_cases(2, 0.5, 3.0)
    return (
        elementwise(
            "add", np.add, (alone(_same), alone(_same)), (*pair, *_INT_CASES, _WRAPPING),
            dtypes=NUMBERS, joint=lambda b, ts, args: b.add(*ts),
            facts=_linear(A_SUM, commutative=True),
        ),
        elementwise(
            "sub", np.subtract, (alone(_same), alone(_negated)), (*pair, *_INT_CASES, _WRAPPING),
            dtypes=NUMBERS, joint=lambda b, ts, args: b.sub(*ts), facts=_linear(A_SUM),
        ),
        _with_squares(elementwise(
            "mul", np.multiply, (_times(1), _times(0)), (*pair, *_INT_CASES, _WRAPPING),
            dtypes=NUMBERS, facts=_linear(A_PRODUCT, commutative=True),
        )),
        _with_quotients(elementwise(
            "div", np.divide,
            (Partial(lambda b, v, args, out: b.div(v, args[1]), (1,)), both(_div_by_denominator)),
            (*apart, values_case((F64, F64), (np.float64(1.0), np.float64(0.0)))), cost=4.0,
            facts=_linear(IN_FIRST),
        )),
        elementwise(
            "ratio", _ratio,
            (Partial(lambda b, v, args, out: b.prim("ratio", v, args[1]), (1,)),
             both(_ratio_by_denominator)),
            (*apart, values_case((F64, F64), (np.float64(0.0), np.float64(0.0)))), cost=4.0,
            facts=_linear(IN_FIRST),
        ),
        elementwise(
            "fma", fma, (_times(1), _times(0), alone(_same)),
            (*float_cases(3), Case((F1, F64, F64)), Case((F64, F64, F2)), Case((F64, F2, F1))),
            joint=_fma_joint, facts=_linear(Linear(((0, 1), (2,))), Exact.NEVER),
        ),
        elementwise(
            "neg", np.negative, (alone(_negated),), (*float_cases(1), Case((I1,))), dtypes=NUMBERS,
            facts=_linear(IN_FIRST),
        ),
        elementwise(
            "rounded", np.positive, (alone(_same),), float_cases(1),
            facts=replace(_linear(IN_FIRST), bundled=Bundled.NEVER),
        ),
        elementwise(
            "abs", np.abs, (alone(lambda b, v, args, out: b.mul(v, b.prim("sign", args[0]))),),
            (*float_cases(1, 0.5, 2.0), *float_cases(1, -2.0, -0.5), Case((I64,)),
             values_case((F64,), (np.float64(0.0),))),
            dtypes=NUMBERS, facts=_LIPSCHITZ,
        ),
        elementwise(
            "maximum", np.maximum, (_chosen("gt", 0), _chosen("gt", 1)), _tie_cases(),
            dtypes=NUMBERS, facts=_LIPSCHITZ,
        ),
        elementwise(
            "minimum", np.minimum, (_chosen("lt", 0), _chosen("lt", 1)), _tie_cases(),
            dtypes=NUMBERS, facts=_LIPSCHITZ,
        ),
        _tied(),
    )  # fmt: skip


def _strong() -> Primitive:
    """Its derivatives are those of the product: of the second order, 0 is no answer."""
    at_zero = values_case((F1, F1), (np.array([0.0, -0.0, 2.0]), np.array([np.inf] * 3)))
    return elementwise(
        "strong_mul", _strong_product, (_times(1), _times(0)), (*float_cases(2), at_zero),
        facts=_linear(IN_FIRST),
    )  # fmt: skip


def _with_signs() -> tuple[Primitive, ...]:
    return (
        elementwise(
            "mod", np.mod, (alone(_same), both(_mod_by_divisor)),
            (shaped_case((), (), low=1.1, high=1.9), shaped_case((3,), (), low=1.1, high=1.9),
             values_case((F1, F64), (np.array([7.3, -7.3]), np.float64(2.0)), smooth=True),
             values_case((F1, F64), (np.array([7.3, -7.3]), np.float64(-2.0)), smooth=True),
             values_case((I1, I64), (np.array([7, -7, 3]), np.int64(-3))),
             values_case((I64, I64), (np.int64(7), np.int64(0)))),
            dtypes=NUMBERS, cost=8.0, facts=_EXACT_ON_INTS,
        ),
        elementwise(
            "copysign", np.copysign, (both(_copysign_by_size), None),
            (values_case((F1, F1), (np.array([1.5, -2.5]), np.array([-1.0, -3.0])), smooth=True),
             values_case((F64, F1), (np.float64(1.5), np.array([-1.0, 3.0])), smooth=True)),
            facts=_LIPSCHITZ,
        ),
    )  # fmt: skip


def _former(a: Any, b: Any) -> Any:
    return _where(True, a, b)


_HALVES = replace(ELEMENTWISE, exact=Exact.NEVER, lipschitz=True)


def _tied() -> Primitive:
    """The first of two equal numbers; each of them has half of the derivative."""

    def half(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
        return b.mul(flit(0.5), v)

    same = np.array([0.5, -1.5])
    return elementwise(
        "tied", _former, (alone(half), alone(half)),
        (values_case((F64, F64), (np.float64(2.0), np.float64(2.0))),
         values_case((F1, F1), (same, same))),
        cost=0.0, facts=_HALVES,
    )  # fmt: skip


def _tie_cases() -> tuple[Case, ...]:
    return (
        *float_cases(2),
        *_INT_CASES,
        values_case((F1, F1), (np.array([1.0, 2.0]), np.array([1.0, 2.0]))),
        values_case((F64, F64), (np.float64(np.nan), np.float64(1.0))),
    )


# Piecewise constant functions.


def _flat(
    name: str, function: Callable[..., Any], arity: int, cases: tuple[Case, ...],
    dtypes: tuple[DType, ...] = FLOATS, cost: float = 1.0, facts: Facts = _EXACT,
) -> Primitive:  # fmt: skip
    return Primitive(
        name, elementwise_type(name, arity, dtypes), guarded(function), ZERO, ZERO, cases, facts,
        cost=cost, elementwise=True,
    )  # fmt: skip


def _flat_ones() -> tuple[Primitive, ...]:
    unary = (Case((F64,), smooth=False), Case((F2,), smooth=False))
    division = (
        values_case((F1, F64), (np.array([7.5, -7.5]), np.float64(2.0))),
        values_case((F64, F64), (np.float64(1.0), np.float64(0.0))),
        values_case((I1, I64), (np.array([7, -7]), np.int64(-2))),
        values_case((I64, I64), (np.int64(7), np.int64(0))),
        values_case((I64, I64), (np.int64(_LOW), np.int64(-1))),
    )
    return (
        _flat("floordiv", np.floor_divide, 2, division, NUMBERS, 8.0, _EXACT_ON_INTS),
        _flat("sign", np.sign, 1, (*unary, Case((I1,))), NUMBERS),
        _flat("floor", np.floor, 1, unary),
        _flat("ceil", np.ceil, 1, unary),
        _flat("trunc", np.trunc, 1, unary),
        _flat("rint", np.rint, 1, unary),
        Primitive(
            "nearest",
            elementwise_type("nearest", 1, FLOATS, DType.I64),
            guarded(_nearest),
            ZERO,
            ZERO,
            unary,
            _EXACT,
            elementwise=True,
        ),
        # Its values are linear, its derivative is not theirs; and folding would lose the mark.
        _flat("stop_gradient", _fresh, 1, unary, (*NUMBERS, DType.BOOL), 0.0, ELEMENTWISE),
    )


# select and convert.


def _select_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 3 and types[0].dtype is DType.BOOL, "select", types)
    require(types[1].dtype is types[2].dtype, "select", types)
    return (Type(types[1].dtype, max_rank(types)),)


def _where(cond: Any, then: Any, orelse: Any) -> Any:
    choose: Callable[..., Any] = np.where
    return choose(cond, then, orelse)[()]


def _nearest(x: Any) -> Any:
    return np.rint(x).astype(np.int64)


def _fresh(x: Any) -> Any:
    return np.array(x)[()]


def _pick(position: int) -> Partial:
    def scale(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
        chosen = (v, flit(0.0)) if position == 1 else (flit(0.0), v)
        return b.prim("select", args[0], *chosen)

    return Partial(scale, (0,))


def _convert_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 1, "convert", types)
    return (Type(dtype_of(params), types[0].rank),)


def _convert_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    dtypes = {DType.F64: np.float64, DType.I64: np.int64, DType.BOOL: np.bool_}
    with np.errstate(all="ignore"):
        return (np.array(args[0]).astype(dtypes[dtype_of(params)])[()],)


def _convert_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: tuple[Atom | None, ...],
    params: Params,
) -> tuple[Atom | None, ...]:  # fmt: skip
    return (tangents[0] if outs[0].type.is_float else None,)


def _convert_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.args[0].type.is_float and p.wants(0):
        p.add(0, out_bar)


# Checked integer arithmetic of scalars.


def _checked_type(name: str, arity: int) -> Callable[..., tuple[Type, ...]]:
    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(types == (I64,) * arity, name, types)
        return (I64,)

    return rule


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise CompilerBug("ipow of a negative exponent")
    if abs(base) >= 2 and exponent >= 64:
        return _HIGH + 1
    return int(base**exponent)


def _checked(
    name: str, function: Callable[..., int], cases: tuple[Case, ...], held: str = "",
    commutative: bool = False,
) -> Primitive:  # fmt: skip
    """A checked primitive; `held` is the same without the check, where there is one."""
    facts = replace(
        SCALAR, exact=Exact.ALWAYS if held else Exact.NEVER, held=held or Held.SAME,
        commutative=commutative,
    )  # fmt: skip

    def evaluate(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
        exact = function(*(int(a) for a in args))
        if not _LOW <= exact <= _HIGH:
            raise RaisedError("OverflowError", OVERFLOW_MESSAGE, span_of(params))
        return (np.int64(exact),)

    return Primitive(
        name, _checked_type(name, len(cases[0].types)), evaluate, ZERO, ZERO, cases, facts,
        effect=Effect.CHECK, elementwise=False,
    )  # fmt: skip


def _checked_ones() -> tuple[Primitive, ...]:
    one, two = (Case((I64,)),), (Case((I64, I64)),)
    power = (values_case((I64, I64), (np.int64(-3), np.int64(39))),)
    return (
        _checked("iadd", int.__add__, two, "add", commutative=True),
        _checked("isub", int.__sub__, two, "sub"),
        _checked("imul", int.__mul__, two, "mul", commutative=True),
        _checked("ineg", int.__neg__, one, "neg"),
        _checked("iabs", int.__abs__, one, "abs"),
        _checked("ipow", _power, power),
    )


def _mixed_ones() -> tuple[Primitive, ...]:
    select_cases = (
        Case((BOOL, F64, F64)), Case((B1, F1, F1)), Case((B1, F64, F64)), Case((BOOL, F1, F2)),
        Case((B1, F64, F2)), Case((B1, I64, I1)), Case((B1, B1, B1)),
    )  # fmt: skip
    converts = tuple(
        Case((Type(source, rank),), (("dtype", target.value),), smooth=source is target)
        for source in (*NUMBERS, DType.BOOL)
        for target in (*NUMBERS, DType.BOOL)
        for rank in (0, 2)
    )
    return (
        elementwise(
            "select", _where, (None, _pick(1), _pick(2)),
            select_cases, type_rule=_select_type,
            joint=lambda b, ts, args: b.prim("select", args[0], *ts, hint="dot"),
            facts=_linear(Linear(((1,), (2,)))),
        ),
        Primitive(
            "convert", _convert_type, _convert_eval, _convert_jvp, _convert_vjp, converts,
            replace(_EXACT_ON_INTS, linear_in=IN_FIRST), elementwise=True,
        ),
    )  # fmt: skip


ARITH: tuple[Primitive, ...] = (
    *_smooth(),
    _strong(),
    *_with_signs(),
    *_flat_ones(),
    *_mixed_ones(),
    *_checked_ones(),
)
