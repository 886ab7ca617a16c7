"""A table at one place that is given as a tuple of numbers gives a number, not an array of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

import retrograd as rg

X = np.array([0.0, 0.3, 0.6, 1.0])
TABLE = interpolate.RegularGridInterpolator((X, X), np.outer(X, X + 1.0))


def test_shapes_are_scipys() -> None:
    def f(q: Any) -> Any:
        made = interpolate.RegularGridInterpolator((X, X), np.outer(X, X + 1.0))
        part = interpolate.interpn((X, X), np.outer(X, X + 1.0), (q, q))
        return made((q, 0.5 * q)), made([q, q]), TABLE((q, q)), part

    for one, other in zip(rg.jit(f)(0.4), f(0.4), strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other)
