"""`return` and `break` in a `finally`, where no exception would be forgotten by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.5, 2.0, 0.25])


def one_or_more(x: Any) -> Any:
    try:
        count = len(x)
    except TypeError:
        x, count = np.array([x]), 1
    finally:
        if count == 1:
            return 3.0 * x[0]  # noqa: B012
    return np.sum(x**2)


def until_large(x: Any) -> Any:
    total = 0.0
    for v in x:
        try:
            square = v * v
        finally:
            if v > 1.0:
                break  # noqa: B012
        total += square
    return total


def forgets(x: Any) -> Any:
    try:
        y = x[7]
    finally:
        return x[1]  # noqa: B012
    return y


def forgets_what_is_raised(x: Any) -> Any:
    try:
        try:
            if x[0] > 0.0:
                raise ValueError("positive")
        finally:
            return x[1]  # noqa: B012
    except ValueError:
        return 0.0 * x[0]


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (one_or_more, X, 2.0 * X), (one_or_more, X[:1], np.array([3.0])), (one_or_more, 2.0, 3.0),
        (until_large, X, np.array([1.0, 0.0, 0.0])),
    ],
)  # fmt: skip
def test_it_leaves_there(function: Any, x: Any, slope: Any) -> None:
    assert rg.jit(function)(x) == function(x)
    assert np.array_equal(rg.grad(function)(x), slope)
    assert rg.jvp(function, (x,), (np.ones_like(x),))[1] == np.sum(slope)


@pytest.mark.parametrize("function", [forgets, forgets_what_is_raised])
def test_exceptions_are_not_forgotten(function: Any) -> None:
    assert function(X) == 2.0
    with pytest.raises(UserError, match="RG0127"):
        rg.jit(function)(X)
