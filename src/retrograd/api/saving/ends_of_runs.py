"""Where each run of an execution ends that leaves something on the tape.

An execution is a mark on statements, which one after the other are a run of it. Code that is not
part of the execution, and leaves all of it that a forward sweep leaves, holds whole runs: so one
goes into it to find where a run ends. So does code that leaves values that other code around it
leaves, too: a run has each value once, or in loops that are part of it. In the block in which
nothing else does, it ends where the last of the block's statements have left something of it; at
the latest where the reverse sweep begins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.api.saving.attribution import budget_of
from retrograd.api.saving.sweeps import Sites, sites_of_functions, sites_of_stms
from retrograd.api.saving.tape_effects import Effects
from retrograd.ir.terms import Block, Call, Param, Prim, Program, Stm
from retrograd.ir.traverse import blocks, stms_deep

__all__ = ["Run", "ends_of_runs"]


@dataclass(frozen=True, slots=True)
class Run:
    """The places in a block of the first and of the last statement that leave something of a run,
    and the execution."""

    first: int
    last: int
    execution: str


def ends_of_runs(
    program: Program, effects: Effects, values: Mapping[str, Mapping[Param, frozenset[str]]]
) -> Mapping[int, Sequence[Run]]:
    """The runs that end in a block, by its identity.

    Args:
        program: one without derivative nodes.
        effects: of its functions.
        values: the numbers of what an execution puts on the tape, by its name and the site.
    """
    work = _Work(program, effects, sites_of_functions(program))
    found: dict[int, list[Run]] = {}
    for execution, numbers in values.items():
        own = frozenset(numbers)
        entered = frozenset(f.name for f in program.functions)
        while True:
            walk = _Walk(work, execution, own, numbers, entered)
            walk.block(program.main.body)
            # A function of which another call is part of a run does not hold whole runs.
            parts = work.called_otherwise(own, walk.calls) & entered
            if not parts:
                break
            entered -= parts
        for block, run in walk.ends:
            found.setdefault(block, []).append(run)
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
    numbers: Mapping[Param, frozenset[str]]
    entered: frozenset[str]
    ends: dict[tuple[int, Run], None] = field(default_factory=dict[tuple[int, Run], None])
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
        stms = {place: block.stms[place] for place in places}
        left = {place: self.work.effects.of(stm).leaves & self.own for place, stm in stms.items()}
        parts = [place for place, stm in stms.items() if self.is_part(stm)]
        if parts or len(set(left.values())) > 1:
            parts = [p for p in places if p in parts or not self.repeats(left, p)]
        for place in places:
            if place not in parts and not self.into(stms[place]):
                self.ends[id(block), Run(place, place, self.execution)] = None
        if parts:
            self.ends[id(block), Run(parts[0], end, self.execution)] = None

    def repeats(self, left: Mapping[int, frozenset[Param]], place: int) -> bool:
        """Whether a statement leaves a value that another one leaves, too."""
        mine = self.values(left[place])
        return any(mine & self.values(sites) for p, sites in left.items() if p != place)

    def values(self, sites: Collection[Param]) -> frozenset[str]:
        return frozenset[str]().union(*(self.numbers[site] for site in sites))

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
