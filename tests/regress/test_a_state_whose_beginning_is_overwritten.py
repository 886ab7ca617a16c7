"""A loop begins with a copy of an array that is overwritten after that: what is carried along for
the record was copied from the overwritten one, so gradients were wrong, and some runs crashed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg


def sines(w: Any, x: Any) -> Any:
    x = 1.0 * x
    y = x.copy()
    x[0] = 5.0
    for _ in range(4):
        y = np.sin(w @ y)
    return np.sum(y * x)


def relus(w: Any, x: Any) -> Any:
    y = x.copy()
    x[0] *= 2.0
    for _ in range(4):
        y = np.maximum(w @ y, -0.1)
    return np.sum(y * x)


@pytest.mark.parametrize("fun", [sines, relus])
def test_the_gradient_is_that_of_differences(fun: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    w, x = rng.standard_normal((5, 5)) / 2, rng.standard_normal((5, 4))
    found = rg.grad(fun, (0, 1))(w, x.copy())
    w_dot, x_dot = rng.standard_normal(w.shape), rng.standard_normal(x.shape)
    ahead, behind = (fun(w + h * w_dot, x + h * x_dot) for h in (1e-6, -1e-6))
    along = np.sum(found[0] * w_dot) + np.sum(found[1] * x_dot)
    assert along == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
    for ours, same in zip(rg.grad(fun, (0, 1), memory="60kB")(w, x.copy()), found, strict=True):
        np.testing.assert_array_equal(ours, same)
