"""A context through which only numbers go is not prepared anew for each call."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.runner import Runner


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def summed(n: int) -> float:
    """Has an array inside, and none outside."""
    a = np.zeros(n)
    for i in range(n):
        a[i] = 1.0 / (1.0 + i)
    if n == 13:
        raise ValueError("thirteen")
    return float(np.sum(a))


def test_after_exceptions_calls_are_what_they_were() -> None:
    f = rg.jit(summed)
    want = [f(n) for n in range(13)]
    for _ in range(3):
        with pytest.raises(ValueError, match="thirteen"):
            f(13)
        with pytest.raises(ValueError, match="negative dimensions"):
            f(-1)
        assert [f(n) for n in range(13)] == want


def test_the_stack_is_that_of_the_thread() -> None:
    f = rg.jit(depth)
    found: list[int] = []

    def deep() -> None:
        try:
            found.append(f(20_000))
        except RecursionError:
            found.append(-1)
        found.append(f(10))

    assert f(20_000) == 20_000
    size = threading.stack_size(1 << 19)  # half a MiB: too little for that depth
    try:
        thread = threading.Thread(target=deep)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert found == [-1, 10]
    assert f(20_000) == 20_000


def test_arrays_inside_are_given_back() -> None:
    f = rg.jit(summed)
    for _ in range(50):
        f(1000)
    (_, runner, _), *_ = f.quick.values()
    assert isinstance(runner, Runner)
    (context,) = runner.pool
    assert context.get("live") == 0
