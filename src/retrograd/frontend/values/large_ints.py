"""Ints that are known while a program is translated and need more than 64 bits.

Python calculates with them as with all ints; where they meet a float they are one, correctly
rounded. So `2.998 * 10**25` and `x / math.factorial(30)` are what Python makes of them. What is
known at run time only has 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, Value
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import false, flit, ilit, true
from retrograd.ir.types import F64

__all__ = [
    "as_float_if_large",
    "as_operands",
    "compared",
    "folded",
    "known_int",
    "large_int",
    "of_int",
]

_LEAST, _MOST = -(2**63), 2**63 - 1
_BITS = 4096
"""So many bits has a power or a shift that is calculated at most."""

_OPERATORS: Mapping[str, Callable[[int, int], int | float]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b, "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
}  # fmt: skip
_COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip


def large_int(value: Value) -> int | None:
    """The int of more than 64 bits that a value is."""
    if isinstance(value, Static) and type(value.obj) is int:
        return value.obj
    return None


def of_int(number: int) -> Value:
    """A known int of any size."""
    return Scalar(ilit(number)) if _LEAST <= number <= _MOST else Static(number)


def known_int(value: Value) -> int | None:
    """A known int of Python's, of any size."""
    if isinstance(value, Scalar) and value.numpy:
        return None
    large = large_int(value)
    return static_int(value) if large is None else large


def _is_too_long(op: str, a: int, b: int) -> bool:
    """Whether Python would take long for it, or makes a float or an error of it."""
    match op:
        case "pow":
            return b < 0 or a.bit_length() * b > _BITS
        case "shl" | "shr":
            return not 0 <= b <= _BITS
        case "div" | "floordiv" | "mod":
            return b == 0
        case _:
            return False


def folded(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` of known ints of Python's, where one of the three is large; None for all else."""
    one, other = known_int(a), known_int(b)
    if one is None or other is None or op not in _OPERATORS or _is_too_long(op, one, other):
        return None
    made = _result(t, op, one, other)
    if isinstance(made, float):
        return Scalar(flit(made)) if _has_large(a, b) else None
    found = of_int(made)
    return found if _has_large(a, b, found) else None


def as_operands(t: Tracer, op: str, a: Value, b: Value) -> tuple[Value, Value]:
    """The operands of `a op b`, a large int as a float where the other is a number of the run."""
    if not _has_large(a, b):
        return a, b
    for value in (a, b):
        of_ints = isinstance(value, Scalar | ArrayRef) and not value.type.is_float
        if of_ints and (isinstance(value, ArrayRef) or op != "div"):
            raise t.error(
                "RG0103", "an int of more than 64 bits, with ints that are known at run time only",
                "write it as a float",
            )  # fmt: skip
    return as_float_if_large(t, a), as_float_if_large(t, b)


def compared(op: str, a: Value, b: Value) -> Value | None:
    """`a op b` of ints of which one is large; None for all else. All others lie between."""
    one, other = (large_int(value) for value in (a, b))
    if one is None and other is None:
        return None
    if one is None:
        one = _between(a)
    if other is None:
        other = _between(b)
    if one is None or other is None:
        return None
    return Scalar(true if _COMPARED[op](one, other) else false)


def _between(value: Value) -> int | None:
    """A number that compares with large ints as an int of the run does."""
    return 0 if isinstance(value, Scalar) and value.type != F64 else None


def _has_large(*values: Value) -> bool:
    return any(large_int(value) is not None for value in values)


def _result(t: Tracer, op: str, a: int, b: int) -> int | float:
    try:
        return _OPERATORS[op](a, b)
    except OverflowError as error:
        t.stop("OverflowError", str(error))
        raise PathEnds from None


def as_float_if_large(t: Tracer, value: Value) -> Value:
    """A large int as the float next to it; all else as it is."""
    large = large_int(value)
    if large is None:
        return value
    try:
        return Scalar(flit(float(large)))
    except OverflowError as error:
        t.stop("OverflowError", str(error))
        raise PathEnds from None
