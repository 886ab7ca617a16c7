"""`np.linalg.cond` of zeros is inf in NumPy, and was nan: 0 / 0."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def cond(a):
    return np.linalg.cond(a)


def least(a):
    return np.linalg.cond(a, -2)


MATRICES = {
    "zeros": np.zeros((3, 3)),
    "ones": np.ones((2, 2)),
    "stack": np.stack([np.zeros((2, 2)), np.eye(2), np.diag([1.0, 4.0])]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_as_in_numpy(name: str) -> None:
    for fun in (cond, least):
        with np.errstate(all="ignore"):
            want = fun(MATRICES[name])
        got = rg.jit(fun)(MATRICES[name])
        assert np.shape(got) == np.shape(want)
        large = np.asarray(want) > 1e15  # where the smallest singular value is rounding only
        np.testing.assert_allclose(np.where(large, np.inf, got), np.where(large, np.inf, want))


def test_the_slope() -> None:
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    assert rg.check_grads(cond, (a,), order=1).ok
