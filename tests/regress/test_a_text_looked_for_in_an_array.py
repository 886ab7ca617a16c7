"""`in` with an array and what is no number: no element equals it."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg

X = np.array([0.5, 2.0])


def keyed(x: Any) -> Any:
    if "scale" in x and x["scale"].big:
        return 0.0 * x[0]
    return np.sum(x**2) if None not in x else x[1]


def test_it_is_not_there() -> None:
    assert rg.jit(keyed)(X) == keyed(X)
    assert np.array_equal(rg.grad(keyed)(X), 2.0 * X)
    assert rg.jvp(keyed, (X,), (X,)) == (keyed(X), 2.0 * keyed(X))
