"""Derivatives that are stopped and continue: the same bits, whatever stopped them and wherever."""

from __future__ import annotations

import _thread
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.runtime.context import Memory
from retrograd.runtime.rotating_files import Generations
from tests.api import killed
from tests.api.conftest import Cut
from tests.api.test_memory import CASES, bits

UNCLOSED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Where Python is interrupted between the opening of a file and the `with` that closes it."""

ROOT = Path(__file__).resolve().parents[2]


def assert_continues(
    call: Callable[[], Any], cutting: Callable[[int], list[int]], want: Any, share: int = 3
) -> None:
    """Cuts a call after the first writing, after some, and after the last one."""
    done = cutting(-1)
    with rg.record() as run:
        assert bits(call()) == want
    total, whole = done[0], (run.steps, run.leaves)
    assert total > 1
    for count in sorted({1, total, *range(1, total, max(1, total // share))}):
        cutting(count)
        with rg.record() as before, pytest.raises(Cut):
            call()
        done = cutting(-1)
        with rg.record() as after:
            assert bits(call()) == want
        assert done[0] == total - count
        assert (before.steps + after.steps, before.leaves + after.leaves) == whole


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [name for name in CASES if name != "tree"])  # thousands of leaves
def test_wherever_it_is_stopped(
    name: str, tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    fun, args, budgets = CASES[name]
    budget = budgets[1 if name == "hiked" else -1]
    want = bits(rg.value_and_grad(fun)(*args))
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    limited = rg.value_and_grad(fun, memory=budget, resume=place)
    assert_continues(lambda: limited(*args), cutting, want)
    ((_, runner),) = limited.made.values()
    assert 0 < runner.last.peak <= budget
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "way",
    [
        rg.checkpointing.fixed_space(4, leaf=3000),
        rg.checkpointing.fixed_space(1, leaf=3000),
        rg.checkpointing.fixed_time(2, leaf=3000),
        rg.checkpointing.logarithmic(leaf=3000),
    ],
    ids=lambda way: f"{way.kind} {way.bound}",
)
def test_trees(way: Any, tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    for name in ("collatz", "hiked"):
        fun, args, _ = CASES[name]
        place = rg.durable(tmp_path / "run.rg", every=0.0)
        limited = rg.grad(fun, checkpointing=way, resume=place)
        assert_continues(lambda: limited(*args), cutting, bits(rg.grad(fun)(*args)))


def test_pullbacks(tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    x = np.linspace(-1.0, 1.0, 31)

    def flow(x, n):
        for _ in range(n):
            x = x + 0.01 * np.sin(x) * np.sum(x)
        return x

    y, pullback = rg.vjp(flow, x, 300)
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    z, limited = rg.vjp(flow, x, 300, memory="25kB", resume=place)
    np.testing.assert_array_equal(y, z)
    bar = np.cos(x)
    assert_continues(lambda: limited(bar)[0], cutting, bits(pullback(bar)[0]))
    cutting(2)
    with pytest.raises(Cut):
        limited(bar)
    with pytest.raises(UserError, match="RG4006: .* other arguments"):
        limited(2.0 * bar)


def test_loops_with_calls_that_are_undone(
    tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    """What the calls restore is the same in a run that continues."""
    fun, args = killed.driven, (killed.X, 300)
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    limited = rg.grad(fun, memory="3kB", resume=place)
    assert_continues(lambda: limited(*args), cutting, bits(rg.grad(fun)(*args)))


def test_arrays_that_overlap(tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    """One argument is a part of another one; frames point into both."""

    def flow(x, y, n):
        total = 0.0
        for k in range(n):
            for j in range(len(y)):
                total = 0.99 * total + np.sin(x[len(x) - 1 - j] * y[j] + total)
        return total

    x = np.linspace(0.1, 1.0, 60)
    want = bits(rg.grad(flow)(x, x[20:30], 2000))
    place = rg.durable(tmp_path / "run.rg", every=0.0)
    limited = rg.grad(flow, memory=6000, resume=place)
    assert_continues(lambda: limited(x, x[20:30], 2000), cutting, want)


def test_all_memory_there_is(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the whole tape would fit there are leaves all the same, so that there is a file."""
    monkeypatch.setattr("retrograd.api.checkpoint.sweeping.leaf_seconds", lambda way: 0.0)
    fun, args = killed.rotated, (np.linspace(-1.0, 1.0, 51), 500)
    want = bits(rg.grad(fun)(*args))
    limited = rg.grad(fun, resume=rg.durable(tmp_path / "run.rg", every=0.0))
    for count in (1, 2):
        cutting(count)
        with pytest.raises(Cut):
            limited(*args)
        cutting(-1)
        assert bits(limited(*args)) == want


def test_a_file_that_does_not_fit_any_more(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not begun again from the start, and the file stays as it is."""
    path = begun(tmp_path, cutting)
    fun, args, budgets = CASES["rotated"]
    data = path.read_bytes()
    with monkeypatch.context() as less:
        less.setattr(Memory, "available", lambda self: 2000)
        with pytest.raises(UserError, match="RG4004: 2 kB are too little"):
            rg.grad(fun, memory=budgets[1], resume=path)(*args)
    assert path.read_bytes() == data
    assert_finishes(path)


def test_nothing_is_written_in_a_short_run(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    fun, args, budgets = CASES["rotated"]
    # However busy the machine is.
    monkeypatch.setattr("retrograd.api.checkpoint.durable._EVERY", 1e9)
    done = cutting(1)
    assert bits(rg.grad(fun, memory=budgets[1], resume=tmp_path / "run.rg")(*args)) == bits(
        rg.grad(fun)(*args)
    )
    assert done == [0]
    assert list(tmp_path.iterdir()) == []


def begun(tmp_path: Path, cutting: Callable[[int], list[int]], count: int = 3) -> Path:
    """The file of a run that was stopped."""
    fun, args, budgets = CASES["rotated"]
    path = tmp_path / "run.rg"
    cutting(count)
    with pytest.raises(Cut):
        rg.grad(fun, memory=budgets[1], resume=rg.durable(path, every=0.0))(*args)
    cutting(-1)
    assert path.exists()
    assert (tmp_path / "run.rg.1").exists() == (count > 1)
    assert not (tmp_path / "run.rg.lock").exists()
    return path


def assert_finishes(path: Path) -> None:
    """The run that was begun comes to the right end."""
    fun, args, budgets = CASES["rotated"]
    found = rg.grad(fun, memory=budgets[1], resume=path)(*args)
    assert bits(found) == bits(rg.grad(fun)(*args))
    assert list(path.parent.iterdir()) == []


def test_killed_between_the_two_renames(
    tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    path = begun(tmp_path, cutting)
    path.rename(tmp_path / "run.rg.1")
    (tmp_path / "run.rg.new").write_bytes(b"half")
    assert_finishes(path)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("size", [0, 3, 20, 60, 1000, -1])
def test_a_damaged_generation(
    size: int, tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    """The one before takes its place; it is not overwritten by the damaged one."""
    path = begun(tmp_path, cutting)
    data = path.read_bytes()
    path.write_bytes(data[:size] if size >= 0 else data[:-5] + b"xxxxx")
    fun, args, budgets = CASES["rotated"]
    older = (tmp_path / "run.rg.1").read_bytes()
    cutting(1)
    with pytest.warns(RuntimeWarning, match="is damaged: continued from"), pytest.raises(Cut):
        rg.grad(fun, memory=budgets[1], resume=rg.durable(path, every=0.0))(*args)
    cutting(-1)
    assert (tmp_path / "run.rg.1").read_bytes() == older
    assert_finishes(path)


def test_no_good_generation(tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    path = begun(tmp_path, cutting)
    fun, args, budgets = CASES["rotated"]
    for one in (path, tmp_path / "run.rg.1"):
        one.write_bytes(one.read_bytes()[:-9])
    with pytest.raises(UserError, match="RG4006: .* is damaged"):
        rg.grad(fun, memory=budgets[1], resume=path)(*args)
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("Chapter 1")
    with pytest.raises(UserError, match="RG4006: .* no file of a derivative"):
        rg.grad(fun, memory=budgets[1], resume=thesis)(*args)
    assert thesis.read_text() == "Chapter 1"


def test_another_run(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(tmp_path, cutting)
    before = path.read_bytes()
    fun, args, budgets = CASES["rotated"]

    def refused(match: str, fun: Any, args: Any, **options: Any) -> None:
        with pytest.raises(UserError, match=f"RG4006: .* is from {match}") as caught:
            rg.grad(fun, resume=path, **options)(*args)
        assert "delete the file" in str(caught.value)
        assert path.read_bytes() == before

    same = {"memory": budgets[1]}
    nudged = args[0].copy()
    nudged[7] = np.nextafter(nudged[7], 9.0)
    refused("a run with other arguments .*", fun, (nudged, args[1]), **same)
    refused("a run with other arguments .*", fun, (args[0], args[1] + 1), **same)
    refused("a run with other options .*", fun, args, memory=budgets[2])
    refused("a run with other options .*", fun, args, checkpointing=rg.checkpointing.fixed_space(3))
    refused("another program .*", lambda x, n: fun(x, n) * 2.0, args, **same)
    refused(
        "another program .*, and a run with other options .*",
        lambda x, n: 2.0 * fun(x, n),
        args,
        memory=budgets[2],
    )
    monkeypatch.setattr(rg, "__version__", "0.0.1")
    refused("another version of retrograd", fun, args, **same)
    monkeypatch.undo()
    monkeypatch.setattr("retrograd.api.checkpoint.durable.TARGET", "a machine of clay")
    refused("another kind of machine", fun, args, **same)
    monkeypatch.undo()
    assert_finishes(path)


def test_one_call_at_a_time(tmp_path: Path) -> None:
    fun, args, budgets = CASES["rotated"]
    want = bits(rg.grad(fun)(*args))
    path = tmp_path / "run.rg"
    limited = rg.grad(fun, memory=budgets[1], resume=path)
    limited.specialise(args, {})
    with Generations(str(path)), pytest.raises(UserError, match="RG4006: .* in use"):
        limited(*args)
    assert bits(limited(*args)) == want
    outcomes: list[Any] = []

    def run() -> None:
        try:
            outcomes.append(bits(limited(*args)))
        except UserError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert want in outcomes
    assert all(o in (want, "RG4006") for o in outcomes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["no/such/folder/run.rg", "file/run.rg", "."])
def test_what_cannot_be_written_is_said_at_once(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="RG4007"), rg.record() as run:
        rg.grad(killed.rotated, memory="1MB", resume=tmp_path / where)(np.ones(5), 10**12)
    assert run.steps == 0
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("resume", [5, b"run.rg", "", True, 2.0, ["run.rg"], "a\0b"])
def test_places_that_are_none(resume: Any) -> None:
    with pytest.raises(UserError, match="RG4007"):
        rg.grad(killed.rotated, resume=resume)
    with pytest.raises(UserError, match="RG4007"):
        rg.vjp(killed.rotated, np.ones(3), 2, resume=resume)


@pytest.mark.parametrize("every", [-1, float("nan"), float("inf"), "2", True, 1j])
def test_times_that_are_none(every: Any) -> None:
    with pytest.raises(UserError, match="RG4007"):
        rg.durable("run.rg", every=every)


def test_a_full_disk(tmp_path: Path) -> None:
    """The run goes on, and says so once."""
    fun, _, _, _ = killed.CASES["rotated"]
    text = (
        "import resource, sys, warnings, numpy as np, retrograd as rg\n"
        "from tests.api.killed import rotated, bits\n"
        "x = np.linspace(-1.0, 1.0, 51)\n"
        "g = rg.grad(rotated, memory='60kB', resume=rg.durable('run.rg', every=0.0))\n"
        "g.specialise((x, 60), {})\n"
        "sys.dont_write_bytecode = True\n"  # else it would be cut off, for all to read
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    found = bits(g(x, 300))\n"
        "print(found, len(seen), seen[0].message)\n"
    )
    found, count, message = python(tmp_path, "-c", text).split(" ", 2)
    assert found == killed.bits(rg.grad(fun)(np.linspace(-1.0, 1.0, 51), 300))
    assert count == "1"
    assert "cannot be written" in message
    assert list(tmp_path.iterdir()) == []


def environment() -> dict[str, str]:
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")))
    return os.environ | {"PYTHONPATH": path}


def python(folder: Path, *args: str) -> str:
    """Standard output of a process that comes to its end."""
    done = subprocess.run(
        [sys.executable, *args], cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def generation(path: Path) -> tuple[int, int] | None:
    """Tells one writing of a file from the next; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def until_killed(case: str, folder: Path, writings: int | None) -> tuple[str, int] | None:
    """Runs a case until its file was written so often; its bits and steps if it came to its end."""
    path = folder / "run.rg"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.api.killed", case, str(folder)], env=environment(), cwd=ROOT,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == "begin\n"
        seen, left = generation(path), writings
        while left is not None and left > 0 and process.poll() is None:
            time.sleep(0.001)
            if (now := generation(path)) != seen:
                seen, left = now, left - 1
        if left == 0:
            process.send_signal(signal.SIGKILL)
        found = process.stdout.read().split()
        process.wait()
    return (found[0], int(found[1])) if found else None


def assert_continues_after_kills(case: str, folder: Path, times: int) -> None:
    """Kills a run, and the runs that continue it, until it has been killed so often."""
    rng = random.Random(times)
    want, kills, continued = killed.plain(case), 0, 0
    while kills < times:
        before = (folder / "run.rg").exists() or (folder / "run.rg.1").exists()
        found = until_killed(case, folder, rng.randrange(1, 20))
        continued += before
        kills += found is None
        assert found is None or found[0] == want
    found = until_killed(case, folder, None)
    assert found is not None
    assert found[0] == want
    assert continued > times // 3
    assert list(folder.iterdir()) == []


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("case", "times"), [("rotated", 3), ("hiked", 2)])
def test_killed(case: str, times: int, tmp_path: Path) -> None:
    assert_continues_after_kills(case, tmp_path, times)


@pytest.mark.slow
@pytest.mark.parametrize("case", killed.CASES)
def test_killed_at_fifty_random_times(case: str, tmp_path: Path) -> None:
    assert_continues_after_kills(case, tmp_path, 50)


@UNCLOSED
@pytest.mark.parametrize("case", ["rotated", pytest.param("driven", marks=pytest.mark.slow)])
def test_interrupted_by_the_user(case: str, tmp_path: Path) -> None:
    """Ctrl-C leaves a good file and no lock, and the next call continues."""
    fun, options, small, args = killed.CASES[case]
    rg.grad(fun, **options)(*small)
    path = tmp_path / "run.rg"
    limited = rg.grad(fun, **options, resume=rg.durable(path, every=0.0))
    limited.specialise(args, {})

    def interrupting() -> None:
        while not path.exists():
            time.sleep(0.005)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupting)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        limited(*args)
    thread.join()
    assert path.exists() or (tmp_path / "run.rg.1").exists()
    assert not (tmp_path / "run.rg.lock").exists()
    assert killed.bits(limited(*args)) == killed.plain(case)
    assert list(tmp_path.iterdir()) == []
