"""Arrays in lists of a length known at run time only, joined and stacked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg


def grown(x: Any, n: int) -> Any:
    parts: list[Any] = []
    for k in range(n):
        parts.append(x * (k + 1.0))
    return np.concatenate(parts)


def test_a_list_that_a_loop_fills_is_joined() -> None:
    x = np.array([1.0, -2.0])
    assert np.array_equal(rg.jit(grown)(x, 3), grown(x, 3))
    assert rg.check_grads(lambda x: grown(x, 3), (x,), 1).ok


@pytest.mark.parametrize("join", [np.concatenate, np.stack, np.hstack])
def test_no_items_are_refused_as_in_numpy(join: Any) -> None:
    def f(x: Any, n: int) -> Any:
        return join([x * k for k in range(n)])

    x = np.ones(2)
    assert np.array_equal(rg.jit(f)(x, 2), f(x, 2))
    for call in (f, rg.jit(f)):
        with pytest.raises((ValueError, IndexError)):
            call(x, 0)


def test_what_is_joined_is_a_copy() -> None:
    def f(a: Any) -> Any:
        one, two = np.concatenate(a), np.stack(a)
        one[0] = 7.0
        two[1, 1] = 8.0
        return one, two, a

    a = np.arange(6.0).reshape(2, 3)
    for got, want in zip(rg.jit(f)(a), f(a), strict=True):
        assert np.array_equal(got, want)


def test_numbers_are_not_joined() -> None:
    def f(x: Any) -> Any:
        return np.concatenate([v * 2.0 for v in x])

    for call in (f, rg.jit(f)):
        with pytest.raises(ValueError, match="zero-dimensional"):
            call(np.ones(3))
