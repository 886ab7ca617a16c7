"""A choice between a float and nan beside an inner gradient; nan was taken for an index."""

import numpy as np

import retrograd as rg


def slopes(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        slope = rg.grad(lambda s: s * s * x[i])(x[i])
        out[i] = np.where(slope > 0.0, slope, np.nan)
    return out


def test_the_slopes_of_squares():
    x = np.array([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(rg.jit(slopes)(x), [2.0, 8.0, 18.0])
