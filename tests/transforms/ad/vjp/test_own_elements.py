"""Both sweeps of a map whose elements decide their own cotangents, as in a sum of squares."""

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
from retrograd.ir.terms import For, If, Program
from retrograd.transforms.driver import PLAIN


def rows(values, x, starts, columns):
    """A sparse matrix by rows, times a vector."""

    def of_row(row):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * x[columns[at]]
        return total

    return rg.build(len(starts) - 1, of_row)


def squares(values, x, starts, columns):
    product = rows(values, x, starts, columns)
    return 0.5 * np.sum(product * product)


def misfit(values, x, starts, columns):
    """Cotangents that are a chain of operations, some of which depend on no element."""
    made = rows(values, x, starts, columns)
    return np.sum(np.log1p((made - x[0]) ** 2) * np.exp(-0.1 * made))


def written(values, x, starts, columns):
    """The same, written out, with a number of the whole that every row uses."""
    n = len(starts) - 1
    scale = x[0] * x[1]
    out = np.zeros(n)
    for row in range(n):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += scale * values[at] * x[columns[at]]
        out[row] = total * scale
    return np.sum(out * out)


def contracted(values, x, starts, columns):
    """Where a product of the cotangent meets a sum, an array and an element may round it twice."""
    made = rows(values, x, starts, columns)
    return np.sum(made * made * x[0] + made * x[1])


def of_others(values, x, starts, columns):
    """The cotangent of an element is that of two of them."""
    made = rows(values, x, starts, columns)
    return np.sum(made[1:] * made[:-1])


def of_all(values, x, starts, columns):
    made = rows(values, x, starts, columns)
    return np.sum(made * made) / (1.0 + np.sum(made))


PROGRAMS = (squares, misfit, written, contracted, of_others, of_all)
JOINED = (squares, written)


def arguments(count: int, width: int = 7) -> tuple[Any, ...]:
    rng = np.random.default_rng(count)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, count))])
    columns = rng.integers(0, width, starts[-1])
    return rng.normal(size=starts[-1]), rng.uniform(0.5, 1.5, width), starts, columns


def task_of(f: Callable[..., Any]) -> Task:
    derived = rg.value_and_grad(f, argnums=(0, 1))
    return prepare(derived, specs_of(arguments(5)), {}, derivative=False).task


def joined(program: Program) -> int:
    """Loops of the entry itself that do both sweeps, a block of iterations after the other; of two
    versions the first."""
    versions = [
        s.expr.then.stms if isinstance(s.expr, If) else (s,) for s in program.main.body.stms
    ]
    loops = [s.expr for stms in versions for s in stms if isinstance(s.expr, For)]
    inner = [[i for i in loop.body.stms if isinstance(i.expr, For | If)] for loop in loops]
    return sum(loop.descending and len(i) == 2 for loop, i in zip(loops, inner, strict=True))


@pytest.mark.parametrize("f", PROGRAMS)
def test_which_sweeps_are_joined(f: Callable[..., Any]) -> None:
    assert joined(PLAIN.run(task_of(f).program, known(), check=True)) == (f in JOINED)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_bits_are_those_of_sweeps_that_are_apart(f: Callable[..., Any]) -> None:
    both = rg.value_and_grad(f, argnums=(0, 1))
    for count in (1, 2, 63, 64, 65, 200):
        args = arguments(count)
        value, found = both(*args)
        with_budget = rg.value_and_grad(f, argnums=(0, 1), memory="1MB")(*args)
        assert (value, *map(np.ndarray.tobytes, found)) == (
            with_budget[0], *map(np.ndarray.tobytes, with_budget[1])
        )  # fmt: skip
        assert np.isclose(value, f(*args), rtol=1e-13)
    args = arguments(20)
    rg.check_grads(lambda v, x: f(v, x, *args[2:]), args[:2], order=1)


def test_no_rows() -> None:
    value, (values_bar, x_bar) = rg.value_and_grad(squares, argnums=(0, 1))(*arguments(0))
    assert value == 0.0
    assert values_bar.shape == (0,)
    assert not x_bar.any()


def test_the_first_row_that_fails_counts() -> None:
    values, x, starts, columns = arguments(150)
    for row, other in ((10, 140), (140, 10)):
        bad = columns.copy()
        bad[starts[row]], bad[starts[other]] = 8, -9
        with pytest.raises(IndexError) as expected:
            rg.jit(squares)(values, x, starts, bad)
        with pytest.raises(IndexError) as caught:
            rg.value_and_grad(squares, argnums=(0, 1))(values, x, starts, bad)
        assert str(caught.value) == str(expected.value)
