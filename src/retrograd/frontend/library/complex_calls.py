"""Functions of Python's and NumPy's where an argument is complex.

Most functions of arrays are linear in what they are given, or in each of several arguments: they
are called for the parts, and what they give is put together. The others are programs.
"""

from __future__ import annotations

import builtins
import cmath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrograd.frontend.library.args import bind, is_none
from retrograd.frontend.library.complex_linear import BY_PARTS
from retrograd.frontend.library.complexes import (
    complex_binary,
    complex_compare,
    is_both,
    not_for_complex,
)
from retrograd.frontend.library.plain import complex_arrays, complex_numbers, fourier
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.complexes import (
    as_complex,
    complex_literal,
    is_about_complex,
    is_mixed,
    paired,
)
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    Scalar,
    Static,
    TupleValue,
    Value,
)  # fmt: skip
from retrograd.frontend.values.numbers import of_numpy
from retrograd.frontend.values.scalars import number
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import flit

__all__ = ["TABLE", "complex_call"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Program = Callable[..., object]


def complex_call(t: Tracer, obj: object, args: Args, kwargs: Kwargs) -> Value | None:
    """The value of a call with a complex argument, or with a dtype that is complex; None where
    there is neither, and of functions that do not ask what they are given."""
    if not is_about_complex((*args, *kwargs.values())):
        return None
    handler = _OF_COMPLEX.get(id(obj))
    if handler is not None:
        return handler(t, args, kwargs)
    name = str(getattr(obj, "__name__", obj))
    module = str(getattr(obj, "__module__", None) or "").partition(".")[0]
    if any(obj is one for one in _INDIFFERENT) or (module == "scipy" and name in _OF_SPECTRA):
        return None
    if isinstance(obj, np.ufunc):
        module = "numpy"
    if module == "math":
        text, way_out = f"math.{name} of a complex number", f"use cmath.{name}, or np.{name}"
        raise t.error("RG0110", text, way_out, python=TypeError)
    if module in ("numpy", "scipy"):
        raise not_for_complex(t, f"{module}'s {name}")
    return None


_INDIFFERENT: tuple[object, ...] = (np.issubdtype, np.iterable, np.isscalar, np.result_type)
"""Functions of dtypes, and of whatever they are given."""
_OF_SPECTRA = ("istft", "spectrogram")
"""Functions of SciPy's that take complex samples, or the word "complex"."""


def _arrays(t: Tracer, args: Args) -> list[Value]:
    """Arguments with tuples of numbers as arrays."""
    return [
        t.call(Static(np.asarray), (arg,), {}) if isinstance(arg, TupleValue) else arg
        for arg in args
    ]


@dataclass(frozen=True, slots=True)
class _Elementary:
    """A function of one complex number, element by element.

    `agrees`: of real numbers it gives what NumPy's function of real ones gives.
    """

    real: object
    program: Program
    agrees: bool = True
    parameters: str = "z"

    def __call__(self, t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        given = _arrays(t, args)
        mixed = is_mixed(given)
        if mixed and not self.agrees:
            raise is_both(t, f"np.{getattr(self.real, '__name__', '')}")
        made = compiled(Plain(self.real, self.program, self.parameters))(t, given, kwargs)
        if mixed and isinstance(made, ComplexValue):
            return ComplexValue(made.real, made.imag, mixed=True)
        return made


def _of_two(op: str, give: Callable[[Tracer, str, Value, Value], Value]) -> Handler:
    """NumPy's function for an operator."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        one, other = bind(t, f"np.{op}", args, kwargs, "x1 x2", 2)
        assert one is not None
        assert other is not None
        return give(t, op, *map(of_numpy, _arrays(t, (one, other))))

    return handler


def _operator(op: str) -> Handler:
    return _of_two(op, complex_binary)


def _comparison(op: str) -> Handler:
    return _of_two(op, complex_compare)


def _of_real(function: object) -> Handler:
    """A function that only looks at the shape."""
    return lambda t, args, kwargs: t.call(
        Static(function), [a.real if isinstance(a, ComplexValue) else a for a in args], kwargs
    )


def _is_complex(answer: bool) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, "np.iscomplexobj", args, kwargs, "x")
        if is_mixed([value] if value is not None else []):
            raise is_both(t, "np.iscomplexobj")
        return literal(answer)

    return handler


def _part(name: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, f"np.{name}", args, kwargs, "val")
        (made,) = _arrays(t, () if value is None else (value,))
        assert isinstance(made, ComplexValue)
        return made.real if name == "real" else made.imag

    return handler


def _complex(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`complex(a, b)`."""
    real, imag = bind(t, "complex", args, kwargs, "real imag", 0)
    if isinstance(real, Static) and isinstance(real.obj, str) and imag is None:
        try:
            return complex_literal(complex(real.obj))
        except ValueError:
            raise t.error(
                "RG0110", f"complex of the text {real.obj!r}", "write the number itself",
                python=ValueError,
            ) from None  # fmt: skip
    one = Scalar(flit(0.0)) if real is None else _number(t, real)
    if imag is None or is_none(imag):
        made = as_complex(t, one)
        return ComplexValue(made.real, made.imag)
    other = _number(t, imag)
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return paired(t, one, other)
    turned = complex_binary(t, "mul", complex_literal(1j), other)
    return complex_binary(t, "add", one, turned)


def _number(t: Tracer, value: Value) -> Scalar | ComplexValue:
    if isinstance(value, ComplexValue) and isinstance(value.real, Scalar):
        return value
    return number(t, value, "an argument of complex")


def _complex128(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    if len(args) == 1 and isinstance(args[0], ArrayRef | TupleValue):
        return t.call(Static(np.array), args, {"dtype": Static(complex)})
    return _complex(t, args, kwargs)


def _of_cmath(function: object, program: Program, parameters: str = "z") -> Handler:
    """A function of `cmath`, which takes every number for a complex one."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        given = [as_complex(t, _number(t, arg)) for arg in args]
        unmixed = [ComplexValue(one.real, one.imag) for one in given]
        return compiled(Plain(function, program, parameters))(t, unmixed, kwargs)

    return handler


def _of_polar(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    given = [number(t, arg, "an argument of cmath.rect") for arg in args]
    return compiled(Plain(cmath.rect, complex_numbers.of_polar, "r phi"))(t, given, kwargs)


def _cmath_isclose(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = "a b rel_tol abs_tol"
    given = [as_complex(t, _number(t, arg)) for arg in args]
    return compiled(Plain(cmath.isclose, complex_numbers.isclose, names))(t, given, kwargs)


def _cmath_log(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    logs = [_of_cmath(cmath.log, complex_numbers.log)(t, (arg,), kwargs) for arg in args]
    if len(logs) == 2:
        return complex_binary(t, "div", *logs)
    return logs[0]


_CMATH: Mapping[object, Handler] = {
    **{getattr(cmath, name): _of_cmath(getattr(cmath, name), program) for name, program in {
        "exp": complex_numbers.exp, "log10": complex_numbers.log10, "sqrt": complex_numbers.sqrt,
        "sin": complex_numbers.sin, "cos": complex_numbers.cos, "tan": complex_numbers.tan,
        "sinh": complex_numbers.sinh, "cosh": complex_numbers.cosh, "tanh": complex_numbers.tanh,
        "asin": complex_numbers.inverse_sin, "acos": complex_numbers.inverse_cos,
        "atan": complex_numbers.inverse_tan, "asinh": complex_numbers.inverse_sinh,
        "acosh": complex_numbers.inverse_cosh, "atanh": complex_numbers.inverse_tanh,
        "phase": complex_numbers.angle, "polar": complex_numbers.polar,
        "isnan": complex_numbers.nan, "isinf": complex_numbers.infinite,
        "isfinite": complex_numbers.finite,
    }.items()},
    cmath.log: _cmath_log,
    cmath.rect: _of_polar,
    cmath.isclose: _cmath_isclose,
}  # fmt: skip

_FOURIER: Mapping[object, Handler] = {
    getattr(np.fft, name): compiled(
        Plain(getattr(np.fft, name), getattr(fourier, name), label=f"np.fft.{name}")
    )
    for name in fourier.TRANSFORMS
}

TABLE: Mapping[object, Handler] = {
    builtins.complex: _complex, np.complex128: _complex128, **_CMATH, **_FOURIER,
}  # fmt: skip
"""What is complex whatever it is given."""

_EXTENDED = {
    "sqrt": "sqrt", "log": "log", "log2": "log2", "log10": "log10", "arccos": "inverse_cos",
    "arcsin": "inverse_sin", "arctanh": "inverse_tanh",
}  # fmt: skip
"""Functions of `np.emath`, of which complex numbers are given."""

_ELEMENTARY: tuple[_Elementary, ...] = (
    _Elementary(np.exp, complex_numbers.exp),
    _Elementary(np.exp2, complex_numbers.exp2),
    _Elementary(np.expm1, complex_numbers.expm1),
    _Elementary(np.log, complex_numbers.log, agrees=False),
    _Elementary(np.log2, complex_numbers.log2, agrees=False),
    _Elementary(np.log10, complex_numbers.log10, agrees=False),
    _Elementary(np.log1p, complex_numbers.log1p, agrees=False),
    _Elementary(np.sqrt, complex_numbers.sqrt, agrees=False),
    _Elementary(np.square, complex_numbers.square),
    _Elementary(np.reciprocal, complex_numbers.reciprocal),
    _Elementary(np.sin, complex_numbers.sin),
    _Elementary(np.cos, complex_numbers.cos),
    _Elementary(np.tan, complex_numbers.tan),
    _Elementary(np.sinh, complex_numbers.sinh),
    _Elementary(np.cosh, complex_numbers.cosh),
    _Elementary(np.tanh, complex_numbers.tanh),
    _Elementary(np.arcsin, complex_numbers.inverse_sin, agrees=False),
    _Elementary(np.arccos, complex_numbers.inverse_cos, agrees=False),
    _Elementary(np.arctan, complex_numbers.inverse_tan),
    _Elementary(np.arcsinh, complex_numbers.inverse_sinh),
    _Elementary(np.arccosh, complex_numbers.inverse_cosh, agrees=False),
    _Elementary(np.arctanh, complex_numbers.inverse_tanh, agrees=False),
    *(
        _Elementary(getattr(np.emath, name), getattr(complex_numbers, program), agrees=False)
        for name, program in _EXTENDED.items()
    ),
    _Elementary(np.negative, complex_numbers.negative),
    _Elementary(np.conjugate, complex_numbers.conjugate),
    _Elementary(np.absolute, complex_numbers.size),
    _Elementary(builtins.abs, complex_numbers.size),
    _Elementary(np.sign, complex_numbers.sign),
    _Elementary(np.angle, complex_numbers.angle, parameters="z deg"),
    _Elementary(np.isnan, complex_numbers.nan),
    _Elementary(np.isinf, complex_numbers.infinite),
    _Elementary(np.isfinite, complex_numbers.finite),
    _Elementary(np.iscomplex, complex_arrays.iscomplex, parameters="x"),
    _Elementary(np.isreal, complex_arrays.isreal, parameters="x"),
    _Elementary(np.prod, complex_arrays.prod, parameters="a axis dtype out keepdims"),
    _Elementary(np.cumprod, complex_arrays.cumprod, parameters="a axis"),
    _Elementary(np.var, complex_arrays.var, parameters="a axis dtype out ddof keepdims"),
    _Elementary(np.std, complex_arrays.std, parameters="a axis dtype out ddof keepdims"),
    _Elementary(np.nansum, complex_arrays.nansum, parameters="a axis dtype out keepdims"),
    _Elementary(np.nancumsum, complex_arrays.nancumsum, parameters="a axis"),
    _Elementary(np.nanprod, complex_arrays.nanprod, parameters="a axis dtype out keepdims"),
    _Elementary(np.nancumprod, complex_arrays.nancumprod, parameters="a axis"),
    _Elementary(np.nanmean, complex_arrays.nanmean, parameters="a axis dtype out keepdims"),
    _Elementary(np.nanvar, complex_arrays.nanvar, parameters="a axis dtype out ddof keepdims"),
    _Elementary(np.nanstd, complex_arrays.nanstd, parameters="a axis dtype out ddof keepdims"),
    _Elementary(np.any, complex_arrays.any_of, parameters="a axis out keepdims"),
    _Elementary(np.all, complex_arrays.all_of, parameters="a axis out keepdims"),
    _Elementary(np.count_nonzero, complex_arrays.count_nonzero, parameters="a axis"),
    _Elementary(np.linalg.norm, complex_arrays.norm, parameters="x ord axis keepdims"),
    _Elementary(np.isclose, complex_arrays.isclose, parameters="a b rtol atol equal_nan"),
    _Elementary(np.allclose, complex_arrays.allclose, parameters="a b rtol atol equal_nan"),
    _Elementary(np.array_equal, complex_arrays.array_equal, parameters="a1 a2 equal_nan"),
    _Elementary(np.ones_like, complex_arrays.ones_like, parameters="a dtype order subok shape"),
    _Elementary(np.full_like, complex_arrays.full_like, parameters="a fill_value dtype"),
    _Elementary(np.correlate, complex_arrays.correlate, parameters="a v mode"),
    _Elementary(np.linalg.solve, complex_arrays.solve, parameters="a b"),
    _Elementary(np.linalg.inv, complex_arrays.inv, parameters="a"),
    _Elementary(np.polyval, complex_arrays.polyval, parameters="p x"),
)

_OF_COMPLEX: Mapping[int, Handler] = {
    **{id(one.real): one for one in _ELEMENTARY},
    **{id(obj): handler for obj, handler in BY_PARTS.items()},
    **{id(function): _operator(op) for function, op in (
        (np.add, "add"), (np.subtract, "sub"), (np.multiply, "mul"), (np.divide, "div"),
        (np.power, "pow"), (np.float_power, "pow"),
    )},
    id(np.equal): _comparison("eq"),
    id(np.not_equal): _comparison("ne"),
    **{id(f): _of_real(f) for f in (np.shape, np.ndim, np.size, builtins.len)},
    id(np.iscomplexobj): _is_complex(answer=True),
    id(np.isrealobj): _is_complex(answer=False),
    id(np.real): _part("real"),
    id(np.imag): _part("imag"),
    **{id(obj): handler for obj, handler in TABLE.items()},
}  # fmt: skip
