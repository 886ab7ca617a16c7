"""Element-wise functions under the names of NumPy, `math` and the built-ins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.draws import quantile
from retrograd.frontend.library import operators
from retrograd.frontend.library.args import bind, is_none, no_more
from retrograd.frontend.library.create import as_operand
from retrograd.frontend.library.plain import places, rounding
from retrograd.frontend.values import scalars
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.large_ints import as_float_if_large
from retrograd.frontend.values.powers import power
from retrograd.frontend.values.scalars import as_float, convert, join_dtype
from retrograd.frontend.values.small_ints import in_range
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, Lit, flit, ilit
from retrograd.ir.types import F64, I64, DType

__all__ = [
    "TABLE", "absolute", "clip", "digamma", "of_one", "polygamma", "round_half_even",
]  # fmt: skip

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _one(t: Tracer, name: str, args: Args, kwargs: Kwargs) -> Atom:
    no_more(t, name, kwargs)
    if len(args) != 1:
        raise t.error(
            "RG0108", f"{name} takes one argument and is given {len(args)}", f"write {name}(x)"
        )
    return value_atom(t, args[0], f"the argument of {name}")


def _two(t: Tracer, name: str, args: Args, kwargs: Kwargs) -> tuple[Atom, Atom]:
    no_more(t, name, kwargs)
    if len(args) != 2:
        raise t.error(
            "RG0108", f"{name} takes two arguments and is given {len(args)}", f"write {name}(x, y)"
        )
    what = f"an argument of {name}"
    return value_atom(t, args[0], what), value_atom(t, args[1], what)


def of_one(name: str, op: str) -> Handler:
    """A function of floats, each by itself."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        return t.new(t.prim(op, convert(t, _one(t, name, args, kwargs), F64)))

    return handler


def digamma(name: str) -> Handler:
    """The derivative of the logarithm of gamma."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        return t.new(t.prim("polygamma", ilit(0), convert(t, _one(t, name, args, kwargs), F64)))

    return handler


def polygamma(name: str) -> Handler:
    """A derivative of `digamma`, of an order that is an int."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        order, x = _two(t, name, args, kwargs)
        if order.type != I64:
            raise t.error("RG0110", f"the order of {name} is not an int", "it is a number of times")
        return t.new(t.prim("polygamma", order, convert(t, x, F64)))

    return handler


def _float2(name: str, op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        x, y = _two(t, name, args, kwargs)
        return t.new(t.prim(op, convert(t, x, F64), convert(t, y, F64)))

    return handler


def _math1(name: str, op: str) -> Handler:
    """A function of `math`, which takes numbers only."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        numbers = [as_float_if_large(t, arg) for arg in args]
        atom = _one(t, name, numbers, kwargs)
        if not atom.type.is_scalar:
            raise t.error("RG0110", f"{name} of an array", f"use np.{name.removeprefix('math.')}")
        return Scalar(t.prim(op, convert(t, atom, F64)))

    return handler


def _same_kind(name: str, op: str) -> Handler:
    """Two arguments of one dtype: maximum, minimum."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        x, y = _two(t, name, args, kwargs)
        dtype = join_dtype(x.type.dtype, y.type.dtype)
        joined = join_dtype(dtype, DType.I64)
        return t.new(convert(t, t.prim(op, convert(t, x, joined), convert(t, y, joined)), dtype))

    return handler


def _operator(name: str, op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        _two(t, name, args, kwargs)
        return operators.binary(t, op, args[0], args[1])

    return handler


def _comparison(name: str, op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        _two(t, name, args, kwargs)
        a, b = args[:2]
        if isinstance(a, Scalar) and isinstance(b, Scalar) and F64 in (a.type, b.type):
            # NumPy converts, where Python compares an int with a float exactly.
            a, b = Scalar(convert(t, a.atom, F64)), Scalar(convert(t, b.atom, F64))
        return operators.compare_values(t, op, a, b)

    return handler


def _logical(name: str, op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        x, y = _two(t, name, args, kwargs)
        return t.new(t.prim(op, _as_bool(t, x), _as_bool(t, y)))

    return handler


def _as_bool(t: Tracer, x: Atom) -> Atom:
    if x.type.dtype is DType.BOOL:
        return x
    return t.prim("ne", x, flit(0.0) if x.type.is_float else ilit(0))


def _logical_not(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return t.new(t.prim("not_", _as_bool(t, _one(t, "np.logical_not", args, kwargs))))


def absolute(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`abs`, `np.abs`, `math.fabs` (of floats)."""
    atom = _one(t, "abs", args, kwargs)
    if atom.type.dtype is DType.BOOL:
        atom = convert(t, atom, DType.I64)
    if atom.type == I64:
        if isinstance(atom, Lit):
            return Scalar(ilit(abs(int(atom.value))))
        made, value = Scalar(t.prim("iabs", atom, span=t.span), True), args[0]
        return in_range(t, made, value, value) if isinstance(value, Scalar) else made
    return t.new(t.prim("abs", atom))


def _absolute(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.abs`, which leaves bools as they are."""
    atom = _one(t, "np.abs", args, kwargs)
    if atom.type.dtype is DType.BOOL and not atom.type.is_scalar:
        return t.new(t.prim("copy", atom))
    return absolute(t, args, kwargs)


def _float_size(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return t.new(t.prim("abs", convert(t, _one(t, "np.fabs", args, kwargs), F64)))


def _no_bools(t: Tracer, name: str, atom: Atom) -> Atom:
    if atom.type.dtype is DType.BOOL:
        raise t.error("RG0110", f"{name} of bools", "convert them: x.astype(float)")
    return atom


def _fabs(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return Scalar(t.prim("abs", as_float(t, Scalar(_one(t, "math.fabs", args, kwargs)))))


def _negative(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    _one(t, "np.negative", args, kwargs)
    return operators.negative(t, args[0])


def _square(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    _no_bools(t, "np.square", _one(t, "np.square", args, kwargs))
    return operators.binary(t, "mul", args[0], args[0])


def _reciprocal(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    atom = _one(t, "np.reciprocal", args, kwargs)
    if atom.type.dtype is not DType.F64:
        raise t.error("RG0110", "np.reciprocal of ints, which is an int", "write 1.0 / x")
    return t.new(t.prim("div", flit(1.0), atom))


def _sign(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return t.new(t.prim("sign", _no_bools(t, "np.sign", _one(t, "np.sign", args, kwargs))))


def _test(name: str, op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        return t.new(t.prim(op, convert(t, _one(t, name, args, kwargs), F64)))

    return handler


def _rounding(name: str, op: str) -> Handler:
    """NumPy's floor and its like: ints are themselves; `rint` gives floats."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        atom = _one(t, name, args, kwargs)
        if atom.type.dtype is DType.F64:
            return t.new(t.prim(op, atom))
        if op == "rint":
            return t.new(convert(t, atom, DType.F64))
        return Scalar(atom) if atom.type.is_scalar else t.new(t.prim("copy", atom))

    return handler


def _math_round(name: str, op: str) -> Handler:
    """`math.floor` and its like: an int."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        atom = _one(t, name, args, kwargs)
        if not atom.type.is_scalar:
            raise t.error("RG0110", f"{name} of an array", f"use np.{op}")
        if atom.type == F64:
            return Scalar(scalars.whole_number(t, t.prim(op, atom)))
        return scalars.as_int(t, Scalar(atom))

    return handler


def round_half_even(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """The built-in `round`."""
    value, digits = bind(t, "round", args, kwargs, "number ndigits")
    assert value is not None
    scalar = scalars.number(t, value, "the argument of round")
    if digits is not None and not is_none(digits):
        return _round_to(t, scalar, digits)
    if scalar.type != F64:
        return scalars.as_int(t, scalar)
    return Scalar(scalars.nearest_number(t, scalar.atom))


def _round_to(t: Tracer, value: Scalar, digits: Value) -> Value:
    """To so many digits: NumPy's floats scale, round and scale back, Python's do not.

    Numbers whose kind is not known, such as arguments, are taken for Python's.
    """
    places = scalars.as_int(t, digits, "the number of digits of round")
    if value.numpy and value.type.dtype is not DType.BOOL:
        return t.call(Static(np.round), [value, places], {})
    if value.type != F64:
        return t.call(Static(rounding.round_int), [scalars.as_int(t, value), places], {})
    return t.call(Static(rounding.round_float), [value, places], {})


def _where(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "np.where", kwargs)
    if len(args) == 1:
        return t.call(Static(places.nonzero), args, {})
    if len(args) != 3:
        message = f"np.where with {len(args)} arguments"
        raise t.error("RG0109", message, "a condition, or a condition and two values")
    cond, x, y = (value_atom(t, as_operand(t, one), "an argument of np.where") for one in args)
    joined = join_dtype(x.type.dtype, y.type.dtype)
    return t.new(t.prim("select", _as_bool(t, cond), convert(t, x, joined), convert(t, y, joined)))


def clip(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.clip`."""
    newer = {"min": "a_min", "max": "a_max"}
    named = {name: given for name, given in kwargs.items() if name not in newer}
    for name, given in kwargs.items():
        if name in newer and (len(args) > 1 or newer[name] in named):
            raise t.error("RG0108", f"np.clip is given {name!r} twice", "give each bound once")
        if name in newer:
            named[newer[name]] = given
    value, low, high = bind(t, "np.clip", args, named, "a a_min a_max", 1)
    assert value is not None
    value = as_operand(t, value)
    if low is not None and not is_none(low):
        value = _same_kind("np.clip", "maximum")(t, (value, as_operand(t, low)), {})
    if high is not None and not is_none(high):
        value = _same_kind("np.clip", "minimum")(t, (value, as_operand(t, high)), {})
    return value


def _log(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    x, base = bind(t, "math.log", args, kwargs, "x base")
    assert x is not None
    top = t.prim("log", as_float(t, x, "the argument of math.log"))
    if base is None:
        return Scalar(top)
    return Scalar(t.prim("div", top, t.prim("log", as_float(t, base, "the base"))))


def _hypot(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "math.hypot", kwargs)
    if not args:
        return Scalar(flit(0.0))
    total = t.prim("abs", as_float(t, args[0]))
    for other in args[1:]:
        total = t.prim("hypot", total, as_float(t, other))
    return Scalar(total)


def _math_pow(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    x, y = _two(t, "math.pow", args, kwargs)
    return power(t, Scalar(convert(t, x, F64)), Scalar(convert(t, y, F64)))


def _scaled(name: str, factor: float) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        atom = convert(t, _one(t, name, args, kwargs), F64)
        return t.new(t.prim("mul", atom, flit(factor)))

    return handler


_FLOAT1 = {
    "sqrt": "sqrt", "exp": "exp", "log": "log", "log1p": "log1p", "expm1": "expm1", "log2": "log2",
    "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "arcsin",
    "asin": "arcsin", "arccos": "arccos", "acos": "arccos", "arctan": "arctan", "atan": "arctan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "erf": "erf",
    "asinh": "arcsinh", "arcsinh": "arcsinh", "acosh": "arccosh", "arccosh": "arccosh",
    "atanh": "arctanh", "arctanh": "arctanh", "cbrt": "cbrt", "exp2": "exp2", "erfc": "erfc",
    "gamma": "gamma", "lgamma": "lgamma",
}  # fmt: skip
_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "floor_divide": "floordiv", "mod": "mod", "remainder": "mod", "power": "pow", "pow": "pow",
    "float_power": "pow", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
    "left_shift": "shl", "right_shift": "shr",
}  # fmt: skip
_COMPARISONS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq",
    "not_equal": "ne",
}  # fmt: skip


def _tables() -> dict[object, Handler]:
    found: dict[object, Handler] = {}
    for name, op in _FLOAT1.items():
        for module, make in ((np, of_one), (math, _math1)):
            obj: object = getattr(module, name, None)
            if obj is not None:
                found[obj] = make(f"{'np' if module is np else 'math'}.{name}", op)
    for name, op in _OPERATORS.items():
        found[getattr(np, name)] = _operator(f"np.{name}", op)
    for name, op in _COMPARISONS.items():
        found[getattr(np, name)] = _comparison(f"np.{name}", op)
    for name in ("isnan", "isinf", "isfinite"):
        found[getattr(np, name)] = _test(f"np.{name}", name)
        found[getattr(math, name)] = _math1(f"math.{name}", name)
    for name in ("floor", "ceil", "trunc"):
        found[getattr(np, name)] = _rounding(f"np.{name}", name)
        found[getattr(math, name)] = _math_round(f"math.{name}", name)
    return found


TABLE: Mapping[object, Handler] = {
    **_tables(),
    math.log: _log,
    math.pow: _math_pow,
    math.fabs: _fabs,
    math.hypot: _hypot,
    math.atan2: _float2("math.atan2", "arctan2"),
    math.copysign: _float2("math.copysign", "copysign"),
    math.degrees: _scaled("math.degrees", 180.0 / math.pi),
    math.radians: _scaled("math.radians", math.pi / 180.0),
    np.degrees: _scaled("np.degrees", 180.0 / math.pi),
    np.rad2deg: _scaled("np.rad2deg", 180.0 / math.pi),
    np.radians: _scaled("np.radians", math.pi / 180.0),
    np.deg2rad: _scaled("np.deg2rad", math.pi / 180.0),
    np.arctan2: _float2("np.arctan2", "arctan2"),
    np.hypot: _float2("np.hypot", "hypot"),
    np.copysign: _float2("np.copysign", "copysign"),
    np.maximum: _same_kind("np.maximum", "maximum"),
    np.minimum: _same_kind("np.minimum", "minimum"),
    np.logical_and: _logical("np.logical_and", "and_"),
    np.logical_or: _logical("np.logical_or", "or_"),
    np.logical_xor: _logical("np.logical_xor", "xor"),
    np.logical_not: _logical_not,
    np.absolute: _absolute,
    np.fabs: _float_size,
    np.negative: _negative,
    np.square: _square,
    np.reciprocal: _reciprocal,
    np.sign: _sign,
    np.rint: _rounding("np.rint", "rint"),
    np.where: _where,
    np.clip: clip,
    quantile: of_one("quantile", "quantile"),
}
