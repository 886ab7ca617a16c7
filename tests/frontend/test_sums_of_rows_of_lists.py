# ruff: noqa: RUF017 - what people write
"""`sum`, `max` and `min` of lists of unknown length whose items are lists or tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)


def rows(x, n):
    found = []
    for i in range(n):
        found.append([x[i % 3] * i, x[0]])
    return found


def pairs(x, n):
    found = []
    for i in range(n):
        found.append((x[(2 * i) % 3] * (i % 2), 1.0 * i))
    return found


def joined(x, n):
    return sum(rows(x, n), [])


def from_a_list(x, n):
    first = [9.0]
    found = sum(rows(x, n), first)
    found.append(x[1])
    return [*found, *first]


def by_its_name(x, n):
    return sum([[v, v] for v, _ in pairs(x, n)], start=[x[2]])


def of_pairs(x, n):
    return sum([[a, b] for a, b in pairs(x, n)], [])


def extremes(x, n):
    return [*max(pairs(x, n)), *min(pairs(x, n))]


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    joined, from_a_list, by_its_name, of_pairs, extremes,
)  # fmt: skip
X = np.array([0.5, -1.25, 2.0])


@pytest.mark.parametrize("fun", FUNCTIONS)
def test_values_are_those_of_python(fun: Callable[..., Any]) -> None:
    for n in (5, 1, 2):
        np.testing.assert_array_equal(rg.jit(fun)(X, n), fun(X, n))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("fun", FUNCTIONS)
def test_gradients(fun: Callable[..., Any]) -> None:
    rg.check_grads(lambda x: np.sum(np.array(fun(x, 4)) ** 2), (X,), order=1)


def nothing(x, n):
    return max(pairs(x, n))


def numbers(x, n):
    return sum(pairs(x, n))


@pytest.mark.parametrize(("fun", "n", "error"), [(nothing, 0, ValueError), (numbers, 2, TypeError)])
def test_what_raises_in_python_raises(fun: Callable[..., Any], n: int, error: type) -> None:
    for one in (fun, rg.jit(fun)):
        with pytest.raises(error):
            one(X, n)


def test_a_tuple_is_refused() -> None:
    with pytest.raises(UserError, match="begin with a list"):
        rg.jit(lambda x, n: sum(pairs(x, n), ()))(X, 2)
