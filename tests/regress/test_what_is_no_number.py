"""`int` and `float` of what is never a number, in a `try`: the handler is what runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.5, 2.0])


class Other:
    """An object that is no number."""


def place(x: Any, at: Any) -> Any:
    try:
        k = int(at)
    except (TypeError, ValueError):
        k = None
    return np.sum(x**2) if k is None else x[k]


def whole(x: Any) -> Any:
    try:
        return 2.0 * float(x)
    except TypeError:
        return np.sum(x**2)


@pytest.mark.parametrize(
    "function",
    [
        whole, lambda x: place(x, x), lambda x: place(x, None), lambda x: place(x, [1]),
        lambda x: place(x, {"a": 1}), lambda x: place(x, Other()), lambda x: place(x, np.mean),
        lambda x: place(x, "1"), lambda x: place(x, x[0]), lambda x: whole(x[1]),
    ],
)  # fmt: skip
def test_the_handler_runs(function: Callable[..., Any]) -> None:
    value, slope = rg.value_and_grad(function)(X)
    assert value == function(X)
    assert rg.jvp(function, (X,), (X,)) == (value, pytest.approx(np.dot(slope, X)))


def test_it_is_refused_without_one() -> None:
    with pytest.raises(UserError, match="must be a number and is a list of 2"):
        rg.jit(lambda x: x[int([1, 2])])(X)
