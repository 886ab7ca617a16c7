"""The rows of docs/semantics.md, one by one, in native code."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import RetrogradError

BIG = 2**62
factor = 2.0


def divide(x, y):
    return x / y


def power(x, y):
    return x**y


def logarithm(x):
    return math.log(x)


def add(i, j):
    return i + j


def product(i, j):
    return i * j


def floor_and_rest(i, j):
    return i // j, i % j


def joined(n):
    total = 0
    for _ in range(n):
        total = total + 0.5
    return total


def first_true(x, y):
    return x or y


def second_true(x, y):
    return x and y


def python_max(x, y):
    return max(x, y)


def numpy_max(x, y):
    return np.maximum(x, y)


def maybe_bound(flag):
    if flag:
        y = 1.0
    return y


def last_index(n):
    i = -1
    for i in range(n):
        pass
    return i


def shifted(x):
    x[1:] = x[:-1]
    return x[0]


def written_through_a_view(x):
    view = x[1:]
    view[0] = 7.0
    alias = x
    alias[0] = 5.0
    return x[0] + x[1]


def scaled(x):
    return factor * x


def at(x, i):
    return x[i]


@pytest.mark.parametrize(
    ("x", "y", "result"), [(1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (0.0, 0.0, math.nan)]
)
def test_float_division_by_zero_follows_numpy(x: float, y: float, result: float) -> None:
    np.testing.assert_equal(rg.jit(divide)(x, y), result)


def test_domain_errors_of_floats_are_nan() -> None:
    assert math.isnan(rg.jit(logarithm)(-1.0))
    assert rg.jit(logarithm)(0.0) == -math.inf
    assert math.isnan(rg.jit(power)(-2.0, 0.5))


def test_integers_overflow_with_an_error() -> None:
    with pytest.raises(OverflowError):
        rg.jit(add)(BIG, BIG)
    with pytest.raises(OverflowError):
        rg.jit(product)(BIG, 4)
    assert rg.jit(add)(BIG, -BIG) == 0


@pytest.mark.parametrize(("i", "j"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3)])
def test_integer_division_rounds_down(i: int, j: int) -> None:
    assert rg.jit(floor_and_rest)(i, j) == floor_and_rest(i, j)


def test_integer_division_by_zero_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        rg.jit(floor_and_rest)(1, 0)
    with pytest.raises(ZeroDivisionError):
        rg.jit(divide)(1, 0)


def test_integer_arrays_wrap() -> None:
    largest = np.array([2**63 - 1])
    assert rg.jit(add)(largest, np.array([1]))[0] == -(2**63)


def test_integers_that_become_floats_are_floats() -> None:
    assert rg.jit(joined)(4) == 2.0
    assert isinstance(rg.jit(joined)(0), float)


@pytest.mark.parametrize(("x", "y"), [(0.0, 2.0), (3.0, 2.0), (0.0, 0.0)])
def test_and_or_give_values(x: float, y: float) -> None:
    assert rg.jit(first_true)(x, y) == first_true(x, y)
    assert rg.jit(second_true)(x, y) == second_true(x, y)


@pytest.mark.parametrize(("x", "y"), [(1.0, 2.0), (math.nan, 1.0), (1.0, math.nan), (2.0, 2.0)])
def test_max_of_python_and_of_numpy(x: float, y: float) -> None:
    np.testing.assert_equal(rg.jit(python_max)(x, y), max(x, y))
    np.testing.assert_equal(rg.jit(numpy_max)(x, y), np.maximum(x, y))


def test_at_a_tie_each_side_gets_half() -> None:
    assert rg.grad(numpy_max, argnums=(0, 1))(2.0, 2.0) == (0.5, 0.5)


def test_an_unbound_name_raises_only_where_it_is_read() -> None:
    assert rg.jit(maybe_bound)(True) == 1.0
    with pytest.raises(UnboundLocalError):
        rg.jit(maybe_bound)(False)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_loop_variable_stays(n: int) -> None:
    assert rg.jit(last_index)(n) == last_index(n)


def test_overlapping_slices_read_before_they_write() -> None:
    x = np.arange(4.0)
    rg.jit(shifted)(x)
    np.testing.assert_array_equal(x, [0.0, 0.0, 1.0, 2.0])


def test_views_and_aliases_write_through() -> None:
    x = np.zeros(3)
    assert rg.jit(written_through_a_view)(x) == 12.0
    np.testing.assert_array_equal(x, [5.0, 7.0, 0.0])


def test_derivatives_leave_arguments_alone() -> None:
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(rg.grad(shifted)(x), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])


def test_globals_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    native = rg.jit(scaled)
    assert native(3.0) == 6.0
    monkeypatch.setitem(globals(), "factor", 5.0)
    assert native(3.0) == 15.0


def test_indices_are_checked() -> None:
    x = np.arange(3.0)
    assert rg.jit(at)(x, -1) == 2.0
    with pytest.raises(IndexError):
        rg.jit(at)(x, 3)
    with pytest.raises(IndexError):
        rg.jit(at)(x, -4)


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (lambda x: abs(x), 0.0, 0.0),
        (lambda x: np.sqrt(x), 0.0, math.inf),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: np.floor(x), 0.5, 0.0),
        (lambda x: np.sign(x), 0.5, 0.0),
    ],
    ids=["abs", "sqrt", "power", "floor", "sign"],
)
def test_derivatives_at_kinks_follow_the_table(f, x: float, slope: float) -> None:
    assert rg.grad(f)(x) == slope


def test_the_truth_of_an_array_is_refused() -> None:
    def f(x):
        return 1.0 if x > 0 else 2.0

    with pytest.raises(RetrogradError):
        rg.jit(f)(np.ones(3))
