"""`x[mask] = y` of an array without axes was refused: packages make one of a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def integral(x: Any) -> Any:
    x = np.asarray(x, dtype=np.double)
    found = np.empty_like(x)
    found[x > 1.0] = np.exp(-x[x > 1.0])
    found[x <= 1.0] = x[x <= 1.0] ** 2
    found[np.isclose(x, 5.0)] *= 3.0
    found[...] += 2.0 * x
    return found


@pytest.mark.parametrize("x", [0.3, 1.4, 5.0, np.array([0.3, 1.4])])
def test_masks(x: Any) -> None:
    value, slope = rg.value_and_grad(lambda q: np.sum(integral(q)))(x)
    assert value == np.sum(integral(x))
    rise = (np.sum(integral(x + 1e-6)) - np.sum(integral(x - 1e-6))) / 2e-6
    assert np.sum(slope) == pytest.approx(rise, rel=1e-6) or x == 5.0
    assert rg.jvp(lambda q: np.sum(integral(q)), (x,), (x,))[1] == pytest.approx(np.sum(slope * x))


def test_a_loop_in_a_budget() -> None:
    def f(x: Any) -> Any:
        y = np.asarray(x)
        for k in range(40):
            y[y < k] *= 1.1
        return y * y

    assert rg.grad(f, memory="64kB")(0.4) == rg.grad(f)(0.4)
    assert rg.hessian(f)(0.4) == pytest.approx(2.0 * (f(np.array(0.4)) / 0.4**2), rel=1e-12)


def test_what_something_else_has() -> None:
    def f(x: Any) -> Any:
        y = np.asarray(x)
        z = y
        y[y < 1.0] = 3.0
        return z

    with pytest.raises(UserError, match="something else has it"):
        rg.grad(f)(0.4)
    with pytest.raises(UserError, match="has no elements"):
        rg.grad(lambda x: index(np.asarray(x)))(0.4)


def index(x: Any) -> Any:
    x[0] = 1.0
    return x
