"""What statements leave on the tape and take off it, and which of them belong together.

A reverse sweep takes off what its forward sweep has left, last first. So within a block a statement
that takes something off takes it from the last one that has left it there and still has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrograd.api.saving.sweeps import is_tape, site_of
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Param,
    Prim,
    Program,
    Stm,
    Vjp,
    While,
)

__all__ = ["Effect", "Effects", "Entry", "effects_of"]


@dataclass(frozen=True, slots=True)
class Effect:
    """The sites of what code leaves on the tape, and of what it takes off that was there before."""

    leaves: frozenset[Param] = frozenset()
    takes: frozenset[Param] = frozenset()

    def joined(self, other: Effect) -> Effect:
        return Effect(self.leaves | other.leaves, self.takes | other.takes)


@dataclass(slots=True)
class Entry:
    """What a statement of a block leaves on the tape.

    Attributes:
        place: the statement's.
        sites: where it does so.
        left: those of them that nothing in the block takes off.
        until: the place of the first statement that takes off something of it, if any does.
    """

    place: int
    sites: frozenset[Param]
    left: frozenset[Param]
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of functions, by their names, and of code that calls them."""

    functions: Mapping[str, Effect]

    def of(self, stm: Stm) -> Effect:
        match stm.expr:
            case Prim():
                own = frozenset((site_of(stm),)) if is_tape(stm, "push") else frozenset[Param]()
                taken = frozenset((site_of(stm),)) if is_tape(stm, "pop") else frozenset[Param]()
                return Effect(own, taken)
            case Call() as expr:
                return self.functions[expr.function]
            case If() as expr:
                return self.of_block(expr.then).joined(self.of_block(expr.orelse))
            case For() | While() as expr:
                return self.of_block(expr.body)
            case Jvp() | Vjp():
                return Effect()
            case _:
                unhandled(stm.expr)

    def of_block(self, block: Block) -> Effect:
        """What a block leaves in the end, and takes off of what was there in the beginning."""
        entries, taken = self.matched(block)
        return Effect(frozenset[Param]().union(*(e.left for e in entries)), taken)

    def matched(self, block: Block) -> tuple[list[Entry], frozenset[Param]]:
        """What statements of a block leave, in order; and what it takes off that others left."""
        entries = list[Entry]()
        before = frozenset[Param]()
        for place, stm in enumerate(block.stms):
            effect = self.of(stm)
            open_ = effect.takes
            for entry in reversed(entries):
                found = open_ & entry.left
                if found:
                    entry.left -= found
                    entry.until = place if entry.until is None else entry.until
                    open_ -= found
            before |= open_
            if effect.leaves:
                entries.append(Entry(place, effect.leaves, effect.leaves))
        return entries, before


@dataclass(slots=True)
class _Known:
    """Effects of functions while they are being found."""

    functions: dict[str, Effect] = field(default_factory=dict[str, Effect])

    def improved(self, function: Function) -> bool:
        """Whether a function's effect is another one than was thought."""
        found = Effects(self.functions).of_block(function.body)
        changed = found != self.functions[function.name]
        self.functions[function.name] = found
        return changed


def effects_of(program: Program) -> Effects | None:
    """The effects of all functions of a program without derivative nodes.

    None where those of functions that call each other do not settle.
    """
    known = _Known({f.name: Effect() for f in program.functions})
    for _ in range(len(program.functions) + 2):
        if not any([known.improved(f) for f in reversed(program.functions)]):
            return Effects(known.functions)
    return None
