"""Large free blocks: the next array of just that size gets one, and none is held for long."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Iterator

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.runner import Runner
from retrograd.runtime.context import Context, Kept


def large(context: Context) -> Iterator[int]:
    """The sizes of all large blocks that are free."""
    block = context.get("large")
    while block:
        yield ctypes.c_uint64.from_address(block + 16).value
        block = ctypes.c_uint64.from_address(block + 24).value


def used(made: rg.Function) -> Context:
    """The context of the last call, whose counts are right."""
    ((_, runner),) = made.made.values()
    assert isinstance(runner, Runner)
    (context,) = runner.pool
    sizes = list(large(context))
    assert sum(sizes) == context.get("large_bytes")
    assert len(sizes) == context.get("large_count")
    return context


def moved(x, n):
    for k in range(n):
        y = x * 0.5
        z = np.zeros(len(x) + k % 1)
        z[k] = y[k]
        x = x + z
    return np.sum(x)


def growing(x, n):
    total = 0.0
    for k in range(n):
        y = np.zeros(len(x) + 100 * k)
        y[k] = x[k]
        total += np.sum(y)
    return total


def test_arrays_of_one_size_are_used_again() -> None:
    made, x = rg.jit(moved), np.linspace(0.0, 1.0, 40_000)
    want = made(x, 50)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    allocated = used(made).get("allocations")
    assert made(x, 50) == want
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    context = used(made)
    assert context.get("allocations") - allocated >= 100
    assert faults < 100 * 40_000 * 8 / 4096 / 10
    assert set(large(context)) == {40_000 * 8}
    assert len(list(large(context))) <= 4
    np.testing.assert_allclose(want, moved(x, 50), rtol=1e-12)


def test_only_a_few_of_other_sizes_are_held() -> None:
    made, x = rg.jit(growing), np.linspace(0.0, 1.0, 20_000)
    np.testing.assert_allclose(made(x, 300), growing(x, 300), rtol=1e-12)
    assert 0 < len(list(large(used(made)))) <= 64


def test_small_arrays_are_none_of_them() -> None:
    made, x = rg.jit(moved), np.linspace(0.0, 1.0, 8_000)
    made(x, 20)
    assert not list(large(used(made)))


def test_not_much_is_kept_for_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograd.runtime.context._KEEP_LARGE", 10_000_000)
    monkeypatch.setattr("retrograd.runtime.context.KEPT", Kept(0))
    made, x = rg.jit(moved), np.linspace(0.0, 1.0, 2_000_000)
    made(x, 3)
    assert used(made).get("large_bytes") <= 10_000_000
    assert made(x, 3) == made(x, 3)


def test_more_is_kept_where_the_machine_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograd.runtime.context._KEEP_LARGE", 10_000_000)
    monkeypatch.setattr("retrograd.runtime.context.KEPT", Kept(200_000_000))
    made, x = rg.jit(moved), np.linspace(0.0, 1.0, 2_000_000)
    made(x, 3)
    assert 10_000_000 < used(made).get("large_bytes") <= 200_000_000


@pytest.mark.parametrize("memory", ["3MB", "8MB", "40MB"])
def test_they_count_in_a_budget(memory: str) -> None:
    """What is held stays below the limit, however much of it is free."""
    x = np.linspace(0.0, 1.0, 20_000)
    want = rg.grad(moved)(x, 40)
    gradient = rg.grad(moved, memory=memory)
    for _ in range(3):
        np.testing.assert_array_equal(gradient(x, 40), want)
    ((_, runner),) = gradient.made.values()
    (context,) = runner.code.pool
    limit = int(memory[:-2]) * 10**6
    assert sum(large(context)) == context.get("large_bytes") <= limit // 8
    assert context.get("held") <= limit


def test_an_error_leaves_none_behind_that_is_in_use() -> None:
    def failing(x, n):
        y = x * 2.0
        z = y + x
        return z[n]

    made, x = rg.jit(failing), np.linspace(0.0, 1.0, 20_000)
    for n in (20_000, 3, 20_000, 4):
        if n < 20_000:
            assert made(x, n) == 3.0 * x[n]
        else:
            with pytest.raises(IndexError):
                made(x, n)
    context = used(made)
    assert len(set(large(context))) <= 1
    assert context.get("live") in (0, 160_000)
