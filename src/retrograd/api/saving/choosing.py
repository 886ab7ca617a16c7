"""What is saved of the executions of a program that have budgets.

Of one execution choices are tried (`trials`), so that more bytes never mean more operations. Where
there are several, each is given less room until what all choose together is within their budgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.api.saving.counted import Counted, Given
from retrograd.api.saving.trials import Trial, fewest_operations
from retrograd.api.saving.values_to_save import Value, values_to_save
from retrograd.options.saving import BUDGET, NUMBERED

__all__ = ["Choosing"]

_TRIES = 5
_LESS = 0.7
"""So much of the room is tried next where what was chosen takes more than there is."""

_LOOKED_AT = 10**7
"""Additions from which on nothing is run to count them where floats decide how many there are: that
takes as long, and as much memory, as the derivative."""


@dataclass(slots=True)
class Choosing:
    """The choice for given arguments.

    Attributes:
        given: the program and its arguments.
        every: it, with all saved.
        most: the bytes that all arrays may take; None where executions have budgets of their own.
        lone: there is one derivative in the program.
        peak: the bytes that are taken where nothing is saved.
    """

    given: Given
    every: Counted
    most: int | None
    lone: bool
    peak: int

    def found(self) -> Counted | None:
        """The program that is to run; None for the one that saves nothing."""
        offered = self.every.offered()
        if not offered:
            return None
        lone, bounded = len(offered) == 1, self.most is not None and self.lone
        nothing = self.given.counted(BUDGET) if lone or bounded else None
        others = self.peak - (nothing.recorded.total if bounded and nothing is not None else 0)
        if lone and nothing is not None:
            (values,) = offered.values()
            return self.by_trials(values, nothing, others)
        return self.by_rooms(offered, others)

    def by_trials(self, values: Sequence[Value], nothing: Counted, others: int) -> Counted | None:
        base = self.given.work(nothing)
        looked_at = base is not None and not (base[1] and base[0] > _LOOKED_AT)
        most = base[0] if base is not None and looked_at else None
        tried: dict[frozenset[str], Counted] = {}

        def work(counted: Counted) -> int | None:
            found = self.given.work(counted) if looked_at else None
            return None if found is None else found[0]

        def trial(numbers: frozenset[str]) -> Trial:
            made = self.given.counted(NUMBERED, tuple(sorted(numbers)))
            if made is None:
                return Trial(False, None)
            tried[numbers] = made
            return Trial(not self.over(made, others), work(made))

        found = fewest_operations(values, most, trial)
        return None if found is None else tried[found]

    def by_rooms(self, offered: Mapping[str, Sequence[Value]], others: int) -> Counted | None:
        budgets = self.every.budgets
        rooms = {n: budgets[n] if self.most is None else self.most - self.peak for n in offered}
        for _ in range(_TRIES):
            found = {name: values_to_save(of, rooms[name]) for name, of in offered.items()}
            # What an execution records of which nothing is saved is not for want of room.
            chosen = {name: numbers for name, numbers in found.items() if numbers}
            numbers = sorted(frozenset[str]().union(*chosen.values()))
            if not numbers:
                break
            made = self.given.counted(NUMBERED, tuple(numbers))
            over = chosen.keys() & (chosen if made is None else self.over(made, others))
            if not over:
                return made
            rooms |= {name: int(_LESS * rooms[name]) for name in over}
        return None

    def over(self, made: Counted, others: int) -> set[str]:
        """The executions that record more than there is room for; `others` is what arrays take."""
        runs = made.recorded.runs
        if self.most is not None:
            return set(made.budgets) if others + made.recorded.total > self.most else set()
        return {name for name, size in runs.items() if size > made.budgets[name]}
