"""`out=` of functions of NumPy's that are no ufuncs."""

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X, M = np.array([0.3, 1.7, -0.4]), np.array([[0.3, 1.7], [2.5, -0.4]])


def clipped(x):
    np.clip(x, 0.0, 1.0, out=x)
    return x * 2.0


def multiplied(m):
    made = m * 1.0
    same = np.cumprod(made, axis=0, out=made)
    same[0] = 1.0
    return made


def added(x):
    view = np.zeros(5)
    np.cumsum(x, out=view[1:4])
    return np.round(view, 1, out=None)


@pytest.mark.parametrize(("f", "x"), [(clipped, X), (multiplied, M), (added, X)])
def test_as_numpy(f, x):
    agree(f, x)


def too_short(x):
    return np.clip(x, 0.0, 1.0, out=np.zeros(2))


def test_derivatives_and_extents():
    assert np.allclose(rg.grad(lambda m: np.sum(multiplied(m)))(M), [[2.5, -0.4], [0.3, 1.7]])
    with pytest.raises(ValueError, match="operand"):
        rg.jit(too_short)(X)


def of_another_rank(x):
    return np.cumsum(x, out=np.zeros((2, 3)))


def of_ints(x):
    return np.cumsum(x, out=np.zeros(3, dtype=int))


@pytest.mark.parametrize(("f", "code"), [(of_another_rank, "RG0108"), (of_ints, "RG0110")])
def test_refused(f, code):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(X)
    assert caught.value.code == code
