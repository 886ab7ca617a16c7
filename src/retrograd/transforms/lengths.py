"""The lengths of ranges: what their ends say, and subtractions where nothing overflows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Lit, Prim, Stm, ilit
from retrograd.ir.types import I64
from retrograd.transforms.bounds import Linear

__all__ = ["Ends", "ends_of"]


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
