"""Random functions of one float: their slope in each way, and by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

__all__ = ["slope_is_right"]


def slope_is_right(f: Callable[..., Any], u: float, rest: tuple[Any, ...], memory: str) -> bool:
    """Asserts that `f(u, *rest)` has one slope by both modes, in a budget too.

    Says whether differences could be taken, which agree then: not where a branch is taken on one
    side only.
    """
    value, slope = rg.value_and_grad(f)(u, *rest)
    assert (value, slope) == rg.value_and_grad(f, memory=memory)(u, *rest)
    assert value == pytest.approx(f(u, *rest), rel=1e-11)
    tangent = rg.jvp(lambda u: f(u, *rest), (u,), (1.0,))[1]
    assert slope == pytest.approx(tangent, rel=1e-8, abs=1e-9)
    ends = [f(u + d, *rest) for d in (1e-6, -1e-6)]
    if np.abs(ends[0] - ends[1]) > 1e-3 * (1 + np.abs(value) + np.abs(slope)):
        return False
    near = (ends[0] - ends[1]) / 2e-6
    assert slope == pytest.approx(near, rel=1e-4, abs=1e-4 * (1 + np.abs(value)))
    return True
