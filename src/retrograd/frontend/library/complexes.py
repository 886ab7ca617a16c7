"""Operators, attributes and methods of complex numbers and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.errors import Limitation, UserError
from retrograd.frontend.library.plain import complex_numbers as plain
from retrograd.frontend.values.arrays import extent, value_atom, write
from retrograd.frontend.values.complexes import (
    as_complex,
    complex_literal,
    floats,
    is_complex_dtype,
    is_mixed,
    paired,
    zeros_as,
)
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    ComplexValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, flit
from retrograd.ir.types import F64, I64

__all__ = [
    "DTYPE", "attribute_of_complex", "call_complex_method", "complex_binary", "complex_compare",
    "complex_in_place", "complex_into_real", "complex_negative", "is_both", "not_for_complex",
    "set_part", "store_parts", "stored_parts",
]  # fmt: skip

Real = Scalar | ArrayRef

DTYPE = Static(np.dtype(complex))
_LONGEST = 100
"""The largest whole power that is a chain of products, as in CPython."""

_PARTWISE: Mapping[str, object] = {
    "add": plain.added, "sub": plain.subtracted, "mul": plain.multiplied, "div": plain.divided,
    "eq": plain.equal, "ne": plain.unequal,
}  # fmt: skip
_ORDER = {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}


def not_for_complex(t: Tracer, what: str, way_out: str = "") -> UserError | Limitation:
    """The refusal of what is not there for complex numbers."""
    advice = way_out or "do it to z.real and z.imag, and put them together: a + 1j * b"
    return Limitation("RG0107", f"{what} of complex numbers is not accepted", t.span, advice)


def complex_binary(t: Tracer, op: str, a: Value, b: Value) -> Value:
    """`a op b` where one of them is complex."""
    one, other = _operand(t, a), _operand(t, b)
    if op == "pow":
        made = _power(t, one, other)
    elif op == "matmul":
        made = t.call(Static(np.matmul), (one, other), {})
    elif op == "div" and not isinstance(other, ComplexValue):
        left = as_complex(t, one)
        args = (left.real, left.imag, floats(t, other))
        made = _put_together(t, t.call(Static(plain.divided_by_real), args, {}))
    elif op in ("add", "sub", "mul", "div"):
        made = _put_together(t, t.call(Static(_PARTWISE[op]), _parts(t, op, one, other), {}))
    else:
        raise _no_operation(t, a, b)
    return _marked(made, (one, other))


def _marked(made: Value, of: Sequence[Value]) -> Value:
    """The result of an operation that gives Python a real number where it has only such."""
    if isinstance(made, ComplexValue) and is_mixed(of):
        return ComplexValue(made.real, made.imag, mixed=True)
    return made


def _operand(t: Tracer, value: Value) -> Real | ComplexValue:
    match value:
        case Scalar() | ArrayRef() | ComplexValue():
            return value
        case TupleValue():
            made = t.call(Static(np.asarray), (value,), {})
            if isinstance(made, ArrayRef | ComplexValue):
                return made
        case _:
            pass
    raise t.error(
        "RG0110", f"no operation on {describe(value)} and a complex number",
        "take numbers or arrays of them: an item, an attribute, or np.array(...)",
        python=TypeError if value == NONE or isinstance(value, Static) else None,
    )  # fmt: skip


def _no_operation(t: Tracer, a: Value, b: Value) -> UserError:
    return t.error(
        "RG0110", f"this operation on {describe(a)} and {describe(b)}",
        "take the real part, or the absolute value: z.real, abs(z)", python=TypeError,
    )  # fmt: skip


def _parts(t: Tracer, op: str, a: Real | ComplexValue, b: Real | ComplexValue) -> tuple[Real, ...]:
    """The parts of both; those of sums and differences are arrays where the numbers are."""
    found: list[Real] = []
    for value in (a, b):
        if isinstance(value, ComplexValue):
            found += (value.real, value.imag)
            continue
        real = floats(t, value)
        whole = op in ("add", "sub")
        found += (real, zeros_as(t, real) if whole else Scalar(flit(0.0)))
    return tuple(found)


def _put_together(t: Tracer, parts: Value) -> ComplexValue:
    assert isinstance(parts, TupleValue)
    real, imag = parts.items
    assert isinstance(real, Real)
    assert isinstance(imag, Real)
    return paired(t, real, imag)


def _power(t: Tracer, a: Real | ComplexValue, b: Real | ComplexValue) -> Value:
    """`a ** b`: a chain of products where the exponent is a whole number that is known."""
    left = as_complex(t, a)
    if isinstance(b, ComplexValue):
        known = _literal_of(b)
        if known is not None and known.imag == 0.0 and known.real.is_integer():
            return _power(t, left, literal(known.real))
        args = (left.real, left.imag, b.real, b.imag)
        return _put_together(t, t.call(Static(plain.powered), args, {}))
    exponent = _whole(b)
    if exponent is not None and abs(exponent) <= _LONGEST:
        return _whole_power(t, left, exponent)
    if isinstance(b, Scalar) and b.type != F64:
        return t.call(Static(plain.whole_power), (left, b), {})
    if left.mixed:
        raise is_both(t, "a power that is no int")
    args = (left.real, left.imag, floats(t, b))
    return _put_together(t, t.call(Static(plain.powered_by_real), args, {}))


def _literal_of(value: ComplexValue) -> complex | None:
    """The number that is written out, if one is."""
    match value:
        case ComplexValue(Scalar(atom=Lit(value=real)), Scalar(atom=Lit(value=imag))):
            return complex(float(real), float(imag))
        case _:
            return None


def _whole(value: Real) -> int | None:
    match value:
        case Scalar(atom=Lit(value=known)) if float(known).is_integer():
            return int(known)
        case _:
            return None


def _whole_power(t: Tracer, z: ComplexValue, n: int) -> Value:
    """By squares; of Python's numbers as in CPython, which begins with the factor one."""
    found: Value = complex_literal(1.0 + 0.0j)
    array = isinstance(z.real, ArrayRef) or z.real.numpy is True
    if array:
        found = t.call(Static(np.ones_like if n == 0 else np.copy), (z,), {})
    factor: Value = z
    for k in range(abs(n).bit_length()):
        if k:
            factor = complex_binary(t, "mul", factor, factor)
        first = array and abs(n) & ((1 << k) - 1) == 0
        if first and k:
            found = factor
        elif abs(n) >> k & 1 and not first:
            found = complex_binary(t, "mul", found, factor)
    return complex_binary(t, "div", literal(1.0), found) if n < 0 else found


def is_both(t: Tracer, what: str) -> UserError:
    """The refusal of what is another number where the argument is a real one in Python."""
    return t.error(
        "RG0104", f"{what} of what is a real number on one path and a complex one on another",
        "make it complex on each path: begin with z = 0j, or write complex(x)",
    )  # fmt: skip


def complex_compare(t: Tracer, op: str, a: Value, b: Value) -> Value:
    """`a op b` for comparisons; complex numbers have no order."""
    if op in _ORDER:
        raise t.error(
            "RG0110", f"`{_ORDER[op]}` of {describe(a)} and {describe(b)}",
            "compare z.real or abs(z)", python=TypeError,
        )  # fmt: skip
    numbers = Scalar | ArrayRef | ComplexValue | TupleValue
    if not isinstance(a, numbers) or not isinstance(b, numbers):
        return literal(op == "ne")
    args = _parts(t, op, _operand(t, a), _operand(t, b))
    return t.call(Static(_PARTWISE[op]), args, {})


def complex_negative(t: Tracer, value: ComplexValue) -> Value:
    """`-value`."""
    return _marked(t.call(Static(plain.negative), (value,), {}), (value,))


# What is written in place.


def complex_in_place(t: Tracer, op: str, target: ComplexValue, value: Value) -> None:
    """`target op= value` of an array of complex numbers."""
    if op == "matmul":
        raise t.error("RG0110", "`@=` on an array", "write `x = x @ y`")
    made = complex_binary(t, op, target, value)
    assert isinstance(made, ComplexValue)
    new, old = made.real, target.real
    if new.type.rank > old.type.rank:
        raise t.error(
            "RG0110", f"{describe(value)} does not fit into {describe(target)}",
            "write `x = x + y` to make a new array",
        )  # fmt: skip
    if isinstance(new, ArrayRef) and isinstance(old, ArrayRef):
        for axis in range(new.type.rank):
            same = t.prim("eq", extent(t, new, axis), extent(t, old, axis))
            t.check(same, "ValueError", "non-broadcastable output operand")
    store_parts(t, target, made)


def store_parts(t: Tracer, target: ComplexValue, value: Value) -> None:
    """Writes numbers or arrays into every element of an array of complex numbers."""
    for ref, part in zip((target.real, target.imag), stored_parts(t, target, value), strict=True):
        assert isinstance(ref, ArrayRef)
        write(t, ref, value_atom(t, part))


def stored_parts(t: Tracer, target: ComplexValue, value: Value) -> tuple[Real, Real]:
    """What goes into the parts of an array.

    The second is no view of anything that the first is written to.
    """
    if target.mixed:
        raise is_both(t, "an assignment to elements")
    if isinstance(target.real, Scalar):
        raise t.error(
            "RG0101", f"assignment to an element of {describe(target)}", "use an array",
            python=TypeError,
        )  # fmt: skip
    made = _operand(t, value)
    if not isinstance(made, ComplexValue):
        return made, Scalar(flit(0.0))
    real, imag = made.real, made.imag
    if isinstance(imag, ArrayRef) and imag.loc == target.real.loc:
        imag = t.new(t.prim("copy", value_atom(t, imag)))
        assert isinstance(imag, ArrayRef)
    return real, imag


def complex_into_real(t: Tracer, target: ArrayRef) -> UserError:
    """The error of what NumPy raises TypeError for, or throws imaginary parts away."""
    return t.error(
        "RG0110", f"a complex number does not go into {describe(target)}",
        "make the array complex, np.zeros(n, dtype=complex), or say which part: z.real",
    )  # fmt: skip


def set_part(t: Tracer, owner: ComplexValue, name: str, value: Value) -> None:
    """`z.real = value` and `z.imag = value` of an array."""
    part = {"real": owner.real, "imag": owner.imag}.get(name)
    if not isinstance(part, ArrayRef) or owner.mixed:
        raise t.error(
            "RG0101", f"assignment to the attribute {name!r} of {describe(owner)}",
            "build a new one: complex(a, b)", python=AttributeError,
        )  # fmt: skip
    write(t, part, value_atom(t, value))


# Attributes and methods.


def attribute_of_complex(t: Tracer, value: ComplexValue, name: str) -> Value:
    """`z.name`."""
    match name:
        case "real":
            return value.real
        case "imag":
            return value.imag
        case "shape" | "ndim" | "size":
            return t.call(Static(getattr(np, name)), (value.real,), {})
        case "dtype":
            return DTYPE
        case "T":
            return t.call(Static(np.transpose), (value,), {})
        case "flat":
            return t.call(Static(np.ravel), (value,), {})
        case "device":
            return Static("cpu")
        case _ if name in _METHODS or name in _OWN:
            return Bound(value, name)
        case _:
            raise t.error(
                "RG0107", f"{describe(value)} has no attribute {name!r} here",
                "use a NumPy function, or take it of z.real and z.imag",
            )  # fmt: skip


_METHODS: Mapping[str, object] = {
    **{name: getattr(np, name) for name in (
        "sum", "mean", "prod", "cumsum", "cumprod", "reshape", "ravel", "transpose", "copy", "dot",
        "conjugate", "diagonal", "trace", "squeeze", "swapaxes", "repeat", "take", "round", "std",
        "var", "any", "all", "nonzero",
    )},
    "conj": np.conjugate,
}  # fmt: skip
_OWN = frozenset({"astype", "fill", "flatten", "item"})


def call_complex_method(
    t: Tracer, method: Bound, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a method of a complex number or array, or of a real one that is given such."""
    value, name = method.receiver, method.name
    assert isinstance(value, Scalar | ArrayRef | ComplexValue)
    if name in ("reshape", "transpose") and (len(args) > 1 or _is_int(args)):
        args = (TupleValue(tuple(args)),)
    match name:
        case "astype":
            return _astype(t, value, args, kwargs)
        case "fill" if len(args) == 1 and isinstance(value, ComplexValue):
            store_parts(t, value, args[0])
            return NONE
        case "flatten":
            return t.call(Static(np.copy), (t.call(Static(np.ravel), (value,), kwargs),), {})
        case "item" if isinstance(value, ComplexValue):
            return _item(t, value)
        case _ if name in _METHODS:
            return t.call(Static(_METHODS[name]), (value, *args), kwargs)
        case _:
            raise not_for_complex(t, f"the method {name!r}")


def _is_int(args: Sequence[Value]) -> bool:
    return len(args) == 1 and isinstance(args[0], Scalar) and args[0].type == I64


def _astype(
    t: Tracer, value: Real | ComplexValue, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    wanted = args[0] if args else kwargs.get("dtype")
    if is_complex_dtype(wanted):
        return t.call(Static(np.array), (value,), {"dtype": DTYPE})
    raise t.error(
        "RG0110", "a conversion that throws imaginary parts away", "say which part: z.real",
    )  # fmt: skip


def _item(t: Tracer, value: ComplexValue) -> Value:
    if isinstance(value.real, Scalar):
        return value
    parts = [t.call(Bound(part, "item"), (), {}) for part in (value.real, value.imag)]
    real, imag = (part for part in parts if isinstance(part, Scalar))
    return ComplexValue(real, imag, value.mixed)
