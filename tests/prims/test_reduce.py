"""The order of summation, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from retrograd.prims import DEFAULT
from retrograd.prims.reduce import BLOCK, LANES, lane_sum


def serial(values: list[float]) -> float:
    total = 0.0
    for v in values:
        total += v
    return total


def by_the_book(values: list[float]) -> float:
    if len(values) < 32:
        return serial(values)
    total = 0.0
    for start in range(0, len(values), 8192):
        block = values[start : start + 8192]
        lanes = [serial(block[lane::32]) for lane in range(32)]
        for half in (16, 8, 4, 2, 1):
            lanes = [lanes[k] + lanes[k + half] for k in range(half)]
        total += lanes[0]
    return total


def data(count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    return rng.standard_normal(count) * 10.0 ** rng.integers(-8, 9, count)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 1000, BLOCK, BLOCK + 5, 2 * BLOCK + 77])
def test_a_run_has_one_order(count: int) -> None:
    x = data(count)
    assert lane_sum(x) == by_the_book(x.tolist())
    assert lane_sum(x) == pytest.approx(math.fsum(x), rel=1e-6, abs=1e-3)


def test_rows_are_runs_and_other_axes_are_serial() -> None:
    x = data(3 * 100).reshape(3, 100)

    def total(axes: tuple[int, ...]) -> np.ndarray:
        return DEFAULT["reduce_sum"].eval((x,), (("axes", axes), ("keepdims", False)))[0]

    assert total((1,)).tolist() == [by_the_book(row.tolist()) for row in x]
    assert total((0,)).tolist() == [serial(column.tolist()) for column in x.T]
    assert total((0, 1)) == by_the_book(x.reshape(-1).tolist())


def test_sum_like_to_a_scalar_is_one_run() -> None:
    x = data(200).reshape(2, 100)
    assert DEFAULT["sum_like"].eval((x, 0.0), ())[0] == by_the_book(x.reshape(-1).tolist())


def test_dot_products_are_fused_into_the_lanes() -> None:
    x, y = np.full(LANES, 1.0 + 2.0**-30), np.full(LANES, 1.0 - 2.0**-30)
    exact = LANES * (1.0 - 2.0**-60)
    assert DEFAULT["matmul"].eval((x, y), ())[0] == exact
    long = np.tile(x, 2)
    lane = math.fsum([1.0, 1.0, -(2.0**-59)])
    assert DEFAULT["matmul"].eval((long, np.tile(y, 2)), ())[0] == LANES * lane
