"""What the generator knows about expressions, variables and functions while it writes a program.

Extents are known to the generator (the arguments are drawn with the program) but not to the
program, which gets them at run time. `low` and `high` bound every element of a value; variables
keep their bounds for life, so that results are finite and derivatives of order one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ACCUMULATED", "BOUND", "INT_BOUND", "Callee", "Expr", "Slot", "Struct", "Var"]

BOUND = 2.0
ACCUMULATED = 1000.0
INT_BOUND = 9


@dataclass(frozen=True, slots=True)
class Slot:
    """A type with extents and bounds: dtype is "f", "i" or "b"; shape () is a scalar."""

    dtype: str
    shape: tuple[int, ...] = ()
    low: float = -BOUND
    high: float = BOUND

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        return self.dtype, self.shape


@dataclass(frozen=True, slots=True)
class Expr:
    """Text with bounds; `fresh` says that an array is new and nobody else's."""

    text: str
    low: float = -BOUND
    high: float = BOUND
    fresh: bool = True

    @property
    def mag(self) -> float:
        return max(abs(self.low), abs(self.high))


@dataclass(slots=True)
class Var:
    """A variable: `group` joins an array with its views and aliases.

    `locked` variables (loop indices, counters) are not assigned; `local` says that the
    array was made in this function, so that it may be returned.
    """

    name: str
    slot: Slot
    group: int = 0
    locked: bool = False
    writable: bool = True
    local: bool = True
    shared: bool = False
    param: int | None = None

    @property
    def expr(self) -> Expr:
        return Expr(self.name, self.slot.low, self.slot.high, fresh=False)


@dataclass(slots=True)
class Struct:
    """A variable that holds a tuple or a NamedTuple."""

    name: str
    slots: tuple[Slot, ...]
    fields: tuple[str, ...] = ()

    def field(self, position: int) -> str:
        """The text that reads one part."""
        if self.fields:
            return f"{self.name}.{self.fields[position]}"
        return f"{self.name}[{position}]"


@dataclass(frozen=True, slots=True)
class Callee:
    """Something that can be called: parameters, results, cost in statements, arrays it writes.

    A parameter that is itself a function is the tuple (argument slots, result slot); one that is
    a NamedTuple is "Pair". A polymorphic function takes scalars and arrays of any shape.
    """

    name: str
    params: tuple[tuple[str, Slot | str | tuple[tuple[Slot, ...], Slot]], ...]
    results: tuple[Slot, ...]
    cost: int = 1
    writes: frozenset[int] = frozenset()
    captured_writes: frozenset[int] = frozenset()
    defaults: int = 0
    positional_only: bool = False
    polymorphic: bool = False


@dataclass(slots=True)
class Frame:
    """A function being written: its lines, what is visible, and the loops around."""

    name: str
    results: tuple[Slot, ...]
    result_class: str = ""
    depth: int = 1
    multiplier: int = 1
    cost: int = 1
    loops: int = 0
    nesting: int = 0
    lines: list[str] = field(default_factory=list[str])
    variables: list[Var] = field(default_factory=list[Var])
    structs: list[Struct] = field(default_factory=list[Struct])
    callees: list[Callee] = field(default_factory=list[Callee])
    writes: set[int] = field(default_factory=set[int])
    captured_writes: set[int] = field(default_factory=set[int])
    increments: int = 0
