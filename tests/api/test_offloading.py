"""Policies that offload: what is in memory and on disk, equal bits, and nothing left behind."""

from __future__ import annotations

import os
import resource
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
from numpy.typing import NDArray

import retrograd as rg
from retrograd.errors import UserError
from tests.api.test_durable import ROOT, UNCLOSED, environment

N, LAYERS = 8192, 12
BYTES = 8 * N
WS, X = np.linspace(0.5, 1.5, LAYERS), np.linspace(-1.0, 1.0, N)

policies = rg.checkpoint_policies
Chain = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]


def named(folder: str | Path) -> Any:
    return policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["x"], offload_src="device",
        offload_dst=folder,
    )  # fmt: skip


def chain(policy: Any) -> Chain:
    """Layers of which each records what it is given."""

    @rg.checkpoint(policy=policy)
    def layer(w: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tanh(w * x)

    def loss(ws: NDArray[np.float64], x: NDArray[np.float64]) -> Any:
        for k in range(LAYERS):
            x = rg.checkpoint_name(layer(ws[k], x), "x")
        return np.sum(x * x)

    return loss


def plain(ws: NDArray[np.float64], x: NDArray[np.float64]) -> Any:
    for k in range(LAYERS):
        x = np.tanh(ws[k] * x)
    return np.sum(x * x)


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


BOTH = (0, 1)


def test_what_is_offloaded_is_not_in_memory(tmp_path: Path) -> None:
    expected, moved = rg.grad(plain, BOTH), rg.grad(chain(named(tmp_path)), BOTH)
    for _ in range(2):
        assert same(moved(WS, X), expected(WS, X))
        before, after = expected.stats(), moved.stats()
        assert before is not None
        assert after is not None
        # The last two are on their way when the sweep back begins, the loop's result is not asked.
        assert after.offloaded_bytes == (LAYERS - 3) * BYTES
        assert before.tape_bytes // BYTES == LAYERS
        assert after.tape_bytes // BYTES == 3
        assert before.peak_bytes - after.peak_bytes >= (LAYERS - 6) * BYTES
        assert before.offloaded_bytes == 0
        assert list(tmp_path.iterdir()) == []


def test_small_arrays_stay(tmp_path: Path) -> None:
    moved = rg.grad(chain(named(tmp_path)), BOTH)
    assert same(moved(WS, X[:-1]), rg.grad(plain, BOTH)(WS, X[:-1]))
    stats = moved.stats()
    assert stats is not None
    assert stats.offloaded_bytes == 0


@pytest.mark.parametrize("kind", ["device", "pinned_host", "unpinned_host"])
def test_kinds_of_memory_leave_it_in_memory(kind: str) -> None:
    moved = rg.grad(chain(named(kind)), BOTH)
    assert same(moved(WS, X), rg.grad(plain, BOTH)(WS, X))
    stats = moved.stats()
    assert stats is not None
    assert stats.offloaded_bytes == 0
    assert stats.tape_bytes // BYTES == LAYERS


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", "pinned_hots"):
        with pytest.raises(UserError, match="(?s)RG4007.*pinned_host"):
            rg.grad(chain(named(folder)))(WS, X)


def rec(k: int, x: NDArray[np.float64]) -> Any:
    if k == 0:
        return np.sum(x * x)
    return rec(k - 1, np.exp(np.sin(x)) * x)


def branches(k: int, x: NDArray[np.float64]) -> Any:
    i = 0
    while i < k:
        if i % 3 == 0:
            x = np.sin(x) * x
        else:
            for _ in range(2):
                x = np.exp(-x * x)
        i += 1
    return np.sum(x)


def rows(k: int, x: NDArray[np.float64]) -> Any:
    a = np.zeros((k, N))
    for i in range(k):
        x = np.cos(x) * np.exp(-x)
        a[i] = x
    return np.sum(a * a)


@pytest.mark.parametrize("fun", [branches, rows, rec])
def test_a_policy_of_ones_own_on_whole_functions(fun: Any, tmp_path: Path) -> None:
    def moves(residual: rg.Residual) -> object:
        return policies.Offloadable("device", tmp_path)

    moved, expected = rg.grad(rg.checkpoint(fun, policy=moves), 1), rg.grad(fun, 1)
    assert np.array_equal(moved(9, X), expected(9, X))
    before, after = expected.stats(), moved.stats()
    assert before is not None
    assert after is not None
    assert after.tape_bytes <= before.tape_bytes
    assert (after.offloaded_bytes > 0) == (before.tape_bytes > 9 * BYTES)
    assert list(tmp_path.iterdir()) == []


def test_derivatives_in_programs(tmp_path: Path) -> None:
    moved = chain(named(tmp_path))
    inner = rg.jit(lambda ws, x: rg.grad(moved, BOTH)(ws, x))
    assert same(inner(WS, X), rg.grad(plain, BOTH)(WS, X))
    stats = inner.stats()
    assert stats is not None
    assert stats.offloaded_bytes == (LAYERS - 3) * BYTES
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_second_derivatives(tmp_path: Path) -> None:
    moved = chain(named(tmp_path))
    along = np.ones(LAYERS), np.ones(N)
    assert np.array_equal(rg.hvp(moved, (WS, X), along), rg.hvp(plain, (WS, X), along))
    one, other = (
        rg.grad(lambda ws, f=f: np.sum(rg.grad(f, 1)(ws, X) ** 2))(WS) for f in (moved, plain)
    )
    assert np.array_equal(one, other)
    assert list(tmp_path.iterdir()) == []


def test_pullbacks_can_be_called_twice_and_dropped(tmp_path: Path) -> None:
    (_, moved), (_, expected) = rg.vjp(chain(named(tmp_path)), WS, X), rg.vjp(plain, WS, X)
    for bar in (1.0, 2.0):
        assert same(moved(bar), expected(bar))
        assert list(tmp_path.iterdir()) == []
    del moved


def test_a_schedule_keeps_it_in_memory(tmp_path: Path) -> None:
    limited = rg.grad(chain(named(tmp_path)), BOTH, memory=12 * BYTES)
    assert same(limited(WS, X), rg.grad(plain, BOTH)(WS, X))
    stats = limited.stats()
    assert stats is not None
    assert stats.offloaded_bytes == 0


def test_nothing_is_left_after_an_exception(tmp_path: Path) -> None:
    @rg.checkpoint(policy=named(tmp_path))
    def layer(w: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tanh(w * x)

    def loss(ws: NDArray[np.float64], x: NDArray[np.float64]) -> Any:
        for k in range(LAYERS):
            x = rg.checkpoint_name(layer(ws[k], x), "x")
            if k == 8:
                raise ValueError(f"layer {k}")
        return np.sum(x * x)

    files = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(ValueError, match="layer 8"):
            rg.grad(loss)(WS, X)
        assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == files


def test_a_full_disk(tmp_path: Path) -> None:
    moved, expected = rg.grad(chain(named(tmp_path)), BOTH), rg.grad(plain, BOTH)(WS, X)
    moved(WS, X)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * BYTES + 5, before[1]))
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert same(moved(WS, X), expected)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [str(w.message) for w in found] == [
        "arrays of the tape that were to be offloaded stay in memory: [Errno 27] File too large"
    ]
    stats = moved.stats()
    assert stats is not None
    assert stats.offloaded_bytes == 4 * BYTES
    assert stats.tape_bytes // BYTES == LAYERS - 4
    assert list(tmp_path.iterdir()) == []


class Alarm(Exception):
    """What a handler of the user's raises."""


@UNCLOSED
def test_signals_at_any_time(tmp_path: Path) -> None:
    moved, expected = rg.grad(chain(named(tmp_path)), BOTH), rg.grad(plain, BOTH)(WS, X)
    moved(WS, X)
    start = time.perf_counter()
    moved(WS, X)
    took = time.perf_counter() - start

    def raises(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, raises)
    stopped = 0
    try:
        for k in range(30):
            try:
                signal.setitimer(signal.ITIMER_REAL, took * (k + 1) / 30)
                moved(WS, X)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                stopped += 1
            assert list(tmp_path.iterdir()) == []
        assert stopped > 0
        assert same(moved(WS, X), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_threads(tmp_path: Path) -> None:
    moved, expected = rg.grad(chain(named(tmp_path)), BOTH), rg.grad(plain, BOTH)(WS, X)
    moved(WS, X)
    found: list[bool] = []

    def several() -> None:
        for _ in range(5):
            found.append(same(moved(WS, X), expected))

    threads = [threading.Thread(target=several) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 15
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, sys
from tests.api.test_offloading import WS, X, chain, named
import retrograd as rg
gradient = rg.grad(chain(named(sys.argv[1])))
while True:
    gradient(WS, X)
"""


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGKILL]
)
def test_a_process_that_is_killed_leaves_its_folder_only(
    number: signal.Signals, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stderr=subprocess.PIPE) as process:
        while not list(tmp_path.glob("*/tape")):
            time.sleep(0.01)
        process.send_signal(number)
        process.communicate()
    names = [path.name for path in tmp_path.iterdir()]
    assert all(name.startswith(f"retrograd-{process.pid}-") for name in names)
    assert len(names) <= (number is signal.SIGKILL)


def test_predictions_do_not_count_it(tmp_path: Path) -> None:
    def moves(residual: rg.Residual) -> object:
        return policies.Offloadable("device", tmp_path)

    found = rg.plan(plain, WS, X, policies=[None, moves])
    assert found.rows[0].tape_bytes is not None
    assert (found.rows[1].tape_bytes, found.rows[1].peak_bytes) == (None, None)
    assert found.rows[1].gaps == ("arrays that are moved out of memory",)
