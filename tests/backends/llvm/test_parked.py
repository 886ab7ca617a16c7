"""Free blocks of a large tape: out of the way while the run goes on, there for the next leaf."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.checkpoint.checkpointed import Budgeted
from retrograd.backends.llvm import coroutines as turns
from retrograd.runtime.context import Context
from retrograd.runtime.execute import Run
from retrograd.runtime.layout import PARKED
from retrograd.runtime.schedule.actions import Action, Observation, Save


def relaxed(x, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(x) * np.sum(x)
    return np.sum(x * x)


X = np.linspace(-1.0, 1.0, 200)
MANY = 5000


def chain(context: Context) -> Iterator[int]:
    """The sizes of all blocks that others look through."""
    block = context.get("blocks")
    while block:
        yield ctypes.c_uint64.from_address(block + 16).value
        block = ctypes.c_uint64.from_address(block + 8).value


def parked(context: Context) -> list[int]:
    """The sizes of all blocks that are parked."""
    found: list[int] = []
    for k in range(129):
        block = context.words[PARKED + k]
        while block:
            found.append(ctypes.c_uint64.from_address(block + 16).value)
            assert found[-1] == 64 * k
            block = ctypes.c_uint64.from_address(block + 24).value
    return found


def limited(memory: str) -> tuple[rg.Function, Budgeted]:
    made = rg.grad(relaxed, memory=memory)
    made(X, 3)
    ((_, runner),) = made.made.values()
    assert isinstance(runner, Budgeted)
    return made, runner


def test_blocks_are_parked_and_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, runner = limited("6MB")
    want = rg.grad(relaxed)(X, MANY)
    counts: list[int] = []
    waiting: list[int] = []
    do = Run.do

    def watched(run: Any, action: Action) -> Observation:
        seen = do(run, action)
        if isinstance(action, Save):
            assert len(list(chain(run.machine.context))) < 2_700  # 4 MiB
            waiting.append(len(parked(run.machine.context)))
        return seen

    monkeypatch.setattr(Run, "do", watched)
    for _ in range(3):
        np.testing.assert_array_equal(gradient(X, MANY), want)
        (context,) = runner.code.pool
        sizes = parked(context)
        assert sum(sizes) == context.get("parked")
        everything = sum(sizes) + sum(chain(context))
        assert everything == context.get("held")
        assert runner.last is not None
        assert everything <= runner.last.peak + 2**20
        counts.append(everything)
    assert counts[2] <= 1.05 * counts[1]
    assert max(waiting) > 1000


def test_other_sizes_do_not_come_on_top() -> None:
    """Blocks that wait in vain go back to the system before more than the budget is taken."""
    gradient, runner = limited("9MB")
    for n in (200, 310, 170, 450):
        x = np.linspace(-1.0, 1.0, n)
        np.testing.assert_array_equal(gradient(x, MANY), rg.grad(relaxed)(x, MANY))
        (context,) = runner.code.pool
        assert context.get("held") == context.get("parked") + sum(chain(context)) <= 9_000_000


def test_what_is_kept_for_the_next_call_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_KEEP", 10**6)
    gradient, runner = limited("6MB")
    gradient(X, MANY)
    (context,) = runner.code.pool
    assert parked(context) == []
    assert context.get("parked") == 0
