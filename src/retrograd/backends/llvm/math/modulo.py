"""mod and floordiv of doubles, as NumPy defines them.

Where the quotient is below 2^52 the remainder takes one division and an exact fma; otherwise the
`frem` instruction, which is exact too, runs for the lane.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.math.builder import Body, Bool, Float

__all__ = ["floordiv", "huge_floordiv", "huge_mod", "is_huge", "mod"]

Remainder = Callable[[Body, Float, Float], Float]


def is_huge(b: Body, x: Float, y: Float) -> Bool:
    """Whether the short way does not do: large quotients, y of 0, infinite or NaN operands."""
    return abs(x / y).not_lt(2.0**52) | abs(y).eq(float("inf"))


def _short(b: Body, x: Float, y: Float) -> Float:
    """The remainder with the sign of x. The rounded quotient is at most one too large."""
    dividend, divisor = abs(x), abs(y)
    quotient = b.intrinsic("trunc", dividend / divisor)
    rest = b.fma(-quotient, divisor, dividend)
    return b.copysign(b.select(rest.lt(0.0), rest + divisor, rest), x)


def _long(b: Body, x: Float, y: Float) -> Float:
    return Float(b, b.binary("frem", b.f64, x.text, y.text))


def _floor_mod(b: Body, rest: Float, y: Float) -> tuple[Bool, Float]:
    """(whether the divisor was added, the remainder with the sign of y)."""
    added = rest.ne(0.0) & (rest.lt(0.0) ^ y.lt(0.0))
    moved = b.select(added, rest + y, rest)
    return added, b.select(rest.eq(0.0), b.copysign(b.float(0.0), y), moved)


def _mod(remainder: Remainder, b: Body, x: Float, y: Float) -> Float:
    return _floor_mod(b, remainder(b, x, y), y)[1]


def _floordiv(remainder: Remainder, b: Body, x: Float, y: Float) -> Float:
    """The quotient is taken after the remainder is off, and then is within 1/2 of an integer."""
    rest = remainder(b, x, y)
    added, _ = _floor_mod(b, rest, y)
    exact = (x - rest) / y
    quotient = b.select(added, exact - 1.0, exact)
    floor = b.intrinsic("floor", quotient)
    nearest = b.select((quotient - floor).gt(0.5), floor + 1.0, floor)
    ratio = x / y
    result = b.select(quotient.eq(0.0), b.copysign(b.float(0.0), ratio), nearest)
    return b.select(y.eq(0.0), ratio, result)


def mod(b: Body, x: Float, y: Float) -> Float:
    """The remainder with the sign of y."""
    return _mod(_short, b, x, y)


def floordiv(b: Body, x: Float, y: Float) -> Float:
    """The quotient rounded down."""
    return _floordiv(_short, b, x, y)


def huge_mod(b: Body, x: Float, y: Float) -> Float:
    """`mod` by `frem`, one lane."""
    return _mod(_long, b, x, y)


def huge_floordiv(b: Body, x: Float, y: Float) -> Float:
    """`floordiv` by `frem`, one lane."""
    return _floordiv(_long, b, x, y)
