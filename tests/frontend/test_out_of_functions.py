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


def reduced(m):
    out, other = np.empty(2), np.empty((1, 2))
    np.sum(m, 0, None, out)
    m.max(axis=1, out=out[::-1])
    np.mean(m, axis=0, keepdims=True, out=other)
    return out, other, np.median(m, axis=0, out=np.zeros(2))


def joined(m):
    pair, product, twice = np.empty((4, 2)), np.zeros((2, 2)), np.zeros((2, 2, 2))
    np.concatenate([m, m], out=pair)
    np.dot(m, m, product)
    np.stack([m, product], axis=1, out=twice)
    return pair, product, twice, np.take(m[0], [1, 0], out=np.zeros(2))


def ints_in_floats(m):
    big = np.array([2**53, 1, 1])
    return np.sum(np.stack([big, big], axis=1), axis=0, out=np.zeros(2)) + m[0]


@pytest.mark.parametrize(
    ("f", "x"),
    [(clipped, X), (multiplied, M), (added, X), (reduced, M), (joined, M), (ints_in_floats, M)],
)
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


def of_a_number(x):
    return np.sum(x, out=x)


def of_a_narrower_dtype(x):
    return np.concatenate([x, x], dtype=int)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (of_a_number, "RG0108"),
        (of_a_narrower_dtype, "RG0110"),
        (of_another_rank, "RG0108"),
        (of_ints, "RG0110"),
    ],
)
def test_refused(f, code):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(X)
    assert caught.value.code == code
