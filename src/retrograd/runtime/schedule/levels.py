"""Which snapshot to give up while a run goes on and nobody knows how long it will be.

Each snapshot has a level. One that is lower than a later one can be spared: while that is left,
the run between them can be gone through again. Where none can be spared, the newest gives way to
one that is a level higher. So the repetitions are the fewest for every length of the run (Wang,
Moin and Iaccarino, Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
calculation, SIAM J. Sci. Comput. 31(4), 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Taken", "spare"]


class Taken(NamedTuple):
    """A snapshot that a schedule has taken: its number, the step where it is, and its level."""

    name: int
    step: int
    level: int = 0


def spare(taken: Sequence[Taken]) -> Taken | None:
    """The snapshot that can best be spared: of the lowest level, the latest; None where none can.

    >>> spare([Taken(1, 10, 0), Taken(2, 20, 0), Taken(3, 30, 1)])
    Taken(name=2, step=20, level=0)
    >>> spare([Taken(1, 10, 1), Taken(2, 20, 0)])
    """
    highest, lowest, found = 0, 0, None
    for one in reversed(taken):
        level = one.level
        if level < highest:
            if found is None or level < lowest:
                lowest, found = level, one
                if not level:
                    break
        else:
            highest = level
    return found
