"""Schedules for two tiers: snapshots go to the disk before any is given up."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrograd.errors import UserError
from retrograd.runtime.disk import Disk
from retrograd.runtime.execute import Run
from retrograd.runtime.files import Reader
from retrograd.runtime.schedule.actions import Action, Observation, Spill, TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner
from tests.runtime.schedule.test_budget import Counting, Snapshot
from tests.runtime.schedule.test_resting import same_wherever_cut


class Codec:
    """A snapshot as so many zeros."""

    def packed(self, kept: Snapshot) -> tuple[dict[str, Any], list[np.ndarray]]:
        return {"step": kept.step, "size": kept.nbytes}, [np.zeros(kept.nbytes, np.uint8)]

    def unpacked(self, header: dict[str, Any], reader: Reader) -> Snapshot:
        assert not reader.take("|u1", [header["size"]]).any()
        return Snapshot(header["step"], header["size"])


def run_with(
    folder: Path, machine: Counting, budget: int, limit: int
) -> tuple[Run[Snapshot], list[Action]]:
    """Follows a schedule; every spill and load is legal, and no limit is exceeded."""
    disk = Disk(str(folder), limit, Codec())
    run: Run[Snapshot] = Run(machine, budget, disk)
    actions: list[Action] = []

    def checked(action: Action, seen: Observation) -> None:
        actions.append(action)
        size = sum(f.stat().st_size for f in disk.folder.iterdir())
        assert seen.disk == run.stored == size <= limit

    run.listener = checked
    try:
        run.follow(BudgetPlanner(budget, disk=limit).schedule())
        assert machine.reversed_to == 0
        assert run.peak <= budget
        assert (run.stored, run.kept) == (0, 0)
    finally:
        disk.close()
    assert list(folder.iterdir()) == []
    return run, actions


def simple() -> Counting:
    return Counting(10_000, lambda k: 8, lambda k: 100)


def test_fewer_steps_with_a_disk(tmp_path: Path) -> None:
    none: Run[Snapshot] = Run(simple(), 3_000)
    none.follow(BudgetPlanner(3_000).schedule())
    some, spilled = run_with(tmp_path, simple(), 3_000, 3_000)
    much, more = run_with(tmp_path, simple(), 3_000, 10**6)
    assert much.steps < some.steps < none.steps
    assert 0 < some.most_stored <= 3_000 < much.most_stored
    assert sum(isinstance(a, Spill) for a in more) > sum(isinstance(a, Spill) for a in spilled) > 0


def test_no_room_on_the_disk(tmp_path: Path) -> None:
    """The limit of the disk is not the planner's: it is full before that."""
    disk = Disk(str(tmp_path), 1500, Codec())
    run: Run[Snapshot] = Run(simple(), 5_000, disk)
    with pytest.warns(RuntimeWarning, match="snapshots stay in memory") as seen:
        run.follow(BudgetPlanner(5_000, disk=1 << 60).schedule())
    assert len(seen) == 1
    assert 0 < run.most_stored <= 1500
    assert run.peak <= 5_000
    disk.close()


@pytest.mark.parametrize("harm", [Path.unlink, lambda p: p.write_bytes(p.read_bytes()[:-3])])
def test_files_that_are_harmed(harm: Callable[[Path], Any], tmp_path: Path) -> None:
    disk = Disk(str(tmp_path), 10**6, Codec())
    run: Run[Snapshot] = Run(simple(), 5_000, disk)

    def listener(action: Action, seen: Observation) -> None:
        if seen.ended:
            for path in disk.folder.iterdir():
                harm(path)

    run.listener = listener
    with pytest.raises(UserError, match="RG4007: .* gone or damaged"):
        run.follow(BudgetPlanner(5_000, disk=10**6).schedule())
    disk.close()
    assert list(tmp_path.iterdir()) == []


@given(
    length=st.integers(1, 1_500),
    budget=st.integers(500, 30_000),
    limit=st.integers(0, 30_000),
    rate=st.lists(st.integers(0, 60), min_size=1, max_size=7),
    size=st.lists(st.integers(1, 400), min_size=1, max_size=5),
    burst=st.integers(1, 700),
    back=st.integers(0, 500),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_run_is_like(
    tmp_path: Path, length: int, budget: int, limit: int, rate: list[int], size: list[int],
    burst: int, back: int,
) -> None:  # fmt: skip
    machine = Counting(
        length, lambda k: rate[k // burst % len(rate)], lambda k: size[k // burst % len(size)], back
    )
    needed = 12 * (max(rate) + 2 * max(size) + back) + 200
    if budget > needed:
        assert run_with(tmp_path, machine, budget, limit)[0].steps < 500 * (length + 10)
        return
    with contextlib.suppress(TooSmall):
        run_with(tmp_path, machine, budget, limit)


def test_every_resting_point(tmp_path: Path) -> None:
    cuts = same_wherever_cut(
        lambda: BudgetPlanner(4_000, disk=20_000), BudgetPlanner.read,
        lambda: Counting(2_000, lambda k: 8, lambda k: 100), 4_000, 3,
        lambda: Disk(str(tmp_path), 20_000, Codec()),
    )  # fmt: skip
    assert cuts > 3


@pytest.mark.parametrize("folder", ["no/such/folder", "file"])
def test_folders_that_are_none(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="RG4007: disk="):
        Disk(str(tmp_path / folder), 5, Codec())
