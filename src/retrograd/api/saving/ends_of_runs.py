"""Where each run of an execution ends that leaves something on the tape.

An execution is a mark on statements, which one after the other are a run of it. Code that is not
part of the execution, and leaves all of it that a forward sweep leaves, holds whole runs: so one
goes into it to find where a run ends. In the block in which nothing else does, it ends where the
last of the block's statements have left something of it; at the latest where the reverse sweep
begins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from retrograd.api.saving.attribution import budget_of
from retrograd.api.saving.sweeps import Sites, sites_of_functions, sites_of_stms
from retrograd.api.saving.tape_effects import Effects
from retrograd.ir.terms import Block, Call, Param, Prim, Program, Stm
from retrograd.ir.traverse import blocks, stms_deep

__all__ = ["ends_of_runs"]

Ends = dict[tuple[int, int], set[str]]
"""The executions of which a run ends after a statement: by the identity of a block, and a place."""


def ends_of_runs(program: Program, effects: Effects, sites: Mapping[str, frozenset[Param]]) -> Ends:
    """Where runs end.

    Args:
        program: one without derivative nodes.
        effects: of its functions.
        sites: at which something of an execution is put on the tape, by its name.
    """
    work = _Work(program, effects, sites_of_functions(program))
    found: Ends = {}
    for execution, own in sites.items():
        entered = frozenset(f.name for f in program.functions)
        while True:
            walk = _Walk(work, execution, own, entered)
            walk.block(program.main.body)
            # A function of which another call is part of a run does not hold whole runs.
            parts = work.called_otherwise(own, walk.calls) & entered
            if not parts:
                break
            entered -= parts
        for key in walk.ends:
            found.setdefault(key, set()).add(execution)
    return found


@dataclass(frozen=True, slots=True)
class _Work:
    program: Program
    effects: Effects
    deep: Mapping[str, Sites]

    def called_otherwise(self, own: frozenset[Param], calls: Collection[int]) -> frozenset[str]:
        """Functions that put something of these sites on the tape, with calls but those given."""
        stms = (s for f in self.program.functions for s in stms_deep(f.body))
        return frozenset(
            stm.expr.function
            for stm in stms
            if isinstance(stm.expr, Call) and id(stm) not in calls
            if self.deep[stm.expr.function].pushed & own
        )


@dataclass(slots=True)
class _Walk:
    """A walk for one execution, into functions in `entered` only; `calls` are those it went into,
    by identity."""

    work: _Work
    execution: str
    own: frozenset[Param]
    entered: frozenset[str]
    ends: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    calls: set[int] = field(default_factory=set[int])
    seen: set[str] = field(default_factory=set[str])

    def block(self, block: Block) -> None:
        entries, _ = self.work.effects.matched(block)
        begun = {e.until for e in entries if e.sites & self.own}
        part: list[int] = []
        for place, stm in enumerate(block.stms):
            if place in begun:
                self.part(block, part, place - 1)
                part = []
            left = self.work.effects.of(stm).leaves & self.own
            if left:
                part.append(place)
            elif sites_of_stms((stm,), self.work.deep).pushed & self.own:
                self.into(stm)  # both sweeps are in it
        self.part(block, part, len(block.stms) - 1)

    def part(self, block: Block, places: list[int], end: int) -> None:
        """What statements of a block leave before `end`, up to where a reverse sweep begins."""
        if not places:
            return
        stms = [block.stms[place] for place in places]
        left = {self.work.effects.of(stm).leaves & self.own for stm in stms}
        if len(left) > 1 or any(map(self.is_part, stms)):
            self.ends.add((id(block), end))
            return
        for place, stm in zip(places, stms, strict=True):
            if not self.into(stm):
                self.ends.add((id(block), place))

    def is_part(self, stm: Stm) -> bool:
        """Whether a statement may be a part of a run."""
        mark = budget_of(stm)
        return isinstance(stm.expr, Prim) or (mark is not None and mark.name == self.execution)

    def into(self, stm: Stm) -> bool:
        """Goes into a statement; whether it can be gone into."""
        if isinstance(stm.expr, Call):
            name = stm.expr.function
            if name not in self.entered or self.is_part(stm):
                return False
            self.calls.add(id(stm))
            if name not in self.seen:
                self.seen.add(name)
                self.block(self.work.program.function(name).body)
            return True
        if self.is_part(stm):
            return False
        for inner in blocks(stm.expr):
            self.block(inner)
        return True
