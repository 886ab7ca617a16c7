"""Dtypes by all the names that NumPy has for them, such as "d" and "double"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.5, 2.0, -1.0])


def named(x: Any) -> Any:
    made = np.zeros(2, "d")
    made[0] = x[0]
    more = np.zeros(2, dtype="double")
    more[1] = x[1] * x[2]
    counts = np.array([3, 4], dtype="<i8")
    return np.sum(made + more) * counts[1] + np.sum(x.astype("=f8")[np.ones(3, "?")])


def test_each_name_is_a_dtype() -> None:
    assert rg.jit(named)(X) == named(X)
    slopes = np.array([5.0, 4.0 * X[2] + 1.0, 4.0 * X[1] + 1.0])
    assert np.allclose(rg.grad(named)(X), slopes)
    value, tangent = rg.jvp(named, (X,), (X,))
    assert (value, tangent) == (named(X), pytest.approx(np.sum(slopes * X)))


def test_others_are_refused_by_their_names() -> None:
    with pytest.raises(UserError, match="the dtype float32 is not accepted"):
        rg.jit(lambda x: np.sum(np.zeros(3, "f")) * x[0])(X)
    with pytest.raises(UserError, match="this dtype is not accepted"):
        rg.jit(lambda x: np.sum(np.zeros(3, "O")) * x[0])(X)
