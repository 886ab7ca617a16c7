"""Elementary functions, elementwise on f64.

The reference is NumPy's; the machine code agrees to a few units in the last place. At edges the
derivatives are JAX's: sqrt has inf at 0, x**0 has 0, the exponent of a zero base has 0. What ends
with a vertical slope (sqrt, arcsin, arccos, powers of 1/2 and more) multiplies by it strongly: a
tangent or cotangent of 0 stays 0, as `r = np.sqrt(x**2 + y**2)` at 0 needs it
(docs/decisions/0071-strong-zeros.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.draws import quantile
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Lit, flit
from retrograd.ir.types import F64
from retrograd.prims.core import Case, Primitive
from retrograd.prims.facts import ELEMENTWISE, Exact, Facts
from retrograd.prims.rules import (
    F1,
    F2,
    alone,
    both,
    elementwise,
    float_cases,
    shaped_case,
    values_case,
)  # fmt: skip

__all__ = ["ELEMENTARY"]

Factor = Callable[[Builder, Atom, Atom], Atom]
"""(b, x, out) -> the derivative at x, where the value is out."""


def _erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[np.float64])(x)[()]


def _unary(
    name: str, function: Callable[[Any], Any], factor: Factor, cost: float = 20.0,
    low: float = -2.0, high: float = 2.0, facts: Facts = ELEMENTWISE,
) -> Primitive:  # fmt: skip
    partial = alone(lambda b, v, args, out: b.mul(v, factor(b, args[0], out)))
    return elementwise(
        name, function, (partial,), float_cases(1, low, high), cost=cost, facts=facts
    )


def _over(
    name: str, function: Callable[[Any], Any], denominator: Factor, cost: float = 20.0,
    low: float = -2.0, high: float = 2.0, facts: Facts = ELEMENTWISE,
) -> Primitive:  # fmt: skip
    partial = alone(lambda b, v, args, out: b.div(v, denominator(b, args[0], out)))
    return elementwise(
        name, function, (partial,), float_cases(1, low, high), cost=cost, facts=facts
    )


_LIPSCHITZ = replace(ELEMENTWISE, lipschitz=True)
_OWN_SLOPE = replace(ELEMENTWISE, own_slope=True)


def _one_plus(b: Builder, x: Atom) -> Atom:
    return b.add(flit(1.0), x)


def _steep(b: Builder, v: Atom, slope: Atom) -> Atom:
    """v times a slope that is infinite at the end of a domain; 0 where v is."""
    return b.prim("strong_mul", v, slope)


def _cosine_of_arc(b: Builder, x: Atom) -> Atom:
    # (1-x)(1+x) keeps the digits near the ends that 1 - x*x loses.
    return b.prim("sqrt", b.mul(b.sub(flit(1.0), x), _one_plus(b, x)))


def _by_arc(b: Builder, v: Atom, x: Atom) -> Atom:
    return _steep(b, v, b.div(flit(1.0), _cosine_of_arc(b, x)))


def _gauss(b: Builder, x: Atom) -> Atom:
    return b.mul(flit(2.0 / math.sqrt(math.pi)), b.prim("exp", b.neg(b.mul(x, x))))


def _bell(b: Builder, x: Atom, y: Atom) -> Atom:
    """The inverse of the normal density at y."""
    return b.mul(flit(math.sqrt(2.0 * math.pi)), b.prim("exp", b.mul(flit(0.5), b.mul(y, y))))


def _exponentials() -> tuple[Primitive, ...]:
    root = alone(lambda b, v, args, out: _steep(b, v, b.div(flit(0.5), out)))
    return (
        elementwise("sqrt", np.sqrt, (root,), float_cases(1, 0.5, 3.0), cost=6.0,
                    facts=replace(ELEMENTWISE, exact=Exact.ALWAYS)),
        _unary("exp", np.exp, lambda b, x, y: y, facts=_OWN_SLOPE),
        _unary("expm1", np.expm1, lambda b, x, y: _one_plus(b, y), facts=_OWN_SLOPE),
        _over("log", np.log, lambda b, x, y: x, low=0.5, high=3.0),
        _over("log1p", np.log1p, lambda b, x, y: _one_plus(b, x), low=-0.5),
        _over("log2", np.log2, lambda b, x, y: b.mul(x, flit(math.log(2.0))), low=0.5, high=3.0),
        _over("log10", np.log10, lambda b, x, y: b.mul(x, flit(math.log(10.0))), low=0.5, high=3.0),
        _unary("erf", _erf, lambda b, x, y: _gauss(b, x), 25.0, facts=_LIPSCHITZ),
        _unary("quantile", quantile, _bell, 40.0, -0.45, 0.45),
    )  # fmt: skip


def _trigonometric() -> tuple[Primitive, ...]:
    minus = alone(lambda b, v, args, out: b.neg(b.mul(v, b.prim("sin", args[0]))))
    arc = alone(lambda b, v, args, out: _by_arc(b, v, args[0]))
    minus_arc = alone(lambda b, v, args, out: b.neg(_by_arc(b, v, args[0])))
    return (
        _unary("sin", np.sin, lambda b, x, y: b.prim("cos", x), facts=_LIPSCHITZ),
        elementwise("cos", np.cos, (minus,), float_cases(1), cost=20.0, facts=_LIPSCHITZ),
        _unary("tan", np.tan, lambda b, x, y: _one_plus(b, b.mul(y, y)), 25.0, -1.2, 1.2),
        elementwise("arcsin", np.arcsin, (arc,), float_cases(1, -0.9, 0.9), cost=25.0),
        elementwise("arccos", np.arccos, (minus_arc,), float_cases(1, -0.9, 0.9), cost=25.0),
        _over(
            "arctan", np.arctan, lambda b, x, y: _one_plus(b, b.mul(x, x)), 25.0, facts=_LIPSCHITZ
        ),
        _unary("sinh", np.sinh, lambda b, x, y: b.prim("cosh", x), 25.0),
        _unary("cosh", np.cosh, lambda b, x, y: b.prim("sinh", x), 25.0),
        _unary(
            "tanh", np.tanh, lambda b, x, y: b.sub(flit(1.0), b.mul(y, y)), 25.0, facts=_LIPSCHITZ
        ),
    )


# Two operands.


def _pow_by_base(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    base, exponent = args
    if isinstance(exponent, Lit):
        return _literal_power(b, v, base, float(exponent.value))
    zero = b.prim("eq", exponent, flit(0.0))
    less = b.prim("select", zero, flit(1.0), b.sub(exponent, flit(1.0)))
    slope = b.mul(exponent, b.prim("pow", base, less))
    return b.mul(v, b.prim("select", zero, flit(0.0), slope))


def _literal_power(b: Builder, v: Atom, base: Atom, exponent: float) -> Atom:
    if exponent == 0.0:
        return b.mul(v, flit(0.0))
    if exponent == 1.0:
        return v
    if exponent == 2.0:
        return b.mul(v, b.mul(flit(2.0), base))
    if exponent == 3.0:
        return b.mul(v, b.mul(flit(3.0), b.mul(base, base)))
    slope = b.mul(flit(exponent), b.prim("pow", base, flit(exponent - 1.0)))
    return _steep(b, v, slope) if 0.5 <= exponent < 1.0 else b.mul(v, slope)


def _pow_by_exponent(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    # A zero base counts as one, so that its logarithm is 0 and not -inf.
    base = args[0]
    safe = b.prim("select", b.prim("eq", base, flit(0.0)), flit(1.0), base)
    return b.mul(v, b.mul(b.prim("log", safe), out))


def _square_sum(b: Builder, args: tuple[Atom, ...]) -> Atom:
    return b.add(b.mul(args[0], args[0]), b.mul(args[1], args[1]))


def _arctan2_by_y(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.mul(v, b.div(args[1], _square_sum(b, args)))


def _arctan2_by_x(b: Builder, v: Atom, args: tuple[Atom, ...], out: Atom) -> Atom:
    return b.neg(b.mul(v, b.div(args[0], _square_sum(b, args))))


def _hypot_by(b: Builder, v: Atom, side: Atom, out: Atom) -> Atom:
    safe = b.prim("select", b.prim("eq", out, flit(0.0)), flit(1.0), out)
    return b.mul(v, b.div(side, safe))


def _binary() -> tuple[Primitive, ...]:
    zero, two = np.float64(0.0), np.float64(2.0)
    return (
        elementwise(
            "pow", np.power, (both(_pow_by_base), both(_pow_by_exponent)),
            (*float_cases(2, 0.5, 2.0),
             values_case((F64, F64), (zero, two)), values_case((F64, F64), (zero, zero)),
             values_case((F1, F64), (np.array([-2.0, 0.0]), two))),
            cost=30.0,
        ),
        elementwise(
            "arctan2", np.arctan2, (both(_arctan2_by_y), both(_arctan2_by_x)),
            float_cases(2, 0.5, 2.0), cost=30.0,
        ),
        elementwise(
            "hypot", np.hypot,
            (both(lambda b, v, args, out: _hypot_by(b, v, args[0], out)),
             both(lambda b, v, args, out: _hypot_by(b, v, args[1], out))),
            (*float_cases(2, 0.5, 2.0), shaped_case((2,), (2,), low=-3.0, high=-0.5),
             values_case((F64, F64), (zero, zero)), Case((F2, F1), low=0.5)),
            cost=12.0, facts=_LIPSCHITZ,
        ),
    )  # fmt: skip


ELEMENTARY: tuple[Primitive, ...] = (*_exponentials(), *_trigonometric(), *_binary())
