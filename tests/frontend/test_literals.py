"""Literal ints through calls: kept where a function needs to know them, and only there."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, interpreted, traced

A = np.arange(6.0).reshape(2, 3) + 0.5


def along(a, axis):
    return np.sum(a, axis=axis)


def axes(a):
    return along(a, 0)[1] * along(a, -1)[0] + np.sum(along(a, 1) ** 2)


def shaped(z, rank):
    if rank == 1:
        return z * 2.0
    return z[0]


def by_rank(z):
    return np.sum(shaped(z, z.ndim) ** 2)


def item(values, k):
    return values[k]


def by_length(x):
    pair = (x, np.array([x, 2.0 * x]))
    return item(pair, len(pair) - 1).sum() * item(pair, -2)


def outer_power(x, n):
    if n == 0:
        return x
    return outer_power(np.outer(x, x).ravel(), n - 1)


def nested(x):
    return np.sum(outer_power(np.array([x, 2.0]), 2))


@pytest.mark.parametrize(
    ("f", "arg"), [(axes, A), (by_rank, A), (by_rank, A[0]), (by_length, 1.5), (nested, 1.5)]
)
def test_functions_that_need_to_know_an_int(f, arg):
    agree(f, arg)
    slope = rg.grad(f)(arg)
    step = 1e-6 * np.ones_like(arg)
    near = (f(arg + step) - f(arg - step)) / 2e-6
    assert np.sum(slope) == pytest.approx(near, rel=1e-7)
    assert np.array_equal(slope, rg.grad(f, memory="8kB")(arg))


def fib(n, x):
    return x if n < 2 else fib(n - 1, x) + fib(n - 2, x)


def test_a_recursion_is_not_unfolded():
    agree(lambda x: fib(7, x), 1.5)
    assert len(traced(lambda x: fib(7, x), 1.5).program.functions) == 2


def scaled(x, n):
    return x * n


def test_sizes_do_not_become_part_of_functions():
    def f(x):
        return scaled(x, 2) + scaled(x, 3) + scaled(x, 4)

    agree(f, 1.5)
    assert len(traced(f, 1.5).program.functions) == 2


class Point:
    def __init__(self, x):
        self.x = x

    def is_point(self):
        return True

    def minus(self, other):
        return Vector(self.x - other.x, 1.0) if other.is_point() else Point(self.x - other.x)


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def is_point(self):
        return False


def test_truth_that_is_the_same_on_every_path_is_known_to_callers():
    def f(x):
        return Point(x).minus(Point(0.5)).y * x + Point(x).minus(Vector(x * x, 1.0)).x

    agree(f, 1.5)
    assert rg.grad(f)(1.5) == pytest.approx(2.0 - 2 * 1.5)


def order():
    return 2


def test_results_that_are_literal_are_known_to_callers():
    agree(lambda x: along(x, order() - 1), A)


def test_the_first_error_where_literals_do_not_help():
    def unbounded(x, n):
        return unbounded(np.outer(x, x).ravel() if n % 2 else x[0:1, None], n + 1)

    with pytest.raises(UserError) as caught:
        interpreted(lambda x: along(x, "rows") + along(x, 1)[0], A)
    assert caught.value.code == "RG0113"
    with pytest.raises(UserError):
        interpreted(lambda x: unbounded(x, 1)[0], A[0])


def test_a_refusal_is_found_once_for_each_function():
    """Calls with literals in calls with literals: each function is translated twice, not 2**n."""

    def f0(x, k):
        return along(x, "rows")[k]

    def f1(x, k):
        return f0(x, k) + f0(x, 1)

    def f2(x, k):
        return f1(x, k) + f1(x, 1)

    def f3(x, k):
        return f2(x, k) + f2(x, 1)

    with pytest.raises(UserError) as caught:
        interpreted(lambda x: f3(x, 0), A)
    assert "axis" in caught.value.message


def test_derivatives_inside_of_programs_know_literals():
    def f(x):
        n = 0
        g = rg.grad(lambda z: np.sum(along(z, n) ** 2))(x)
        h = rg.grad(lambda z, k: np.sum(np.sum(z, axis=k) ** 3))(x, 1)
        j = rg.jvp(lambda z, k: np.sum(np.sum(z, axis=k) ** 3), (x, 1), (x, None))[1]
        y, back = rg.vjp(lambda z, k: np.sum(z, axis=k), x, 1)
        return np.sum(g) + np.sum(h) + j + np.sum(back(y)[0])

    rows = np.sum(A, axis=1)
    expected = 4 * np.sum(A) + 9 * np.sum(rows**2) + 3 * np.sum(rows**3) + 3 * np.sum(rows)
    assert rg.jit(f)(A) == pytest.approx(expected)


def test_a_derivative_by_a_literal_is_refused():
    f = rg.jit(lambda x: rg.grad(along, argnums=1)(x, 1))
    with pytest.raises(UserError, match="RG0115|RG0113"):
        f(A)


def test_recursion_with_another_function_in_between():
    """The functions that rely on one whose translation was given up are given up with it."""

    def even(x, n):
        return np.sum(x, axis=n)[0] if n == 0 else odd(x, n - 1)

    def odd(x, n):
        return np.sum(x, axis=n)[1] if n == 0 else even(x, n - 1)

    agree(lambda x: even(x, 1) * odd(x, 1) + even(x, 0), A)
