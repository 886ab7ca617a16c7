"""`np.linalg.cholesky(a, upper=True)` called itself, and was refused as a recursion that raises."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def f(a):
    try:
        return np.sum(np.linalg.cholesky(a, upper=True)[0])
    except np.linalg.LinAlgError:
        return -1.0


def test_it_is_the_one_of_numpy():
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(rg.jit(f)(a), 2.5, rtol=1e-12)
    assert rg.jit(f)(-a) == -1.0
