"""The values of an execution with a budget to save, found by counting what choices really take.

What a choice is expected to take (`values_to_save`) is not what it takes: a loop of which one value
is done again does other things again, too. So rooms are halved: what the choice for the middle of
them records and does is counted, and one goes on above where it fits, else below. Which rooms are
looked at depends on the values only, not on the budget, until a choice fits one budget and not a
smaller one. The larger one may take it then, and the smaller one takes none that does less. So more
bytes never mean more operations, whatever was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrograd.api.saving.values_to_save import Value, values_to_save

__all__ = ["Trial", "fewest_operations"]

_TRIES = 5
_PARTS = 64
"""Rooms that are nearer to each other than such a part of all bytes are one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a choice takes: whether that is within the budget, and its operations, None where they
    are not known."""

    fits: bool
    work: int | None


def fewest_operations(
    values: Sequence[Value], most: int | None, tried: Callable[[frozenset[str]], Trial]
) -> frozenset[str] | None:
    """The numbers of the values to save; None where no choice was found within the budget.

    Args:
        values: those of the execution.
        most: the operations where nothing is saved, where they are known.
        tried: counts a choice.
    """
    least: int | None = None
    found: frozenset[str] | None = None
    search = _Search.of(values)
    for _ in range(_TRIES):
        numbers = search.next()
        if numbers is None:
            break
        trial = tried(numbers)
        above = most is not None and trial.work is not None and trial.work > most
        below = least is not None and trial.work is not None and trial.work < least
        # What larger budgets may not take either all pass by in the same direction.
        if above or (trial.fits and not below):
            search.more(numbers)
        else:
            search.less(numbers)
        if above or below:
            continue
        if trial.fits:
            found, most = numbers, trial.work
        else:
            least = trial.work
    return found


@dataclass(slots=True)
class _Search:
    """The rooms that are left: from `low`, for which `taken` is the choice, to below `high`.

    The first that is looked at is that for all values, then always the one in the middle.
    """

    values: Sequence[Value]
    room: int
    high: int
    step: int
    low: int = 0
    taken: frozenset[str] = frozenset()

    @staticmethod
    def of(values: Sequence[Value]) -> _Search:
        total = sum(v.bytes or 0 for v in values)
        return _Search(values, total, total + 1, max(total // _PARTS, 1))

    def next(self) -> frozenset[str] | None:
        """A choice that is to be tried; None where there is no other."""
        while self.high - self.low > self.step:
            numbers = values_to_save(self.values, self.room)
            if numbers != self.taken:
                return numbers
            self.low = self.room
            self.room = (self.low + self.high) // 2
        return None

    def more(self, numbers: frozenset[str]) -> None:
        self.low, self.taken = self.room, numbers
        self.room = (self.low + self.high) // 2

    def less(self, numbers: frozenset[str]) -> None:
        self.high = min(self.room, sum(v.bytes or 0 for v in self.values if v.number in numbers))
        self.room = (self.low + self.high) // 2
