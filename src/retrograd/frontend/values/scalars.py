"""Numbers: conversions, truth, and Python's arithmetic on scalars.

Ints are checked, division of ints by zero raises, floats follow NumPy. Arithmetic on int literals
is done here, so that what is known at compile time (ranks, tuple lengths) stays known.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from enum import Enum

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.identity.growing_lists import Growing
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.extents import said
from retrograd.frontend.values.jumps import is_caught
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Bound,
    ComplexValue,
    DictValue,
    Instance,
    Maybe,
    OneOf,
    Option,
    Scalar,
    Shown,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.large_ints import as_float_if_large
from retrograd.frontend.values.members import as_number
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.several import decided
from retrograd.frontend.values.text_choices import not_kept
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit, true
from retrograd.ir.types import BOOL, F64, I64, DType

__all__ = [
    "arith", "as_element", "as_float", "as_index", "as_int", "bits", "compare", "convert",
    "converted_number", "join_dtype", "logical_not", "number", "truth", "whole_number",
]  # fmt: skip

_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1
_ORDER = {DType.BOOL: 0, DType.I64: 1, DType.F64: 2}
_INTS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "add": ("iadd", operator.add),
    "sub": ("isub", operator.sub),
    "mul": ("imul", operator.mul),
    "floordiv": ("floordiv", lambda a, b: a // b),
    "mod": ("mod", operator.mod),
}
_ZERO = {"floordiv": "integer division or modulo by zero", "mod": "integer modulo by zero"}
_FLOAT_ZERO = {
    "div": "float division by zero", "floordiv": "float floor division by zero",
    "mod": "float modulo",
}  # fmt: skip
"""What Python's floats raise. Only a handler that catches it is told: else floats follow NumPy."""
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq,
    "ne": operator.ne,
}  # fmt: skip
_FLIPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_EXACT_FLOATS = 2**53
"""Up to here every int is a float."""


def join_dtype(a: DType, b: DType) -> DType:
    """The dtype of an operation on both."""
    return a if _ORDER[a] >= _ORDER[b] else b


def convert(t: Tracer, atom: Atom, dtype: object) -> Atom:
    """`atom` with elements of the dtype of a type (or of a `DType`); itself where it has it."""
    wanted = dtype if isinstance(dtype, DType) else getattr(dtype, "dtype", None)
    if not isinstance(wanted, DType) or atom.type.dtype is wanted:
        return atom
    if isinstance(atom, Lit):
        value = atom.value
        if wanted is DType.F64:
            return flit(float(value))
        if wanted is DType.BOOL:
            return true if value else false
        if atom.type == BOOL:
            return ilit(int(value))
    return t.prim("convert", atom, dtype=wanted.value)


def nearest_number(t: Tracer, atom: Atom) -> Atom:
    """The int nearest to a float, the even one of two; what has none raises as in Python."""
    _has_int(t, atom)
    return t.prim("nearest", atom)


def whole_number(t: Tracer, atom: Atom) -> Atom:
    """A float without fraction as an int; what has none raises as in Python."""
    _has_int(t, atom)
    return convert(t, atom, I64)


def _has_int(t: Tracer, atom: Atom) -> None:
    number_ = t.prim("not_", t.prim("isnan", atom))
    t.check(number_, "ValueError", "cannot convert float NaN to integer")
    small = t.prim("lt", t.prim("abs", atom), flit(2.0**63))
    t.check(small, "OverflowError", "float too large to convert to a 64-bit int")


def as_element(t: Tracer, atom: Atom, dtype: DType) -> Atom:
    """What is assigned to elements of that dtype: a number has to be one of it, as in Python.

    Arrays are converted as `astype` does it.
    """
    if atom.type != F64 or dtype is not DType.I64:
        return convert(t, atom, dtype)
    if isinstance(atom, Lit) and abs(float(atom.value)) < 2.0**63:
        return ilit(int(atom.value))
    return whole_number(t, t.prim("trunc", atom))


def number(t: Tracer, value: Value, what: str = "this") -> Scalar:
    """A scalar; UserError for anything else."""
    value = as_float_if_large(t, as_number(value))
    if isinstance(value, Scalar):
        return value
    if isinstance(value, Option | OneOf):
        return number(t, sure(t, value), what)
    if isinstance(value, ComplexValue):
        raise t.error(
            "RG0110", f"{what} must be a real number and is {describe(value)}",
            "say which part: z.real, z.imag or abs(z)", python=TypeError,
        )  # fmt: skip
    raise t.error(
        "RG0110",
        f"{what} must be a number and is {describe(value)}",
        f"give it one number: index {describe(value)}, or reduce it, as with np.sum",
    )


def converted_number(t: Tracer, value: Value, what: str) -> Scalar:
    """The scalar that `int` or `float` is given; of what is never one Python raises TypeError."""
    if _is_never_one(value):
        raise t.error(
            "RG0110", f"{what} must be a number and is {describe(value)}",
            f"give it one number: index {describe(value)}, or reduce it, as with np.sum",
            python=TypeError,
        )  # fmt: skip
    return number(t, value, what)


def _is_never_one(value: Value) -> bool:
    """Whether Python makes no number of a value, whatever its items are."""
    match value:
        case ArrayRef():
            return np.lib.NumpyVersion(np.__version__) >= "2.4.0"  # before, one element is one
        case TupleValue(cls=cls):
            return cls in (tuple, list, set, frozenset)
        case Instance(cls=cls):
            return not _converts(cls)
        case Static(obj=obj):
            return not _converts(type(obj))
        case _:
            return isinstance(value, DictValue)


def _converts(cls: type) -> bool:
    names = ("__int__", "__index__", "__float__")
    own = any(name in vars(base) for base in cls.__mro__ for name in names)
    return own or issubclass(cls, str | bytes | bytearray)


def as_float(t: Tracer, value: Value, what: str = "this") -> Atom:
    """A scalar as f64."""
    return convert(t, number(t, value, what).atom, F64)


def as_int(t: Tracer, value: Value, what: str = "this") -> Scalar:
    """A scalar that is an int (or a bool, which is one in Python)."""
    scalar = number(t, value, what)
    if scalar.type == F64:
        raise t.error(
            "RG0110",
            f"{what} must be an int and is a float",
            "convert it with int(...), or keep it an int on every path",
        )
    return Scalar(convert(t, scalar.atom, I64), scalar.is_nonneg or scalar.type == BOOL)


def as_index(t: Tracer, value: Value) -> Scalar:
    """An int used as an index or an extent."""
    return as_int(t, value, "an index")


def logical_not(t: Tracer, flag: Atom) -> Atom:
    """`not flag` for a bool."""
    if isinstance(flag, Lit):
        return false if flag.value else true
    return t.prim("not_", flag)


def truth(t: Tracer, value: Value) -> Atom:
    """Whether Python takes `value` for true."""
    match value:
        case Scalar():
            if isinstance(value.atom, Lit):
                return true if value.atom.value else false
            if value.type == BOOL:
                return value.atom
            zero = ilit(0) if value.type == I64 else flit(0.0)
            return t.prim("ne", value.atom, zero)
        case TupleValue() if issubclass(value.cls, tuple | list | slice):
            return true if value.items else false
        case Static(obj=(None | "" | Enum()) as known):
            return true if known else false
        case Instance() if value.cls in (list, dict):
            return _has_items(t, value)
        case Option() | OneOf():
            return _truth_of_option(t, value)
        case Instance() | TupleValue():
            return _truth_of_object(t, value)
        case Text():
            return _truth_of_text(t, value)
        case ComplexValue(real=Scalar()):
            return _truth_of_complex(t, value)
        case ArrayRef() | ComplexValue():
            return _truth_of_array(t, value)
        case _:
            refuse_times(t, value)
            return true


def _truth_of_array(t: Tracer, value: ArrayRef | ComplexValue) -> Atom:
    """That of the element, where an array with one axis is known to have one."""
    if isinstance(value, ArrayRef) and value.type.rank == 1:
        size = t.call(Static(len), (value,), {})
        if isinstance(size, Scalar) and compare(t, "eq", size, Scalar(ilit(1))).atom == true:
            return truth(t, t.call(Bound(value, "item"), (), {}))
    raise t.error(
        "RG0110",
        "the truth of an array is not one truth value",
        "say which: np.any(x), np.all(x), or x.size > 0",
    )


def _truth_of_complex(t: Tracer, value: ComplexValue) -> Atom:
    """Whether one of the parts is not zero."""
    real, imag = truth(t, value.real), truth(t, value.imag)
    if isinstance(real, Lit):
        return true if real.value else imag
    return true if imag == true else real if imag == false else t.prim("or_", real, imag)


def _truth_of_option(t: Tracer, value: Option | OneOf) -> Atom:
    """It is there, and is true."""
    if isinstance(value, OneOf):
        return truth(t, decided(t, value))
    inner = value.value
    bases = inner.cls.__mro__ if isinstance(inner, Instance) else ()
    own = [base for base in bases if base not in (list, dict)]
    lists = isinstance(inner, Instance) and issubclass(inner.cls, Growing)
    if not lists and any(name in vars(base) for base in own for name in _OF_TRUTH):
        raise t.error(
            "RG0110", "the truth of an object with `__bool__` or `__len__` that may be None",
            "write `x is not None and bool(x)`",
        )  # fmt: skip
    held = truth(t, inner)
    if isinstance(held, Lit):
        return value.flag if held.value else false
    return t.prim("and_", value.flag, held)


_OF_TRUTH = ("__bool__", "__len__")


def _truth_of_object(t: Tracer, value: Instance | TupleValue) -> Atom:
    """What `__bool__` says, or else `__len__`; true where a class has neither."""
    for name in _OF_TRUTH:
        holder = next((base for base in value.cls.__mro__ if name in vars(base)), None)
        if holder is not None:
            return truth(t, t.call(Bound(value, name), (), {}))
    return true


def _truth_of_text(t: Tracer, value: Text) -> Atom:
    """Whether a text is not empty; one that shows numbers is not."""
    if value.is_lost:
        raise not_kept(t)
    options = value.options or ("a number",)
    if "" not in options:
        return true
    (index,) = (piece.value for piece in value.pieces if isinstance(piece, Shown))
    return t.prim("ne", index.atom, ilit(options.index("")))


def _has_items(t: Tracer, owner: Instance) -> Atom:
    """Whether a list or dict is not empty."""
    content = t.content(owner.cells[0])
    if isinstance(content, DictValue):
        flags = [item.flag if isinstance(item, Maybe) else true for item in content.items]
        if true in flags or not flags:
            return true if flags else false
        found = flags[0]
        for flag in flags[1:]:
            found = t.prim("or_", found, flag)
        return found
    assert isinstance(content, TupleValue)
    if content.cls is not ListBuffer:
        return true if content.items else false
    return truth(t, content.items[1])


def arith(t: Tracer, op: str, a: Scalar, b: Scalar) -> Scalar:
    """`add sub mul div floordiv mod` of two scalars."""
    if F64 in (a.type, b.type):
        if op in _FLOAT_ZERO and is_caught(t, "ZeroDivisionError"):
            t.check(truth(t, b), "ZeroDivisionError", _FLOAT_ZERO[op])
        return Scalar(t.prim(op, convert(t, a.atom, F64), convert(t, b.atom, F64)))
    x, y = convert(t, a.atom, I64), convert(t, b.atom, I64)
    if op == "div":
        _nonzero(t, y, "division by zero")
        return Scalar(t.prim("div", convert(t, x, F64), convert(t, y, F64)))
    name, fold = _INTS[op]
    if op in _ZERO:
        _nonzero(t, y, _ZERO[op])
    folded = _fold(fold, x, y)
    if folded is not None:
        return Scalar(folded)
    nonneg = _nonneg(op, a.is_nonneg or a.type == BOOL, b.is_nonneg or b.type == BOOL)
    if op in _ZERO:
        if op == "floordiv" and not (a.is_nonneg or b.is_nonneg):
            _quotient_fits(t, x, y)
        return Scalar(t.prim(name, x, y), nonneg)
    return Scalar(t.prim(name, x, y, span=t.span), nonneg)


def _nonneg(op: str, a: bool, b: bool) -> bool:
    """Whether the result of `op` on ints is at least zero."""
    if op == "mod":
        return b
    return op in ("add", "mul", "floordiv") and a and b


def _nonzero(t: Tracer, divisor: Atom, message: str) -> None:
    if isinstance(divisor, Lit):
        if divisor.value == 0:
            t.check(false, "ZeroDivisionError", message)
        return
    t.check(t.prim("ne", divisor, ilit(0)), "ZeroDivisionError", message)


def _quotient_fits(t: Tracer, x: Atom, y: Atom) -> None:
    """The one quotient of 64 bits that needs more."""
    if isinstance(y, Lit) and y.value != -1:
        return
    fits = t.prim("or_", t.prim("ne", y, ilit(-1)), t.prim("ne", x, ilit(_I64_MIN)))
    t.check(fits, "OverflowError", "integer overflow: the result needs more than 64 bits")


def _fold(f: Callable[[int, int], int], x: Atom, y: Atom) -> Atom | None:
    if not isinstance(x, Lit) or not isinstance(y, Lit):
        return None
    try:
        value = f(int(x.value), int(y.value))
    except ZeroDivisionError:
        return None
    return ilit(value) if _I64_MIN <= value <= _I64_MAX else None


def bits(t: Tracer, op: str, a: Scalar, b: Scalar) -> Scalar:
    """`& | ^ << >>` of two scalars."""
    if a.type == BOOL and b.type == BOOL and op in ("and", "or", "xor"):
        return Scalar(t.prim("xor" if op == "xor" else f"{op}_", a.atom, b.atom))
    x, y = as_int(t, a, "an operand of a bit operation"), as_int(t, b, "an operand")
    nonneg = x.is_nonneg and y.is_nonneg
    if op not in ("shl", "shr"):
        return Scalar(t.prim(f"bit_{op}", x.atom, y.atom), nonneg)
    if not y.is_nonneg:
        t.check(t.prim("ge", y.atom, ilit(0)), "ValueError", "negative shift count")
    if op == "shr":
        most = ilit(63)
        count = t.prim("imin", y.atom, most) if not isinstance(y.atom, Lit) else y.atom
        return Scalar(t.prim("shr", x.atom, count), x.is_nonneg)
    out = t.prim("shl", x.atom, y.atom)
    back = t.prim("eq", t.prim("shr", out, y.atom), x.atom)
    t.check(back, "OverflowError", "int does not fit in 64 bits")
    return Scalar(out, nonneg)


def compare(t: Tracer, op: str, a: Scalar, b: Scalar) -> Scalar:
    """`lt le gt ge eq ne` of two scalars; known for extents that the program says itself."""
    x, y = a.atom, b.atom
    if a.type == b.type == I64:
        x = said(t.ctx.prims, t.ctx.functions, t.b.stms, x) if isinstance(y, Lit) else x
        y = said(t.ctx.prims, t.ctx.functions, t.b.stms, y) if isinstance(x, Lit) else y
    if isinstance(x, Lit) and isinstance(y, Lit):
        return Scalar(true if _COMPARE[op](x.value, y.value) else false)
    if a.type == I64 and b.type == F64:
        return Scalar(_mixed(t, op, a.atom, b.atom))
    if a.type == F64 and b.type == I64:
        return Scalar(_mixed(t, _FLIPPED[op], b.atom, a.atom))
    dtype = join_dtype(join_dtype(a.type.dtype, b.type.dtype), DType.I64)
    return Scalar(t.prim(op, convert(t, a.atom, dtype), convert(t, b.atom, dtype)))


def _mixed(t: Tracer, op: str, n: Atom, x: Atom) -> Atom:
    """An int against a float: exact, and no more than before where one of them is a literal."""
    if isinstance(n, Lit) and abs(int(n.value)) <= _EXACT_FLOATS:
        return t.prim(op, convert(t, n, F64), x)
    if not isinstance(x, Lit):
        return t.prim(f"mixed_{op}", n, x)
    value = float(x.value)
    whole = value.is_integer()
    if (
        not math.isfinite(value)
        or not _I64_MIN <= value < _I64_MAX
        or (not whole and op in ("eq", "ne"))
    ):
        # Any int will do: the answer is the same for all of them.
        return true if _COMPARE[op](0, value) else false
    bound = math.ceil(value) if op in ("lt", "ge") else math.floor(value)
    return t.prim(op, n, ilit(bound))
