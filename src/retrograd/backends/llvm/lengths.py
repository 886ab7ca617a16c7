"""Extents under one name each: where two are known to be equal, machine code compares nothing.

The names are those of values in machine code, or numbers. A name is used in the block that has
bound it, where its value is always at hand. Interruptible code goes on from frames, which has other
values then: only numbers are used there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Var
from retrograd.ir.types import I64
from retrograd.transforms.analysis.shapes import Extent, Shapes

__all__ = ["Lengths"]


@dataclass(slots=True)
class Lengths:
    """What extents of a function are called: `values`.

    `same` has names by others of which a check has shown that they have the same value, `plural`
    are those whose value is not 1. `made` is what the blocks that are open have bound.
    """

    shapes: Shapes
    lasting: bool
    values: dict[Extent, str] = field(default_factory=dict[Extent, str])
    made: list[Extent | str] = field(default_factory=list["Extent | str"])
    same: dict[str, str] = field(default_factory=dict[str, str])
    plural: set[str] = field(default_factory=set[str])

    def mark(self) -> int:
        """Where a block begins, for `leave`."""
        return len(self.made)

    def leave(self, mark: int) -> None:
        """The block ends: what it has bound is not at hand after it."""
        for bound in self.made[mark:]:
            if isinstance(bound, str):
                del self.same[bound]
            else:
                del self.values[bound]
        del self.made[mark:]

    def extents(self, var: Var, dims: tuple[str, ...]) -> tuple[str, ...]:
        """The extents of an array by their names; those without one are called as they are here."""
        known = self.shapes.arrays.get(var.name, ())
        if len(known) != len(dims):
            return dims
        return tuple(map(self._named, known, dims))

    def array(self, var: Var, value: ArrayValue) -> ArrayValue:
        """An array with its extents by their names."""
        dims = self.extents(var, value.dims)
        return value if dims == value.dims else replace(value, dims=dims)

    def scalar(self, var: Var, value: str) -> str:
        """A scalar by the name of the extent that it is."""
        return self._named(self.shapes.scalar(var), value) if var.type == I64 else value

    def name(self, value: str) -> str:
        """The name that stands for a length here."""
        while value in self.same:
            value = self.same[value]
        return value

    def is_plural(self, name: str) -> bool:
        """Whether a length is known not to be 1."""
        return name != "1" if name.isdecimal() else name in self.plural

    def passed(self, how: str, m: str, n: str) -> None:
        """Two lengths have passed a `check_extents` in this block."""
        plural = {"same": (), "stretch": (m,), "fit": (m, n)}[how]
        if m == n or not self.lasting or not all(map(self.is_plural, plural)):
            return
        old, new = (m, n) if n.isdecimal() else (n, m)
        if not old.isdecimal():
            self.same[old] = new
            self.made.append(old)
            if self.is_plural(old) and not new.isdecimal():
                self.plural.add(new)

    def _named(self, extent: Extent, value: str) -> str:
        if isinstance(extent, int):
            return str(extent)
        if not self.lasting:
            return value
        if extent not in self.values:
            self.values[extent] = value
            self.made.append(extent)
            if self.shapes.is_plural(extent):
                self.plural.add(value)
        return self.name(self.values[extent])
