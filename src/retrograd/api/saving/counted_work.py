"""What the values of executions with a budget take to calculate, counted where they are.

In a block all values of an execution that have the same extents are calculated equally often. So
they share a counter of elements; what each takes is that many times the cost of its primitive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from retrograd.api.compile.known import known
from retrograd.api.saving.attribution import Owner, budget_of
from retrograd.api.saving.extents import Extents
from retrograd.api.saving.sweeps import is_tape
from retrograd.ir.terms import Atom, Block, Program, Stm, Var
from retrograd.ir.traverse import blocks
from retrograd.prims.operations import Operations, operations
from retrograd.transforms.ad.numbered_values import is_number

__all__ = ["Work", "work_of"]


Counter: TypeAlias = tuple[Owner, tuple[Atom, ...]]


@dataclass(slots=True)
class Work:
    """Counters of elements.

    `begun` are those that change after the statement at a place in a block, by the block's
    identity, with the extents of so many elements more; `costs` the counters of each value, with
    the additions for each element.
    """

    begun: dict[tuple[int, int], list[Counter]] = field(
        default_factory=dict[tuple[int, int], "list[Counter]"]
    )
    costs: dict[Owner, dict[Owner, float]] = field(
        default_factory=dict[Owner, "dict[Owner, float]"]
    )
    count: int = 0

    def counters(self) -> Iterator[Owner]:
        return (owner for begun in self.begun.values() for owner, _ in begun)

    def add(self, block: Block, extents: Extents) -> bool:
        """Adds what is calculated in a block up to a reverse sweep; whether there is none in it."""
        groups: dict[tuple[str, tuple[Atom, ...]], Owner] = {}
        made = {out: place for place, stm in enumerate(block.stms) for out in stm.outs}
        for place, stm in enumerate(block.stms):
            if is_tape(stm, "pop"):
                return False
            found = _calculated(stm, extents)
            if found is not None:
                self.value(groups, made, (id(block), place), *found)
            if not all([self.add(inner, extents) for inner in blocks(stm.expr)]):
                return False
        return True

    def value(
        self,
        groups: dict[tuple[str, tuple[Atom, ...]], Owner],
        made: Mapping[Var, int],
        at: tuple[int, int],
        value: Owner,
        taken: Operations,
    ) -> None:
        """Adds a value; `groups` are the counters of its block, `made` where variables are."""
        key = value.execution, taken.dims
        if key not in groups:
            self.count += 1
            groups[key] = Owner(value.execution, group=self.count)
            # The extents of a result may be calculated after it.
            dims = (d for d in taken.dims if isinstance(d, Var))
            last = max([at[1], *(made[d] for d in dims if d in made)])
            self.begun.setdefault((at[0], last), []).append((groups[key], taken.dims))
        costs = self.costs.setdefault(value, {})
        costs[groups[key]] = costs.get(groups[key], 0.0) + taken.cost

    def at(self, block: Block, place: int) -> Sequence[Counter]:
        """The counters that change after a statement, and the extents of how many elements more."""
        return self.begun.get((id(block), place), ())

    def within(self, block: Block) -> bool:
        """Whether something is counted in a block."""
        if any((id(block), place) in self.begun for place in range(len(block.stms))):
            return True
        return any(self.within(inner) for stm in block.stms for inner in blocks(stm.expr))

    def by_value(self, counted: Mapping[Owner, int]) -> dict[Owner, float]:
        """The additions that each value takes, by what has been counted."""
        return {
            value: sum(counted[group] * cost for group, cost in costs.items())
            for value, costs in self.costs.items()
        }


def work_of(program: Program, extents: Mapping[str, Extents]) -> Work:
    """What is to be counted in a program; `extents` are those of the arrays of its functions."""
    found = Work()
    for function in program.functions:
        found.add(function.body, extents[function.name])
    return found


def _calculated(stm: Stm, extents: Extents) -> tuple[Owner, Operations] | None:
    """The value that a statement of a forward sweep calculates, and what it takes."""
    mark, numbers = budget_of(stm), [name for _, name in stm.prov.names if is_number(name)]
    if mark is None or not numbers or stm.prov.rerun or is_tape(stm, "push"):
        return None
    found = operations(known(), stm, extents.of)
    return None if found is None else (Owner(mark.name, numbers[0]), found)
