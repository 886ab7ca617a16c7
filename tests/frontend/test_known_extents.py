"""Comparisons of extents that the program says itself decide what is translated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def single(x: Any) -> Any:
    if np.atleast_1d(x).shape[-1] != 3:
        a = b = c = x
    else:
        a, b, c = x[0], x[1], x[2]
    return a + b * c


def pair(x: Any) -> Any:
    y = np.array([x, x * x])
    y[0] += x
    if 2 < len(y):
        return x[0]
    return y[0] * y[1]


def matrix(x: Any) -> Any:
    y = np.zeros((2, 3))
    y[:, 1] = x
    z = y.copy()
    if z.shape[0] >= 3 or z.shape[1] == 2:
        return x[0]
    return np.sum(z * z)


@pytest.mark.parametrize("f", [single, pair, matrix])
def test_the_branch_that_no_extent_takes_is_not_translated(f: Any) -> None:
    assert rg.jit(f)(2.0) == f(2.0)
    assert rg.check_grads(f, (2.0,), 1).ok


def test_extents_from_outside_and_of_the_run_are_not_known() -> None:
    def f(x: Any, n: int) -> Any:
        y = np.zeros(n)
        return x * 2.0 if len(y) == 3 else x

    assert [rg.jit(f)(2.0, n) for n in (2, 3)] == [2.0, 4.0]

    def g(x: Any) -> Any:
        return x[0] + 1.0 if len(x) == 3 else x[1]

    assert [rg.jit(g)(np.arange(k)) for k in (2, 3)] == [1.0, 1.0]


def test_a_branch_that_an_extent_takes_is_refused_as_before() -> None:
    def f(x: Any) -> Any:
        return x[0] if np.atleast_1d(x).shape[0] == 1 else x

    with pytest.raises(UserError, match="RG0109"):
        rg.jit(f)(2.0)


def test_an_extent_that_a_loop_changes_is_not_known() -> None:
    def f(n: int) -> int:
        y, count = np.zeros(2), 0
        for _ in range(n):
            if len(y) == 2:
                count += 1
            y = np.concatenate((y, y))
        return count + (100 if len(y) == 2 else 0)

    assert [rg.jit(f)(n) for n in (0, 1, 3)] == [f(n) for n in (0, 1, 3)]


def _as_vector(v):
    if isinstance(v, (int, float)):
        v = [v]
    if isinstance(v, (list, tuple)):
        return np.array(v, dtype=np.float64)
    return v.flatten()


def _wrapped(theta):
    theta = _as_vector(theta)
    y = theta - 2.0 * np.pi * np.floor(theta / 2.0 / np.pi)
    if isinstance(y, np.ndarray) and len(y) == 1:
        return float(y[0])
    return y


def test_extents_of_what_a_function_gives_are_known() -> None:
    def turns(a, b):
        if a > 9.0:
            return None, None
        return _wrapped(a - b), _wrapped(-b)

    def loss(a, b):
        one, other = turns(a, b)
        return one * other

    value, slopes = rg.value_and_grad(loss, (0, 1))(0.3, 0.5)
    assert value == pytest.approx(loss(0.3, 0.5), rel=1e-14)
    assert slopes[0] == pytest.approx(_wrapped(-0.5), rel=1e-14)
    assert slopes[1] == pytest.approx(-_wrapped(-0.5) - _wrapped(0.3 - 0.5), rel=1e-14)


def _chosen(x):
    y = np.array([x])
    if y > 0.0:
        return float(y[0]) * 2.0
    return -x if np.atleast_1d(x) else 1.0


def test_the_truth_of_an_array_with_one_element_is_that_of_the_element() -> None:
    for x in (2.0, -3.0, 0.0):
        assert rg.jit(_chosen)(x) == _chosen(x)
    assert rg.grad(_chosen)(2.0) == 2.0
    assert rg.grad(_chosen)(-3.0) == -1.0
    with pytest.raises(UserError, match="not one truth value"):
        rg.jit(lambda x: x if np.array([x, x]) > 0.0 else 0.0)(1.0)
