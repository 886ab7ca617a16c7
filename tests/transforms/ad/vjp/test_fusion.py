"""Both sweeps of a map in one loop: when, with which bits, and which exception is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import specs_of
from retrograd.ir.check import check_program
from retrograd.ir.terms import For, Program
from retrograd.transforms.ad.vjp.fusion import out_of_order, value_only
from retrograd.transforms.driver import INTERRUPTIBLE, PLAIN

pytestmark = pytest.mark.thinned(2)

N = 9
TABLE = np.sort(np.random.default_rng(0).uniform(size=20))
X = np.random.default_rng(1).uniform(size=N)
PLACES = np.arange(N)


def interval(grid, at):
    low, high = 0, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if grid[middle] <= at:
            low = middle
        else:
            high = middle
    return low


def looked_up(table, x, places):
    """A sum over a map whose elements have loops, a search and checks in them."""

    def element(v, k):
        total = 0.0
        for j in range(3):
            low = interval(table, v * (j + 1) / 3)
            total += np.sin(table[low] * v) * table[k]
            if total > 1e3:
                raise ValueError("too large")
        return total * total

    return np.sum(rg.map(element, x, places))


def of_rows(rows, table):
    """Rows instead of numbers, and a result that is not the sum itself."""

    def element(row):
        made = np.zeros(3)
        for j in range(3):
            made[j] = np.sin(row[j] * table[interval(table, row[j])])
        return made

    return np.exp(0.1 * np.sum(rg.map(element, rows)))


def sines(table, x, places):
    def element(v, k):
        total = 0.0
        for j in range(3):
            total += np.sin(table[interval(table, v * (j + 1) / 3)] * v) * table[k]
        return total

    return rg.map(element, x, places)


def of_squares(table, x, places):
    """The cotangent of each element depends on that element."""
    made = sines(table, x, places)
    return np.sum(made * made)


def of_shares(table, x, places):
    """The cotangents of the elements are known when all of them are."""
    made = sines(table, x, places)
    return np.sum(made * made) / (1.0 + np.sum(made))


def one_of_all(table, x, places):
    """One element matters: its reverse is one iteration."""
    return sines(table, x, places)[4]


def gradient_task(f: Callable[..., Any], args: tuple[Any, ...]) -> Task:
    specs = specs_of(args)
    return prepare(rg.value_and_grad(f, argnums=(0, 1)), specs, {}, derivative=False).task


def joined(program: Program) -> int:
    """Loops of the entry itself that run from the last iteration to the first."""
    loops = (s.expr for s in program.main.body.stms)
    return sum(isinstance(loop, For) and loop.descending for loop in loops)


SEARCHES = (looked_up, (TABLE, X, PLACES)), (of_squares, (TABLE, X, PLACES))


def test_an_element_is_run_once_where_its_cotangent_is_known() -> None:
    task = gradient_task(*SEARCHES[0])
    program = PLAIN.run(task.program, known(), check=True)
    assert joined(program) == 1
    assert out_of_order(program, known())
    assert joined(INTERRUPTIBLE.run(task.program, known())) == 0


def test_an_element_is_run_once_where_it_decides_its_cotangent() -> None:
    task = gradient_task(*SEARCHES[1])
    assert joined(PLAIN.run(task.program, known(), check=True)) == 1
    assert joined(INTERRUPTIBLE.run(task.program, known())) == 0


@pytest.mark.parametrize("f", [of_shares, one_of_all])
def test_loops_that_need_all_elements_or_one_stay_apart(f: Callable[..., Any]) -> None:
    task = gradient_task(f, (TABLE, X, PLACES))
    assert joined(PLAIN.run(task.program, known(), check=True)) == 0


def test_what_is_run_after_a_failure_has_no_derivative() -> None:
    task = gradient_task(*SEARCHES[0])
    value = value_only(task.program, known())
    check_program(value, known())
    assert value.main.params == task.program.main.params
    assert value.main.result_types == ()


@pytest.mark.parametrize(
    ("f", "args"),
    [*SEARCHES, (of_rows, (X.reshape(3, 3), TABLE))],
    ids=["numbers", "squares", "rows"],
)
def test_all_variants_have_the_same_bits(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    both = rg.value_and_grad(f, argnums=(0, 1))
    value, found = both(*args)
    other, expected = rg.value_and_grad(f, argnums=(0, 1), memory="1MB")(*args)
    assert (value, *map(np.ndarray.tobytes, found)) == (
        other, *map(np.ndarray.tobytes, expected)
    )  # fmt: skip
    assert value == rg.jit(f)(*args)
    assert np.isclose(value, f(*args), rtol=1e-14)
    rg.check_grads(lambda a, b: f(a, b, *args[2:]), args[:2], order=1)


def raised(f: Callable[..., Any], *args: Any) -> tuple[type[BaseException], str]:
    with pytest.raises((IndexError, ValueError)) as caught:
        f(*args)
    return caught.type, str(caught.value)


@pytest.mark.parametrize(("large", "outside"), [(3, 6), (6, 3), (4, 4), (0, N - 1), (N - 1, 0)])
def test_the_first_element_that_fails_counts(large: int, outside: int) -> None:
    x, places = X.copy(), PLACES.copy()
    table = np.append(TABLE[:-1], 1e4)
    places[:], places[large], places[outside] = 1, len(TABLE) - 1, len(TABLE)
    x[large] = 1.5
    expected = raised(looked_up, table, x, places)
    assert raised(BOTH, table, x, places) == expected
    value, _ = BOTH(TABLE, X, PLACES)  # and what is called afterwards works
    assert np.isclose(value, looked_up(TABLE, X, PLACES), rtol=1e-14)


BOTH = rg.value_and_grad(looked_up, argnums=(0, 1))
