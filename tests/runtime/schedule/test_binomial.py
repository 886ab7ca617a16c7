"""The closed forms of binomial checkpointing, against a search and against published schedules."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from retrograd.runtime.schedule.binomial import eta, optimal_steps, repeats, split

ORACLE = Path(__file__).resolve().parents[3].parent / "shared" / "oracles" / "schedules_oracle.json"

# (leaves, snapshots): forward steps of Revolve, by a published library.
PUBLISHED = {
    (1, 1): 1, (3, 1): 6, (3, 2): 5, (5, 2): 11, (10, 1): 55, (10, 2): 30, (10, 3): 25, (20, 3): 65,
    (20, 10): 48, (50, 5): 172, (50, 30): 118, (100, 2): 945, (100, 3): 590, (100, 10): 322,
}  # fmt: skip


@cache
def searched(leaves: int, snapshots: int) -> int:
    """The fewest forward steps, by trying every split."""
    if leaves == 1:
        return 1
    if snapshots == 1:
        return leaves * (leaves + 1) // 2
    return min(
        k + searched(leaves - k, snapshots - 1) + searched(k, snapshots) for k in range(1, leaves)
    )


@cache
def followed(leaves: int, snapshots: int) -> int:
    """The forward steps where `split` decides."""
    if leaves == 1:
        return 1
    if snapshots == 1:
        return leaves * (leaves + 1) // 2
    ahead = split(leaves, snapshots)
    assert 1 <= ahead < leaves
    return ahead + followed(leaves - ahead, snapshots - 1) + followed(ahead, snapshots)


@pytest.mark.parametrize("snapshots", range(1, 8))
def test_no_schedule_takes_fewer_steps(snapshots: int) -> None:
    for leaves in range(1, 120):
        assert searched(leaves, snapshots) == optimal_steps(leaves, snapshots)
        assert followed(leaves, snapshots) == optimal_steps(leaves, snapshots)


def test_published_schedules() -> None:
    for (leaves, snapshots), steps in PUBLISHED.items():
        assert optimal_steps(leaves, snapshots) == steps


def test_all_published_schedules() -> None:
    if not ORACLE.exists():
        pytest.skip("the folder of oracles is not beside the project")
    rows = json.loads(ORACLE.read_text())["entries"]
    rows = [r for r in rows if r["schedule"] == "Revolve" and "forward_steps" in r]
    assert len(rows) > 10
    for row in rows:
        assert optimal_steps(row["n"], row["s"]) == row["forward_steps"]


def test_any_two_give_the_third() -> None:
    for snapshots in range(1, 12):
        for times in range(1, 9):
            leaves = eta(snapshots, times)
            assert repeats(leaves, snapshots) == times
            assert repeats(leaves + 1, snapshots) == times + 1


def test_large_numbers_take_no_time() -> None:
    assert eta(50, repeats(10**15, 50) - 1) < 10**15 <= eta(50, repeats(10**15, 50))
    assert split(10**15, 50) < 10**15
