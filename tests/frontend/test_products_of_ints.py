"""`@` of arrays of ints, of all ranks; and what is said where an int is not the obstacle."""

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

V, W = np.array([1, -2, 3]), np.array([4, 0, 5])
A, B = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4) - 5
S, T = np.arange(12).reshape(2, 2, 3), np.arange(24).reshape(2, 3, 4)


def product(a, b):
    return a @ b


@pytest.mark.parametrize(
    "pair", [(V, W), (A, V), (V, B), (A, B), (S, T), (S, V), (V, T), (A, T), (A > 2, B)]
)
def test_as_numpy(pair):
    agree(product, *pair)


@pytest.mark.parametrize("pair", [(A, A), (V, A), (A, np.arange(1))])
def test_extents_that_do_not_fit(pair):
    agree(product, *pair)


def weighed(x, a, b):
    return x * np.sum(a @ b)


def test_in_derivatives():
    assert rg.grad(weighed)(2.0, A, B) == np.sum(A @ B)
    with pytest.raises(UserError, match="`@` of bools"):
        rg.grad(weighed)(2.0, A > 2, B > 2)


def moved(x, axis):
    return np.moveaxis(x, axis, -1).nothing


def test_the_second_obstacle_is_named():
    with pytest.raises(UserError, match="'nothing'"):
        rg.grad(lambda x: moved(x, 0))(np.ones((2, 3)))
