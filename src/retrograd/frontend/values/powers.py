"""Powers of numbers and arrays.

An int to the power of an int is an int where the exponent is at least zero and a float where it is
not. A literal exponent decides that here; one of run time has to be at least zero.
"""

from __future__ import annotations

from retrograd.frontend.values.kinds import Scalar
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit
from retrograd.ir.types import F64, I64, DType

__all__ = ["array_power", "power"]

_MOST = 2**63 - 1
_LONGEST = 64
"""Above that exponent a chain of products would be of more than a dozen."""


def power(t: Tracer, a: Scalar, b: Scalar) -> Scalar:
    """`a ** b`."""
    if a.type != F64 and b.type != F64:
        return _int_power(t, a, b)
    exponent = b.atom.value if isinstance(b.atom, Lit) else None
    x = convert(t, a.atom, F64)
    if exponent == 2:
        return Scalar(t.prim("mul", x, x))
    if exponent == 3:
        return Scalar(t.prim("mul", t.prim("mul", x, x), x))
    return Scalar(t.prim("pow", x, convert(t, b.atom, F64)))


def _int_power(t: Tracer, a: Scalar, b: Scalar) -> Scalar:
    x, y = convert(t, a.atom, I64), convert(t, b.atom, I64)
    base = int(x.value) if isinstance(x, Lit) else None
    if base == -1 and not isinstance(y, Lit):
        return Scalar(_sign(t, y))
    if isinstance(y, Lit):
        n = int(y.value)
        if n < 0:
            return Scalar(_inverse_power(t, x, n))
        if base is not None and n <= _LONGEST and abs(base) ** n <= _MOST:
            return Scalar(ilit(base**n))
        return Scalar(t.prim("ipow", x, y, span=t.span), a.is_nonneg or n % 2 == 0)
    if not b.is_nonneg:
        float_base = "float(a)" if base is None else f"{base}.0"
        text = f"an int to a negative power is a float: write {float_base} ** n"
        t.check(t.prim("ge", y, ilit(0)), "ValueError", text)
    if base == 2:
        text = "integer overflow: the result needs more than 64 bits"
        t.check(t.prim("lt", y, ilit(63)), "OverflowError", text)
        return Scalar(t.prim("shl", ilit(1), y), nonneg=True)
    return Scalar(t.prim("ipow", x, y, span=t.span), a.is_nonneg)


def _sign(t: Tracer, exponents: Atom) -> Atom:
    """-1 to the power of ints of any sign."""
    odd = t.prim("bit_and", exponents, ilit(1))
    return t.prim("sub", ilit(1), t.prim("mul", ilit(2), odd))


def _inverse_power(t: Tracer, x: Atom, n: int) -> Atom:
    """An int to a literal power below zero: a float."""
    if isinstance(x, Lit) and x.value != 0:
        return flit(float(x.value) ** n)
    text = "0.0 cannot be raised to a negative power"
    nonzero = false if isinstance(x, Lit) else t.prim("ne", x, ilit(0))
    t.check(nonzero, "ZeroDivisionError", text)
    return t.prim("pow", convert(t, x, F64), flit(float(n)))


def array_power(t: Tracer, x: Atom, y: Atom, joined: DType) -> Atom:
    """`x ** y` where one of them is an array, with elements of the type that both have."""
    exponent = y.value if isinstance(y, Lit) else None
    base = convert(t, x, joined)
    if exponent == 2:
        return t.prim("mul", base, base)
    if exponent == 3:
        return t.prim("mul", t.prim("mul", base, base), base)
    if joined is DType.F64:
        return t.prim("pow", base, convert(t, y, joined))
    if exponent is not None and 0 <= exponent <= _LONGEST:
        return _product(t, base, int(exponent))
    y = convert(t, y, joined)
    if isinstance(x, Lit) and x.value in (-1, 2):
        axes = tuple(range(y.type.rank))
        every = t.prim("reduce_all", t.prim("ge", y, ilit(0)), axes=axes, keepdims=False)
        t.check(every, "ValueError", "Integers to negative integer powers are not allowed.")
        return _sign(t, y) if x.value == -1 else t.prim("shl", ilit(1), y)
    raise t.error(
        "RG0110", "an array of ints to a power that is negative or known at run time only",
        "take floats: x.astype(float) ** n, or float(a) ** n for a number a",
    )  # fmt: skip


def _product(t: Tracer, x: Atom, n: int) -> Atom:
    """An array of ints to a power of at least zero; as in NumPy, it wraps."""
    found: Atom | None = None
    square = x
    for k in range(n.bit_length()):
        if k:
            square = t.prim("mul", square, square)
        if n >> k & 1:
            found = square if found is None else t.prim("mul", found, square)
    if found is None:
        return t.prim("add", t.prim("mul", x, ilit(0)), ilit(1))
    return t.prim("copy", x) if found is x else found
