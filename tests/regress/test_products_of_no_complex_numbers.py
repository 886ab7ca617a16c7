"""The product of no complex numbers is one; it read the first of them."""

import numpy as np

import retrograd as rg


def products(z):
    return np.prod(z[:0]), np.prod(z[:0].reshape(0, 2), axis=0)


def test_products_of_nothing_are_one():
    one, two = rg.jit(products)(np.ones(3) * 1j)
    assert one == 1.0
    np.testing.assert_array_equal(two, np.ones(2))
