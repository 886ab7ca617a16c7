"""The smallest programs that showed a bug in the compiler, each once."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg


def keyword_order(x):
    def difference(a, b):
        return a - b

    y = difference(b=x, a=2.0 * x)
    return y + difference(x, 3.0)


def test_keywords_out_of_order_do_not_fix_the_order_of_later_calls() -> None:
    assert rg.jit(keyword_order)(0.25) == keyword_order(0.25)


def accumulated_lazily(x, y):
    m = x - y
    return np.sum(m * m) + np.sum(m)


def test_an_elementwise_result_that_is_added_into_is_made_first() -> None:
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.5, 3.0, 1.0])
    gradient = rg.grad(accumulated_lazily)(x, y)
    assert np.allclose(gradient, 2.0 * (x - y) + 1.0, rtol=1e-15)


def minors(a):
    n = len(a)
    if n == 1:
        return a[0, 0]
    total = 0.0
    for c in range(n):
        smaller = np.zeros((n - 1, n - 1))
        for i in range(n - 1):
            for j in range(n - 1):
                smaller[i, j] = a[i + 1, j if j < c else j + 1]
        total += (-1.0) ** c * a[0, c] * minors(smaller)
    return total


def test_a_recursive_call_in_a_loop_is_swept() -> None:
    a = np.array([[2.0, 1.0, 0.5], [0.3, 1.5, -1.0], [0.7, -0.2, 1.1]])
    gradient = rg.grad(minors)(a)
    assert np.allclose(gradient, np.linalg.det(a) * np.linalg.inv(a).T, rtol=1e-12)


def last(x, k):
    return x[k]


@pytest.mark.parametrize("k", [-1, -3, 0, 2])
def test_a_negative_index_is_wrapped_in_native_code(k: int) -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert rg.jit(last)(x, k) == x[k]


def rows_scaled(x, scale):
    return np.sum(np.sin(x * scale))


def test_a_cotangent_is_summed_to_a_lower_rank() -> None:
    x, scale = np.arange(6.0).reshape(2, 3), np.array([0.5, -1.0, 2.0])
    gradient = rg.grad(rows_scaled, argnums=1)(x, scale)
    assert np.allclose(gradient, np.sum(x * np.cos(x * scale), axis=0), rtol=1e-14)


def stages(x, steps):
    u = np.empty(len(x))
    y = x.copy()
    for _ in range(steps):
        for i in range(len(x)):
            u[i] = math.sin(y[i])
        for i in range(len(x)):
            y[i] = y[i] + 0.1 * u[i] * u[len(x) - 1 - i]
    return np.sum(y * y)


def test_an_array_that_every_iteration_overwrites_is_not_recorded() -> None:
    x = np.linspace(0.1, 1.0, 50)
    function = rg.grad(stages)
    gradient = function(x, 20)
    direction = np.cos(np.arange(50.0))
    eps = 1e-6
    ahead, back = stages(x + eps * direction, 20), stages(x - eps * direction, 20)
    assert math.isclose(gradient @ direction, (ahead - back) / (2 * eps), rel_tol=1e-7)
    stats = function.stats()
    assert stats is not None
    # One array of 50 for each of 20 steps, and a bounded part for the step that is run again.
    assert stats.tape_bytes < 1.2 * 20 * 50 * 8 + 4000


def remainders(x, n):
    total = 0.0
    y = np.zeros(n)
    for i in range(n):
        y[i] = (x * i + 0.5) % 0.7
    for i in range(n):
        total += y[i]
    return total


def test_a_remainder_by_a_constant_in_a_loop_does_not_end_the_process() -> None:
    assert math.isclose(rg.jit(remainders)(1.3, 40), remainders(1.3, 40), rel_tol=1e-13)
