"""Snapshots taken while nobody knows how long the run is: as good as if it had been known."""

from __future__ import annotations

import pytest

from retrograd.runtime.schedule.binomial import repeats
from retrograd.runtime.schedule.levels import Taken, spare

pytestmark = pytest.mark.thinned(2)


def taken_online(leaves: int, most: int) -> list[Taken]:
    """The beginning, and at most so many snapshots, at the ends of leaves."""
    found: list[Taken] = []
    for step in range(1, leaves):
        level = 0
        if len(found) == most:
            gone = spare(found)
            if gone is None:
                gone, level = found[-1], found[-1].level + 1
            found.remove(gone)
        found.append(Taken(step, step, level))
    return [Taken(0, 0), *found]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 9])
def test_as_few_repetitions_as_can_be(most: int) -> None:
    """Every gap can be reversed in as many repetitions as the whole run has to have.

    The last snapshots are free again when the earlier gaps are reversed.
    """
    for leaves in range(1, 120 if most == 1 else 800):
        found = taken_online(leaves, most)
        ends = [one.step for one in found[1:]] + [leaves]
        gaps = [end - one.step for one, end in zip(found, ends, strict=True)]
        needed = [repeats(gap, most + 1 - k) for k, gap in enumerate(gaps)]
        assert max(needed) <= repeats(leaves, most + 1)
