"""Functions of the mathematical library beyond the elementary ones, elementwise on f64.

The reference is Python's `math` or NumPy; the machine code calls the C library, so accuracy is
that library's. The polygamma functions are our own: `polygamma(n, x)` is the n-th derivative of
digamma, by the recurrence up to a large argument and an Euler-Maclaurin series there (Abramowitz
and Stegun, 6.4.6 and 6.4.11).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Lit, Params, flit, ilit
from retrograd.ir.types import F64, I64, Type
from retrograd.prims.core import ZERO, Case, Primitive, TypeRule
from retrograd.prims.facts import ELEMENTWISE, IN_FIRST
from retrograd.prims.rules import (
    F1,
    FLOATS,
    Partial,
    Scale,
    alone,
    elementwise,
    elementwise_type,
    float_cases,
    guarded,
    max_rank,
    require,
    values_case,
)  # fmt: skip

__all__ = ["BERNOULLI", "SHIFT", "SPECIAL"]

BERNOULLI = tuple(
    b / math.factorial(2 * j)
    for j, b in enumerate(
        (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
         -174611 / 330), 1,
    )
)  # fmt: skip
"""B(2j) / (2j)! for j from 1."""
SHIFT = 24.0
"""The series is used from this argument (plus the order) on."""
LOWEST = -(2.0**20)
"""Below it the recurrence would take too long: NaN."""


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma at x; NaN at poles and below -2**20."""
    s = n + 1
    if math.isnan(x) or x < LOWEST or (x <= 0.0 and math.floor(x) == x):
        return math.nan
    total = 0.0
    while x < SHIFT + n:
        total += 1.0 / x**s
        x += 1.0
    w = 1.0 / x
    total += (-math.log(x) if n == 0 else w**n / n) + 0.5 * w**s
    factor = s * w ** (s + 1)
    for j, coefficient in enumerate(BERNOULLI, 1):
        total += coefficient * factor
        factor *= (s + 2 * j - 1) * (s + 2 * j) * w * w
    return (-1.0) ** s * math.factorial(n) * total


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # a pole; zeros are the ones that have a side
        return math.copysign(math.inf, x) if x == 0.0 else math.nan


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def _each(function: Callable[..., float]) -> Callable[..., Any]:
    return lambda *args: np.vectorize(function, otypes=[np.float64])(*args)[()]


def _unary(
    name: str, function: Callable[[Any], Any], scale: Scale, low: float = -2.0, high: float = 2.0
) -> Primitive:
    return elementwise(name, function, (alone(scale),), float_cases(1, low, high), cost=30.0)


def _over_root(b: Builder, v: Atom, square: Atom) -> Atom:
    return b.div(v, b.prim("sqrt", square))


def _by_arcsinh(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.div(v, b.prim("hypot", args[0], flit(1.0)))


def _by_arccosh(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    x = args[0]
    return _over_root(b, v, b.mul(b.sub(x, flit(1.0)), b.add(x, flit(1.0))))


def _by_arctanh(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    x = args[0]
    return b.div(v, b.mul(b.sub(flit(1.0), x), b.add(flit(1.0), x)))


def _by_cbrt(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.div(v, b.mul(flit(3.0), b.mul(out, out)))


def _by_exp2(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.mul(v, b.mul(flit(math.log(2.0)), out))


def _by_erfc(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    bell = b.prim("exp", b.neg(b.mul(args[0], args[0])))
    return b.mul(v, b.mul(flit(-2.0 / math.sqrt(math.pi)), bell))


def _by_lgamma(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.mul(v, b.prim("polygamma", ilit(0), args[0]))


def _by_gamma(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.mul(v, b.mul(out, b.prim("polygamma", ilit(0), args[0])))


def _by_polygamma(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    order = args[0]
    following = ilit(int(order.value) + 1) if isinstance(order, Lit) else b.add(order, ilit(1))
    return b.mul(v, b.prim("polygamma", following, args[1]))


def _by_ldexp(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.prim("ldexp", v, args[1])


def _ldexp(x: Any, exponent: Any) -> Any:
    return np.ldexp(x, np.clip(exponent, -5000, 5000))


def _exponent(x: Any) -> Any:
    return np.frexp(x)[1].astype(np.float64)


def _with_integer(name: str, integer: int) -> TypeRule:
    """A float operand and an integer one, which stands at this position."""

    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(len(types) == 2 and types[1 - integer].is_float, name, types)
        require(types[integer].dtype is I64.dtype, name, types)
        return (F64.with_rank(max_rank(types)),)

    return rule


def _stepwise(name: str, function: Callable[..., Any], cases: tuple[Case, ...]) -> Primitive:
    """A function of the number's bits: like rounding, it has no derivative to speak of."""
    arity = len(cases[0].types)
    rule = elementwise_type(name, arity, FLOATS)
    return Primitive(
        name, rule, guarded(function), ZERO, ZERO, cases, ELEMENTWISE, cost=15.0, elementwise=True
    )


def _orders(n: int) -> tuple[Case, ...]:
    at = (0.3, 1.5, 7.0, 40.0, -0.5, -2.25)
    return tuple(values_case((I64, F64), (np.int64(n), np.float64(x))) for x in at)


def _binary() -> tuple[Primitive, ...]:
    two, three = np.int64(2), np.int64(3)
    array = values_case((I64, F1), (np.int64(1), np.array([0.4, 3.0])))
    scaled = values_case((F1, I64), (np.array([0.4, -3.0, np.inf]), three))
    tiny = values_case((F64, I64), (np.float64(0.75), np.int64(-1080)))
    smooth = tuple(
        Case(types, draw=lambda rng, shape=shape: (two, rng.uniform(1.0, 3.0, shape)[()]))
        for types, shape in (((I64, F64), ()), ((I64, F1), (3,)))
    )
    smooth_scale = tuple(
        Case(types, draw=lambda rng, shape=shape: (rng.uniform(1.0, 3.0, shape)[()], three))
        for types, shape in (((F64, I64), ()), ((F1, I64), (3,)))
    )
    pairs = ((1.0, 2.0), (1.0, 1.0), (0.0, -1.0), (np.inf, 0.0), (np.nan, 1.0))
    return (
        elementwise(
            "polygamma", _each(polygamma), (None, Partial(_by_polygamma, (0, 1))),
            (*smooth, *_orders(0), *_orders(1), *_orders(3), array),
            type_rule=_with_integer("polygamma", 0), cost=200.0,
        ),
        elementwise(
            "ldexp", _ldexp, (Partial(_by_ldexp, (0, 1)), None), (*smooth_scale, scaled, tiny),
            type_rule=_with_integer("ldexp", 1), cost=15.0,
            facts=replace(ELEMENTWISE, linear_in=IN_FIRST),
        ),
        _stepwise(
            "nextafter", np.nextafter,
            tuple(values_case((F64, F64), tuple(map(np.float64, pair))) for pair in pairs),
        ),
        _stepwise(
            "exponent", _exponent,
            (values_case((F1,), (np.array([0.0, 1.0, 0.3, -5e-324, 1e300, np.inf, np.nan]),)),),
        ),
    )  # fmt: skip


SPECIAL: tuple[Primitive, ...] = (
    _unary("arcsinh", np.arcsinh, _by_arcsinh),
    _unary("arccosh", np.arccosh, _by_arccosh, 1.2, 3.0),
    _unary("arctanh", np.arctanh, _by_arctanh, -0.8, 0.8),
    _unary("cbrt", np.cbrt, _by_cbrt, 0.5, 3.0),
    _unary("exp2", np.exp2, _by_exp2),
    _unary("erfc", _each(math.erfc), _by_erfc),
    _unary("gamma", _each(_gamma), _by_gamma, 0.5, 4.0),
    _unary("lgamma", _each(_lgamma), _by_lgamma, 0.5, 4.0),
    *_binary(),
)
