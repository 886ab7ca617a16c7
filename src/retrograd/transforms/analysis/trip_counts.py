"""Operations on ints that need more than 64 bits or 53, and what they are where they do not.

The length of a range is a subtraction where nothing overflows. An int is compared with a float by
a conversion where every int in question is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Lit, Prim, Stm, ilit
from retrograd.ir.types import F64, I64
from retrograd.transforms.analysis.bounds import Facts, Linear

__all__ = ["Ends", "as_floats", "ends_of", "settle"]

_EXACT_FLOATS = 2**53


@dataclass(frozen=True, slots=True)
class Ends:
    """A range upwards from `low` to `high`, or the other way round, in steps of a known size."""

    low: Atom
    high: Atom
    size: int

    def room(self, of: Callable[[Atom], Linear]) -> Linear:
        """How far the ends are apart."""
        return of(self.high).plus(of(self.low), -1)

    def remaining(self, of: Callable[[Atom], Linear], length: Linear) -> Linear:
        """At least zero if the range is not empty: its last number is before its end."""
        return self.room(of).plus(length, -self.size).shift(self.size - 1)

    def counted(self, names: NameSupply) -> tuple[list[Stm], Prim]:
        """The length by arithmetic that must not overflow: statements, and the last operation."""
        room = Prim("sub", (self.high, self.low))
        if self.size == 1:
            return [], room
        first, more = names.var("room", I64), names.var("more", I64)
        rounded = Prim("add", (first, ilit(self.size - 1)))
        before = [Stm((first,), room), Stm((more,), rounded)]
        return before, Prim("floordiv", (more, ilit(self.size)))


def ends_of(expr: Prim | None) -> Ends | None:
    """The ends of a range whose length an operation is, if the step is known."""
    if expr is None or expr.op != "range_len":
        return None
    start, stop, step = expr.args
    if not isinstance(step, Lit) or not step.value:
        return None
    size = int(step.value)
    return Ends(start, stop, size) if size > 0 else Ends(stop, start, -size)


def as_floats(expr: Prim, n: Linear, facts: Facts, names: NameSupply) -> tuple[Stm, Prim] | None:
    """A comparison of an int `n` with a float as one of floats, if that is proved to be exact."""
    if not all(facts.holds(side.shift(_EXACT_FLOATS)) for side in (n, n.times(-1))):
        return None
    near = names.var("near", F64)
    converted = Prim("convert", expr.args[:1], (("dtype", F64.dtype.value),))
    return Stm((near,), converted), Prim(expr.op.removeprefix("mixed_"), (near, expr.args[1]))


def settle(
    value: Linear, made: Mapping[str, Prim], facts: Facts, of: Callable[[Atom], Linear]
) -> None:
    """What a trip count of at least one says of the ends of a range, or of an extreme."""
    for unknown in value.terms:
        source = made.get(unknown) if isinstance(unknown, str) else None
        known = facts.unknown(unknown)
        if (ends := ends_of(source)) is not None:
            facts.assume(ends.remaining(of, known))
        if source is None or source.op not in ("imax", "imin"):
            continue
        for one, other in (source.args, source.args[::-1]):
            if source.op == "imax" and facts.below(of(one), known):
                facts.assume_at_most(known, of(other))
            elif source.op == "imin" and facts.below(known, of(one)):
                facts.assume_at_most(of(other), known)
