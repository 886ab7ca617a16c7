"""`scipy.linalg.solve` divides any right side by a matrix of one number; it raised instead."""

import numpy as np
import pytest
import scipy.linalg

import retrograd as rg


def solved(a, b):
    return scipy.linalg.solve(a, b)


def test_every_right_side_is_divided_by_it():
    a, b = np.array([[2.0]]), np.arange(6.0).reshape(3, 2)
    assert np.array_equal(rg.jit(solved)(a, b), solved(a, b))
    assert rg.check_grads(solved, (a, b), 1).ok
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        rg.jit(solved)(0.0 * a, b)
