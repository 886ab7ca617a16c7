"""Snapshots on disk: fewer steps in the same memory, the same bits, and nothing left behind."""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.api import killed
from tests.api.test_durable import ROOT, UNCLOSED, assert_continues, environment
from tests.api.test_memory import CASES, bits

LONG: dict[str, tuple[tuple[Any, ...], int]] = {
    "rotated": ((np.linspace(-1.0, 1.0, 51), 1500), 10_000),
    "collatz": ((0.7, 2000), 3_000),
    "diffused": ((np.linspace(0.1, 1.0, 40), np.linspace(1.0, 0.1, 40), 3000), 25_000),
}
"""Arguments, and bytes in which there are snapshots that have to be given up."""


@pytest.mark.parametrize("name", LONG)
def test_same_bits(name: str, tmp_path: Path) -> None:
    fun, (args, budget) = CASES[name][0], LONG[name]
    want = bits(rg.value_and_grad(fun)(*args))
    way = rg.checkpointing.budget(budget, disk=tmp_path, disk_limit="1MB")
    with rg.record() as run:
        assert bits(rg.value_and_grad(fun, checkpointing=way)(*args)) == want
    with rg.record() as without:
        assert bits(rg.value_and_grad(fun, memory=budget)(*args)) == want
    assert run.peak_bytes <= budget
    assert 0 < run.disk_bytes <= 10**6
    assert without.disk_bytes == 0
    assert run.recomputed_steps < without.recomputed_steps
    assert sum(event.action == "spill" for event in run.timeline) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_limit_is_kept(tmp_path: Path) -> None:
    fun, args = killed.rotated, (np.linspace(-1.0, 1.0, 101), 3000)
    want = bits(rg.grad(fun)(*args))
    steps: list[int] = []
    for limit in (0, 40_000, 4_000_000):
        way = rg.checkpointing.budget("40kB", disk=tmp_path, disk_limit=limit or 1)
        with rg.record() as run:
            assert bits(rg.grad(fun, checkpointing=way)(*args)) == want
        assert run.disk_bytes <= limit
        steps.append(run.recomputed_steps)
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] < steps[0]


def test_with_a_file_to_continue_from(tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    fun, args, budget = CASES["rotated"][0], (np.linspace(-1.0, 1.0, 51), 300), LONG["rotated"][1]
    (tmp_path / "disk").mkdir()
    way = rg.checkpointing.budget(budget, disk=tmp_path / "disk", disk_limit="1MB")
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    limited = rg.grad(fun, checkpointing=way, resume=place)
    assert_continues(lambda: limited(*args), cutting, bits(rg.grad(fun)(*args)))
    ((_, runner),) = limited.made.values()
    assert runner.last.most_stored > 0
    assert [p.name for p in tmp_path.iterdir()] == ["disk"]
    assert list((tmp_path / "disk").iterdir()) == []


@UNCLOSED
def test_nothing_is_left_after_an_exception(tmp_path: Path) -> None:
    fun, _, small, args = killed.CASES["rotated"]
    way = rg.checkpointing.budget("40kB", disk=tmp_path)
    limited = rg.grad(fun, checkpointing=way)
    limited.specialise(args, {})

    def interrupting() -> None:
        while not list(tmp_path.glob("*/*.snapshot")):
            time.sleep(0.005)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupting)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        limited(args[0], 10**8)
    thread.join()
    assert list(tmp_path.iterdir()) == []
    assert bits(limited(*small)) == bits(rg.grad(fun)(*small))


def test_what_a_killed_process_leaves_says_whose_it_was(tmp_path: Path) -> None:
    text = (
        "import sys, numpy as np, retrograd as rg\n"
        "from tests.api.killed import rotated\n"
        "way = rg.checkpointing.budget('40kB', disk=sys.argv[1])\n"
        "print('begin', flush=True)\n"
        "rg.grad(rotated, checkpointing=way)(np.linspace(-1.0, 1.0, 101), 10**8)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", text, str(tmp_path)], cwd=ROOT, env=environment(),
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    with process, process.stdout:
        process.stdout.readline()
        waiting = threading.Event()
        while not list(tmp_path.glob("*/*.snapshot")):
            assert process.poll() is None
            waiting.wait(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(f"retrograd-{process.pid}-")


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """Fewer snapshots, a warning, and the same bits."""
    text = (
        "import resource, sys, warnings, numpy as np, retrograd as rg\n"
        "from tests.api.killed import rotated, bits\n"
        "x = np.linspace(-1.0, 1.0, 101)\n"
        "g = rg.grad(rotated, checkpointing=rg.checkpointing.budget('40kB', disk=sys.argv[1]))\n"
        "g.specialise((x, 60), {})\n"
        "sys.dont_write_bytecode = True\n"  # else it would be cut off, for all to read
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    found = bits(g(x, 3000))\n"
        "print(found, len(seen), seen[0].message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, str(tmp_path)], cwd=ROOT, env=environment(), text=True,
        capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, count, message = done.stdout.split(" ", 2)
    assert found == killed.bits(rg.grad(killed.rotated)(np.linspace(-1.0, 1.0, 101), 3000))
    assert count == "1"
    assert "stay in memory" in message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    way = rg.checkpointing.budget("1MB", disk=tmp_path / "none")
    with pytest.raises(UserError, match="RG4007: disk="):
        rg.grad(killed.rotated, checkpointing=way)(np.ones(5), 10**9)


@pytest.mark.parametrize("disk", [5, b"folder", True, ["folder"]])
def test_disks_that_are_none(disk: Any) -> None:
    with pytest.raises(UserError, match="RG4007"):
        rg.checkpointing.budget("1MB", disk=disk)


@pytest.mark.parametrize("limit", [0, -1, "much", 2.5, True])
def test_limits_that_are_none(limit: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="RG4003"):
        rg.grad(killed.rotated, checkpointing=rg.checkpointing.budget("1MB", tmp_path, limit))
    with warnings.catch_warnings(), pytest.raises(UserError, match="RG4005: .* without a disk"):
        rg.checkpointing.budget("1MB", disk_limit=limit)


def test_later_calls_have_the_disk_too(tmp_path: Path) -> None:
    """A schedule made for a run like the one before knew of memory alone."""
    way = rg.checkpointing.budget("20kB", disk=tmp_path)
    limited = rg.grad(killed.rotated, checkpointing=way)
    runs: list[rg.Recording] = []
    for _ in range(3):
        with rg.record() as run:
            limited(np.linspace(-1.0, 1.0, 51), 1500)
        runs.append(run)
    assert all(run.disk_bytes > 0 for run in runs)
    assert runs[2].steps <= 1.1 * runs[0].steps
