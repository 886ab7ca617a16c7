"""What differs between two paths of a program, and the function that is being translated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.source import FunctionSource, Home
from retrograd.frontend.identity.surroundings import HiddenKey
from retrograd.frontend.values.kinds import ArrayRef, TupleValue, Value, certain, parts
from retrograd.frontend.values.liveness import Scope
from retrograd.ir.terms import Atom, true
from retrograd.records import quickly_made

__all__ = ["Frame", "State"]


@quickly_made
@dataclass(slots=True)
class State:
    """Variables and arrays on one path.

    `links` relates locations of which one may be an alias of the other at run time, and `stale`
    those whose content is no longer known because a linked location was written, with the place.
    `live` says whether this path goes on here, and `raised` that it ended in an exception.
    `globals` are names of modules that have been assigned, by the `id` of the module's names.
    `sure` are tests that are known to hold here. `refused` is with what this path ends where it
    goes on to what is refused.
    """

    cells: dict[int, Value] = field(default_factory=dict[int, Value])
    arrays: dict[int, Atom] = field(default_factory=dict[int, Atom])
    links: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    stale: dict[int, Span | None] = field(default_factory=dict[int, Span | None])
    live: Atom = true
    raised: bool = False
    globals: dict[tuple[int, str], Value] = field(default_factory=dict[tuple[int, str], Value])
    sure: frozenset[Atom] = frozenset()
    refused: UserError | None = None

    def copy(self) -> State:
        """An independent copy."""
        return State(
            dict(self.cells), dict(self.arrays), dict(self.links), dict(self.stale), self.live,
            self.raised, dict(self.globals), self.sure, self.refused,
        )  # fmt: skip

    def sites_of_rows(self, loc: int) -> Iterator[frozenset[Span]]:
        """Where the lists are made that are rows of an array."""
        pending = [certain(held) for held in self.cells.values()]
        while pending:
            value = pending.pop()
            own = parts(value)
            here = any(isinstance(one, ArrayRef) and one.loc == loc for one in own)
            if here and isinstance(value, TupleValue) and value.sites:
                yield value.sites
            pending += map(certain, own)

    def link(self, a: int, b: int) -> None:
        """Records that `a` and `b` may be the same array."""
        if a != b:
            self.links[a] = self.links.get(a, frozenset()) | {b}
            self.links[b] = self.links.get(b, frozenset()) | {a}

    def follow(self, new: int, old: int) -> None:
        """Records that `new` is `old`, or a part of it, and so may be whatever that may be."""
        for rival in sorted(self.links.get(old, frozenset())):
            self.link(new, rival)
        if old in self.links.get(old, frozenset()):
            self.repeat(new)
        self.link(new, old)

    def outdate(self, loc: int, span: Span | None) -> None:
        """Records that a location, and what may be another name of it, may have been written to."""
        for one in (loc, *self.links.get(loc, frozenset())):
            self.stale.setdefault(one, span)

    def repeat(self, loc: int) -> None:
        """Records that two parts of an array may be the same: it is stale once one is written."""
        self.links[loc] = self.links.get(loc, frozenset()) | {loc}


@quickly_made
@dataclass(slots=True)
class Frame:
    """One function while it is translated.

    `origin` resolves the names that are not the program's; `outer` are the cells of an inner
    function. `ret` and `brk` are the cells of the returned value and of the flags of the enclosing
    loops. `owned` are the locations, and `owned_cells` the attributes, that the caller sees,
    `roots` what loops are iterating over. `others` are the other iterations of a loop whose first
    one stands apart, by its cell in `brk`.
    `apart` are pairs of locations that may not share memory: a derivative taken here is of a
    function that writes to the first and is given the second, too. `module_names` are those that
    the function declares `global`, and assigns. `stored` are the locations whose array has been
    changed in place: of others that are written, lists have only put items elsewhere.
    """

    source: FunctionSource
    origin: Home
    scope: Scope
    locals: dict[str, int]
    outer: dict[str, int]
    ret: int
    brk: list[int] = field(default_factory=list[int])
    others: dict[int, Callable[[], None]] = field(default_factory=dict[int, "Callable[[], None]"])
    owned: set[int] = field(default_factory=set[int])
    owned_cells: set[int] = field(default_factory=set[int])
    roots: list[Value] = field(default_factory=list[Value])
    hidden: dict[HiddenKey, Value] = field(default_factory=dict[HiddenKey, Value])
    apart: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    module_names: set[str] = field(default_factory=set[str])
    stored: set[int] = field(default_factory=set[int])

    def plain_cells(self) -> Iterator[tuple[str, int]]:
        """The variables that no inner function captures."""
        for name, cell in self.locals.items():
            if name not in self.scope.captured:
                yield name, cell
