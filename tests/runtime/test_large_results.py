"""Large results are blocks of native code's, which arrays have taken over."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg

N = 100_000


def both(x: Any, y: Any) -> tuple[Any, Any]:
    return x * y, x + y


def test_elements_are_right_and_stay_when_the_next_call_has_run() -> None:
    f = rg.jit(both)
    x = np.arange(float(N))
    first = f(x, 2.0 * x)
    second = f(x + 1.0, x)
    assert np.array_equal(first[0], 2.0 * x * x)
    assert np.array_equal(first[1], 3.0 * x)
    assert np.array_equal(second[1], x + x + 1.0)


def test_arrays_are_as_others_are() -> None:
    product, _ = rg.jit(both)(np.ones(N), np.arange(float(N)))
    assert product.flags.c_contiguous
    assert product.flags.writeable
    assert product.flags.aligned
    assert product.dtype == np.dtype(np.float64)
    product[0] = 5.0
    assert np.array_equal(pickle.loads(pickle.dumps(product)), product)


def test_a_view_keeps_the_block() -> None:
    f = rg.jit(both)
    view = f(np.ones(N), np.arange(float(N)))[0][1::2]
    gc.collect()
    for _ in range(3):
        f(np.zeros(N), np.zeros(N))
    assert np.array_equal(view, np.arange(float(N))[1::2])


@pytest.mark.parametrize("count", [1, 3])
def test_blocks_are_freed_with_the_arrays(count: int) -> None:
    """A hundred calls, with some of the results kept for a while, grow by less than ten results."""
    gradient = rg.grad(lambda x: np.sum(x * x * x))
    x = np.arange(4.0 * N)
    kept: list[Any] = []

    def calls(times: int) -> None:
        for _ in range(times):
            kept.append(gradient(x))
            del kept[:-count]

    calls(10)
    before = resident()
    calls(100)
    assert resident() - before < 10 * x.nbytes
    assert np.array_equal(kept[-1], 3.0 * x * x)


def test_what_is_updated_in_place_is_the_callers() -> None:
    def doubled(x: Any) -> Any:
        for i in range(len(x)):
            x[i] = 2.0 * x[i]
        return x

    x = np.ones(N)
    y = rg.jit(doubled)(x)
    assert np.array_equal(y, np.full(N, 2.0))
    assert np.array_equal(x, y)


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
