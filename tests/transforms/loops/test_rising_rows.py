"""Products with sparse matrices by rows: gradients where the rows rise, and where they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.loops.rising_rows import store_rising_rows

RNG = np.random.default_rng(5)
VALUES, X = RNG.normal(size=90), RNG.normal(size=11)
COLUMNS = RNG.integers(-11, 11, 90)
STARTS = {
    "all": np.arange(0, 91, 1),
    "some": np.array([3, 3, 10, 40, 40, 77]),
    "overlapping": np.array([3, 10, 7, 40, 20, 77]),
    "from the end": np.array([-5, 3, 8, 20]),
    "more than a block": np.sort(RNG.integers(0, 91, 200)),
    "none": np.array([4]),
    "no starts": np.array([], dtype=np.int64),
}


def cost(values: np.ndarray, x: np.ndarray, starts: np.ndarray, columns: np.ndarray) -> float:
    def of_row(row: int) -> float:
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * x[columns[at]]
        return total

    product = rg.build(len(starts) - 1, of_row)
    return 0.5 * np.sum(product * product)


def by_hand(starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values_bar, x_bar = np.zeros_like(VALUES), np.zeros_like(X)
    for row in range(len(starts) - 1):
        every = range(starts[row], starts[row + 1])
        y = sum(VALUES[at] * X[COLUMNS[at]] for at in every)
        for at in every:
            values_bar[at] += y * X[COLUMNS[at]]
            x_bar[COLUMNS[at]] += y * VALUES[at]
    return values_bar, x_bar


SLOPES = rg.grad(cost, argnums=(0, 1))
IN_BYTES = rg.grad(cost, argnums=(0, 1), memory="40kB")


@pytest.mark.parametrize("name", STARTS)
def test_the_gradient_is_that_of_the_sum(name: str) -> None:
    starts = STARTS[name]
    found = SLOPES(VALUES, X, starts, COLUMNS)
    for one, other in zip(found, by_hand(starts), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)
    within = IN_BYTES(VALUES, X, starts, COLUMNS)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(found, within, strict=True))


@pytest.mark.parametrize("starts", [[0, 3, 91], [-91, 3], [0, 90, 92, 90]])
def test_rows_beyond_the_array_are_the_users_error(starts: list[int]) -> None:
    with pytest.raises(IndexError):
        SLOPES(VALUES, X, np.array(starts), COLUMNS)


BEFORE = (
    (Path(__file__).parents[1] / "golden" / "rising-rows.txt")
    .read_text()
    .partition("--- before\n")[2]
    .partition("\n--- ")[0]
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("c, v, at)", "c, v, i)"),  # the same elements in each row
        ("add(r, 1)", "add(r, 2)"),  # rows that overlap
        ("wrap(p, n)", "wrap(p, m)"),  # another array's extent
        ("range_len(low, high, 1)", "range_len(low, high, 2)"),
        ("add(low, i)", "sub(low, i)"),
        ("          yield d\n", "          q: f64 = index(d, 0; checked=true)\n"
         "          e: f64[1] = add_at(d, q, at)\n          yield e\n"),
        ("      yield b\n", "      g: f64[1] = update(b, v, 0; checked=true)\n      yield g\n"),
        ("starts, r;", "starts, rows;"),
    ],
)  # fmt: skip
def test_other_nests_stay_as_they_are(old: str, new: str) -> None:
    assert BEFORE.count(old) == 1
    program = parse_program(BEFORE.replace(old, new))
    check_program(program, DEFAULT)
    made = store_rising_rows(program, supply_for(program), DEFAULT)
    assert print_program(made) == print_program(program)


def starts_that_change(values: np.ndarray, starts: np.ndarray) -> float:
    starts, total = starts.copy(), 0.0
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            total += np.sin(values[at])
        starts[row + 1] -= 1
    return total * total


def rows_again_and_again(values: np.ndarray, starts: np.ndarray) -> float:
    total = 0.0
    for times in range(3):
        for row in range(len(starts) - 1):
            for at in range(starts[row], starts[row + 1]):
                total = 0.9 * total + times * np.sin(values[at])
    return total


@pytest.mark.parametrize("f", [starts_that_change, rows_again_and_again])
def test_elements_that_are_met_several_times(f: Callable[..., float]) -> None:
    starts, step = np.array([0, 3, 3, 7, 12]), 1e-6
    values = VALUES[:12]
    ends = [[f(values + sign * step * e, starts) for sign in (1, -1)] for e in np.eye(12)]
    expected = [(one - other) / (2 * step) for one, other in ends]
    np.testing.assert_allclose(rg.grad(f)(values, starts), expected, rtol=1e-6, atol=1e-8)
