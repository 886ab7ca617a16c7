"""Comprehensions over ranges and arrays whose items are rows: arrays, lists, comprehensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.orders import BOTH_ORDERS

X = np.array([0.5, -1.25, 2.0, 0.75])
M = np.array([[0.5, 1.0, -0.5], [1.5, 0.25, 2.5]])

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "arrays": (lambda x: np.array([np.sin(v * x) for v in x]), (X,)),
    "lists": (lambda x: np.array([[v, v * v, 1] for v in x]), (X,)),
    "tuples": (lambda x: np.array([(v, v * v) for v in x]), (X,)),
    "comprehensions": (
        lambda x: np.array([[x[i] * x[j] for j in range(len(x))] for i in range(len(x))]), (X,),
    ),
    "rows of a matrix": (lambda m: np.array([row * row[0] for row in m]), (M,)),
    "enumerated": (lambda m: np.asarray([i * row for i, row in enumerate(m)]), (M,)),
    "stack": (lambda x: np.stack([v * x for v in x]), (X,)),
    "stack of a matrix": (lambda m: np.stack(m) * 2.0, (M,)),
    "matrices": (lambda m: np.array([v * m for v in m[0]]), (M,)),
    "summed": (lambda x: np.sum([v * x for v in x], axis=0), (X,)),
    "named": (lambda m: np.array([[a for a in row] for row in m]), (M,)),
}  # fmt: skip


@pytest.mark.thinned(2)
@BOTH_ORDERS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_in_numpy(name: str, order: int) -> None:
    f, args = FUNCTIONS[name]
    want, got = f(*args), rg.jit(f)(*args)
    np.testing.assert_allclose(got, want, rtol=1e-13)
    assert got.dtype == want.dtype
    rg.check_grads(lambda *a: np.sum(f(*a) ** 2.0), args, order)


def test_ragged_rows() -> None:
    with pytest.raises(ValueError, match="rows of different shapes"):
        rg.jit(lambda x: np.array([np.zeros(i) for i in range(len(x))]))(X)


def test_a_change_in_an_item() -> None:
    def f(x: Any) -> Any:
        y = x.copy()

        def put(i: Any) -> Any:
            y[i] = 0.5 * y[i] + (y[i - 1] if i > 0 else 1.0)
            return 2.0 * y[i]

        return np.sum(np.array([[put(i)] for i in range(len(x))])) + y[-1]

    assert rg.jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    rg.check_grads(f, (X,), 1)


def test_what_python_itself_refuses() -> None:
    with pytest.raises(rg.UserError, match="RG0110"):
        rg.jit(lambda x: max([v * x for v in x]))(X)
