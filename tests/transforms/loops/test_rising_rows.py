"""Products with sparse matrices by rows: gradients where the rows rise, and where they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.loops.rising_rows import store_rising_rows

pytestmark = pytest.mark.thinned(2)

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


PARTS = """
program main

function part(k: i64, n: i64, step: i64, size: i64, v: f64, a: f64[1], b: f64[1]) -> \
(f64, f64[1], f64[1]):
  low: i64 = mul(k, step)
  all: i64 = add(low, size)
  high: i64 = imin(all, n)
  length: i64 = sub(high, low)
  x: f64, c: f64[1], d: f64[1] = for i < length with (u: f64 = v, p: f64[1] = a, q: f64[1] = b):
      at: i64 = add(low, i)
      s: f64 = mul(u, 0.5)
      t: f64 = add(s, 1.0)
      e: f64[1] = add_at(p, t, at)
      f: f64[1] = add_at(q, s, at)
      yield t, e, f
  return x, c, d

function main(n: i64, parts: i64, step: i64, size: i64) -> (f64[1], f64[1]):
  z: f64[1] = zeros(n; dtype="f64")
  w: f64[1] = zeros(n; dtype="f64")
  x: f64, y: f64[1], o: f64[1] = for k < parts with (u: f64 = 1.0, a: f64[1] = z, b: f64[1] = w):
      v: f64, c: f64[1], d: f64[1] = call part(k, n, step, size, u, a, b)
      yield v, c, d
  return y, o
""".replace("\\\n", "")
IN_PARTS = store_rising_rows(parse_program(PARTS), supply_for(parse_program(PARTS)), DEFAULT)


@pytest.mark.parametrize(
    "sizes",
    [
        (10, 4, 3, 3),  # the last part is shorter
        (10, 3, 3, 3),  # and left out
        (10, 3, 3, 2),  # gaps
        (10, 3, 3, 4),  # overlaps
        (10, 4, 0, 4),  # the same part again and again
        (9, 0, 3, 3),
        (0, 2, 3, 3),
        (9, 4, 3, 3),  # the last part is empty
        (6, 5, 3, 3),  # and one begins after the end
    ],
)
def test_parts_are_filled_as_they_were(sizes: tuple[int, ...]) -> None:
    found = run(IN_PARTS, list(sizes), DEFAULT)
    expected = run(parse_program(PARTS), list(sizes), DEFAULT)
    assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]


def test_both_arrays_are_stored_in_one_nest() -> None:
    check_program(IN_PARTS, DEFAULT)
    text = print_program(IN_PARTS)
    assert text.count("zeros_around(") == text.count(" = update(") == 2
    assert text.count("call part(") == 1  # where the parts do not lie one after the other


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add(low, i)", "add(low, low)"),
        ("mul(k, step)", "imul(k, step; span=none)"),  # may raise
        ("      e: f64[1] = add_at(p, t, at)\n", "      m: f64[1] = add_at(p, t, at)\n"
         "      e: f64[1] = add_at(m, t, at)\n"),
        ("      v: f64, c", "      g: f64 = index(a, k; checked=true)\n      v: f64, c"),
    ],
)  # fmt: skip
def test_other_parts_stay_as_they_are(old: str, new: str) -> None:
    assert PARTS.count(old) == 1
    program = parse_program(PARTS.replace(old, new))
    check_program(program, DEFAULT)
    made = print_program(store_rising_rows(program, supply_for(program), DEFAULT))
    assert made.count(" = update(") <= 1  # of the array that this does not concern


@pytest.mark.parametrize("n", [0, 1, 1024, 2500])
def test_gradients_of_scans(n: int) -> None:
    def shifts(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
        def then(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
            return first[0] * second[0], second[0] * first[1] + second[1]

        return np.sum(w * rg.scan(then, (1.0, 0.0), a, b)[1])

    a, b, w = RNG.uniform(0.9, 1.0, n), RNG.normal(size=n), RNG.normal(size=n)
    a_bar, b_bar, carried, x = np.zeros(n), np.zeros(n), 0.0, np.zeros(n + 1)
    for i in range(n):
        x[i + 1] = a[i] * x[i] + b[i]
    for i in reversed(range(n)):
        carried = b_bar[i] = carried + w[i]
        a_bar[i], carried = carried * x[i], carried * a[i]
    found = rg.grad(shifts, argnums=(0, 1))(a, b, w)
    np.testing.assert_allclose(found[0], a_bar, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found[1], b_bar, rtol=1e-11, atol=1e-11)


def in_parts(values: np.ndarray, step: int, size: int) -> float:
    total = 0.0
    for k in range((len(values) + step - 1) // step):
        for i in range(k * step, min(k * step + size, len(values))):
            total = 0.9 * total + np.sin(values[i]) * total + values[i]
    return total


@pytest.mark.parametrize("size", [3, 2, 4])
def test_parts_that_users_write(size: int) -> None:
    step, values = 1e-6, VALUES[:11]
    ends = [[in_parts(values + s * step * e, 3, size) for s in (1, -1)] for e in np.eye(11)]
    expected = [(one - other) / (2 * step) for one, other in ends]
    found = rg.grad(in_parts)(values, 3, size)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


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
