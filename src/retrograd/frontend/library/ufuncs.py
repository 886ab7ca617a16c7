"""Ufuncs and functions of `math` that are made of a few primitives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from retrograd.frontend.library import operators
from retrograd.frontend.library.args import no_more
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import Scalar, TupleValue, Value
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, flit, ilit
from retrograd.ir.types import F64, I64, DType

__all__ = ["TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Made = Callable[..., Atom]
"""(tracer, float operands) -> the result."""


def _atoms(t: Tracer, name: str, count: int, args: Args, kwargs: Kwargs) -> list[Atom]:
    no_more(t, name, kwargs)
    if len(args) != count:
        words = {1: "one argument", 2: "two arguments"}[count]
        raise t.error(
            "RG0108", f"{name} takes {words} and is given {len(args)}", f"write {name} with {words}"
        )
    found = [value_atom(t, value, f"an argument of {name}") for value in args]
    if name.startswith("math.") and not all(atom.type.is_scalar for atom in found):
        raise t.error("RG0110", f"{name} of an array", f"use np.{name.removeprefix('math.')}")
    return found


def _floats(name: str, count: int, made: Made) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        atoms = _atoms(t, name, count, args, kwargs)
        return t.new(made(t, *(convert(t, atom, F64) for atom in atoms)))

    return handler


def _pairs(name: str, made: Callable[[Tracer, Atom], tuple[Atom, Atom]]) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (atom,) = _atoms(t, name, 1, args, kwargs)
        return TupleValue(tuple(t.new(part) for part in made(t, convert(t, atom, F64))))

    return handler


def _side(t: Tracer, x: Atom) -> Atom:
    return t.prim("copysign", flit(1.0), x)


def _fmod(t: Tracer, x: Atom, y: Atom) -> Atom:
    # Python's remainder of the sizes is exact, as C's is.
    side = _side(t, x)
    size = t.prim("mul", side, x)
    return t.prim("mul", side, t.prim("mod", size, t.prim("abs", y)))


def _fmod_of(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.fmod`; of ints the remainder has the sign of the dividend, and is 0 for a divisor 0."""
    x, y = _atoms(t, "np.fmod", 2, args, kwargs)
    if F64.dtype in (x.type.dtype, y.type.dtype):
        return t.new(_fmod(t, convert(t, x, F64), convert(t, y, F64)))
    x, y = convert(t, x, I64), convert(t, y, I64)
    rest = t.prim("mod", x, y)
    other = t.prim("ne", t.prim("lt", rest, ilit(0)), t.prim("lt", x, ilit(0)))
    turned = t.prim("and_", other, t.prim("ne", rest, ilit(0)))
    return t.new(t.prim("select", turned, t.prim("sub", rest, y), rest))


def _modf(t: Tracer, x: Atom) -> tuple[Atom, Atom]:
    side = _side(t, x)
    size = t.prim("mul", side, x)
    whole = t.prim("floor", size)
    rest = t.prim("select", t.prim("isinf", size), flit(0.0), t.prim("sub", size, whole))
    return t.prim("mul", side, rest), t.prim("mul", side, whole)


def _frexp(t: Tracer, x: Atom) -> tuple[Atom, Atom]:
    exponent = convert(t, t.prim("exponent", x), I64)
    minus = t.prim("neg", exponent)
    return t.prim("ldexp", x, minus), exponent


def _ldexp(name: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        x, exponent = _atoms(t, name, 2, args, kwargs)
        if exponent.type.is_float:
            raise t.error("RG0110", f"the exponent of {name} is a float", "it is an int")
        return t.new(t.prim("ldexp", convert(t, x, F64), convert(t, exponent, I64)))

    return handler


def _spacing(t: Tracer, x: Atom) -> Atom:
    """The distance to the next number away from zero."""
    still = t.prim("stop_gradient", x)
    below = t.prim("lt", still, flit(0.0))
    away = t.prim("select", below, flit(-math.inf), flit(math.inf))
    return t.prim("sub", t.prim("nextafter", still, away), still)


def _ulp(t: Tracer, x: Atom) -> Atom:
    size = t.prim("abs", t.prim("stop_gradient", x))
    up = t.prim("sub", t.prim("nextafter", size, flit(math.inf)), size)
    down = t.prim("sub", size, t.prim("nextafter", size, flit(0.0)))
    last = t.prim("isinf", up)
    found = t.prim("select", last, down, up)
    return t.prim("select", t.prim("isinf", size), size, found)


def _without_nan(op: str) -> Made:
    """fmax and fmin: a NaN loses."""

    def made(t: Tracer, x: Atom, y: Atom) -> Atom:
        found = t.prim("select", t.prim("isnan", x), y, t.prim(op, x, y))
        return t.prim("select", t.prim("isnan", y), x, found)

    return made


def _heaviside(t: Tracer, x: Atom, at_zero: Atom) -> Atom:
    still = t.prim("stop_gradient", x)
    above = t.prim("select", t.prim("gt", still, flit(0.0)), flit(1.0), flit(0.0))
    found = t.prim("select", t.prim("eq", still, flit(0.0)), at_zero, above)
    return t.prim("select", t.prim("isnan", still), still, found)


def _logaddexp(base: float | None) -> Made:
    """log(exp(x) + exp(y)), without overflow; infinities of one sign count as equal numbers.

    Of equal numbers it is their mean + log(2) + d^2 / 8 - d^4 / 192 + ... for the difference d,
    which has derivatives there, as the larger number and the size of the difference have not.
    """
    log, exp = ("log1p", "exp") if base is None else ("log1p", "exp2")
    unit = 1.0 if base is None else math.log(base)

    def made(t: Tracer, x: Atom, y: Atom) -> Atom:
        difference = t.prim("sub", x, y)
        apart = t.prim("select", t.prim("isnan", difference), flit(0.0), difference)
        tail = t.prim(log, t.prim(exp, t.prim("neg", t.prim("abs", apart))))
        if base is not None:
            tail = t.prim("mul", tail, flit(1.0 / unit))
        found = t.prim("add", t.prim("maximum", x, y), tail)
        mean = t.prim("add", t.prim("mul", flit(0.5), x), t.prim("mul", flit(0.5), y))
        equal = t.prim("eq", apart, flit(0.0))
        small = t.prim("select", equal, apart, flit(0.0))
        square = t.prim("mul", small, small)
        slope = t.prim("sub", flit(unit / 8.0), t.prim("mul", flit(unit**3 / 192.0), square))
        rest = t.prim("add", flit(math.log(2.0) / unit), t.prim("mul", slope, square))
        near = t.prim("add", mean, rest)
        return t.prim("select", equal, near, found)

    return made


def _signbit(t: Tracer, x: Atom) -> Atom:
    return t.prim("lt", _side(t, x), flit(0.0))


def _nextafter(t: Tracer, x: Atom, y: Atom) -> Atom:
    return t.prim("nextafter", x, y)


def _divmod(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    _atoms(t, "np.divmod", 2, args, kwargs)
    quotient = operators.binary(t, "floordiv", args[0], args[1])
    return TupleValue((quotient, operators.binary(t, "mod", args[0], args[1])))


def _itself(name: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (atom,) = _atoms(t, name, 1, args, kwargs)
        return Scalar(atom) if atom.type.is_scalar else t.new(t.prim("copy", atom))

    return handler


def _invert(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (atom,) = _atoms(t, "np.invert", 1, args, kwargs)
    if atom.type.is_float:
        raise t.error("RG0110", "np.invert of floats", "it takes ints or bools")
    return t.new(t.prim("not_" if atom.type.dtype is DType.BOOL else "bit_not", atom))


TABLE: Mapping[object, Handler] = {
    np.fmod: _fmod_of,
    np.fmax: _floats("np.fmax", 2, _without_nan("maximum")),
    np.fmin: _floats("np.fmin", 2, _without_nan("minimum")),
    np.heaviside: _floats("np.heaviside", 2, _heaviside),
    np.logaddexp: _floats("np.logaddexp", 2, _logaddexp(None)),
    np.logaddexp2: _floats("np.logaddexp2", 2, _logaddexp(2.0)),
    np.signbit: _floats("np.signbit", 1, _signbit),
    np.spacing: _floats("np.spacing", 1, _spacing),
    math.ulp: _floats("math.ulp", 1, _ulp),
    np.nextafter: _floats("np.nextafter", 2, _nextafter),
    math.nextafter: _floats("math.nextafter", 2, _nextafter),
    np.ldexp: _ldexp("np.ldexp"),
    math.ldexp: _ldexp("math.ldexp"),
    np.frexp: _pairs("np.frexp", _frexp),
    math.frexp: _pairs("math.frexp", _frexp),
    np.modf: _pairs("np.modf", _modf),
    np.divmod: _divmod,
    np.positive: _itself("np.positive"),
    np.conjugate: _itself("np.conjugate"),
    np.invert: _invert,
}
