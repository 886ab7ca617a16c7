"""The numbers that a counting program counts, and what each primitive changes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Stm, Var, ilit
from retrograd.ir.types import Type

__all__ = ["NUMBERS", "OFFLOADED", "Buffer", "Meter", "Unknown"]

NUMBERS = ("live", "peak", "tape", "tape_peak", "primal", "work")
"""Bytes in arrays now and at most, on the tape now and at most; the cost of the primal's
statements, those that are done again included, and of all; in units of one addition."""

OFFLOADED = "arrays that are moved out of memory"
"""What is among the gaps where bytes on the tape are not counted either."""


class Unknown(Exception):
    """What is not counted at all."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """How an array lies in memory, as the generator of machine code (`ArrayValue`, `Lazy`) has it.

    Attributes:
        type: its type.
        dims: its extents.
        units: for a view that is not in row-major order the axes whose stride is 1; else None.
        leaves: for what its consumer evaluates the arrays that it is made of; else None.
        costs: of that, additions for an element, by what they calculate.
        fixed: it lies on the tape, on the stack or in memory of the user's, and is never freed.
        copied: a view whose elements had to be copied.
        shared: it is its operand where this bool holds, and nothing is freed with it then.
    """

    type: Type
    dims: tuple[Atom, ...]
    units: tuple[bool, ...] | None = None
    leaves: tuple[Buffer, ...] | None = None
    costs: Mapping[Var, float] = field(default_factory=dict[Var, float], compare=False)
    fixed: bool = False
    copied: bool = False
    shared: Atom | None = None

    @property
    def cost(self) -> float:
        """Additions for an element of what is evaluated where it is used."""
        return sum(self.costs.values())

    @property
    def plain(self) -> bool:
        """Whether it lies in memory in row-major order."""
        return self.units is None and self.leaves is None

    @property
    def strides(self) -> tuple[bool, ...]:
        """Which of its axes have the stride 1."""
        rank = self.type.rank
        return tuple(k == rank - 1 for k in range(rank)) if self.units is None else self.units

    def read(self) -> tuple[Buffer, ...]:
        """The arrays in memory that its elements are read from."""
        return (self,) if self.leaves is None else self.leaves


@dataclass(slots=True)
class Meter:
    """Emits the statements that count.

    `same` has numbers that are extents of arrays, `gaps` what the peak does not count rightly.
    """

    b: Builder
    numbers: list[Atom]
    gaps: set[str]
    same: dict[Var, Atom] = field(default_factory=dict[Var, Atom])

    def inside(self, b: Builder, numbers: Sequence[Atom]) -> Meter:
        """That of a block inside."""
        return Meter(b, list(numbers), self.gaps, dict(self.same))

    def change(self, name: str, op: str, value: Atom) -> Atom:
        place = NUMBERS.index(name)
        found = self.b.prim(op, self.numbers[place], value, hint=name)
        self.numbers[place] = found
        return found

    def count(self, dims: Sequence[Atom]) -> Atom:
        total: Atom = ilit(1)
        for dim in dims:
            total = self.b.mul(total, dim)
        return total

    def elements(self, buffer: Buffer) -> Atom:
        """The bytes of the elements of an array."""
        return self.b.mul(self.count(buffer.dims), ilit(buffer.type.dtype.size))

    def room(self, buffer: Buffer) -> Atom:
        """The bytes that the allocator takes for it: a multiple of 64."""
        padded = self.b.add(self.elements(buffer), ilit(63))
        return self.b.mul(self.b.prim("floordiv", padded, ilit(64)), ilit(64))

    def allocate(self, type_: Type, dims: Sequence[Atom]) -> Buffer:
        made = Buffer(type_, tuple(dims))
        self.change("peak", "maximum", self.change("live", "add", self.room(made)))
        return made

    def unless(self, cond: Atom, size: Atom) -> Atom:
        """`size` where `cond` does not hold, else 0."""
        return self.b.prim("select", cond, ilit(0), size)

    def free(self, buffer: Buffer) -> None:
        if not buffer.fixed:
            size = self.room(buffer)
            if buffer.shared is not None:
                size = self.unless(buffer.shared, size)
            self.change("live", "sub", size)

    def recorded(self, size: Atom) -> None:
        self.change("tape", "add", size)

    def noted(self) -> None:
        self.change("tape_peak", "maximum", self.numbers[NUMBERS.index("tape")])

    def taken(self, size: Atom) -> None:
        self.change("tape", "sub", size)

    def owned(self, buffer: Buffer) -> Buffer:
        """What loops and functions take: row-major, made for that where it is not."""
        return buffer if buffer.plain else self.allocate(buffer.type, buffer.dims)

    def worked(self, stm: Stm, size: Atom, cost: float) -> None:
        """Counts the cost of a statement for so many elements."""
        if cost >= 0.5:
            work = self.b.mul(size, ilit(round(cost)))
            self.change("work", "add", work)
            if not stm.prov.via:
                self.change("primal", "add", work)
