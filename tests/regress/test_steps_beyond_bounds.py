"""The steps that give a bounded minimum its derivatives went beyond the bounds, where the function
may raise: the program raised what SciPy does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

import retrograd as rg


def lowest(p: Any) -> Any:
    def f(x: Any) -> Any:
        if x < 0.0 or x > 1.0:
            raise ValueError("outside")
        return np.sqrt(np.abs(x - p)) + 1e-3 * x

    return minimize_scalar(f, bounds=(0.0, 1.0), method="Bounded").x


def test_a_minimum_that_is_a_kink() -> None:
    assert np.isclose(rg.jit(lowest)(0.3), lowest(0.3), rtol=1e-12)
    rg.grad(lowest)(0.3)
