"""What is known of the result of an operation on integers whose value is not linear."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from retrograd.transforms.analysis.bounds import I64_MIN, Facts, Linear, constant

__all__ = ["BOUNDED"]

_Rule = Callable[[Facts, Linear, list[Linear]], None]


def _min(facts: Facts, out: Linear, args: list[Linear]) -> None:
    facts.assume(out.shift(-min(map(facts.least, args))))
    for arg in args:
        facts.assume_at_most(out, arg)


def _max(facts: Facts, out: Linear, args: list[Linear]) -> None:
    facts.assume(out.times(-1).shift(max(map(facts.greatest, args))))
    for arg in args:
        facts.assume_at_most(arg, out)


def _floordiv(facts: Facts, out: Linear, args: list[Linear]) -> None:
    a, b = args
    if b.terms or b.const <= 0:
        if facts.holds(a) and facts.holds(b):
            facts.assume(out)
            facts.assume_at_most(out, a)
        return
    facts.assume(a.plus(out, -b.const))
    facts.assume(out.times(b.const).plus(a, -1).shift(b.const - 1))


def _mod(facts: Facts, out: Linear, args: list[Linear]) -> None:
    divisor = args[1]
    if facts.holds(divisor.shift(-1)):
        facts.assume_inside(out, divisor)
    elif facts.holds(divisor):  # a divisor of zero gives zero
        facts.assume(out)


def _bit_and(facts: Facts, out: Linear, args: list[Linear]) -> None:
    for arg in args:
        if facts.holds(arg):
            facts.assume(out)
            facts.assume_at_most(out, arg)


def _abs(facts: Facts, out: Linear, args: list[Linear]) -> None:
    if facts.below(constant(I64_MIN), args[0]):
        facts.assume(out)


BOUNDED: Mapping[str, _Rule] = {
    "imin": _min,
    "minimum": _min,
    "imax": _max,
    "maximum": _max,
    "floordiv": _floordiv,
    "mod": _mod,
    "bit_and": _bit_and,
    "abs": _abs,
    "iabs": _abs,
}
"""What each operation lets assume of its result, by the values of its operands."""
