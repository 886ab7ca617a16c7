"""`p0` of `curve_fit` may be a number where there is one parameter; it was taken for a list."""

import numpy as np
import scipy.optimize

import retrograd as rg

T = np.linspace(0.0, 1.0, 9)


def parabola(t, a):
    return a * t * t


def fitted(y):
    one = scipy.optimize.curve_fit(parabola, T, y, 2.0)[0]
    return 0.5 * (one[0] + scipy.optimize.curve_fit(parabola, T, y, np.ones(1))[0][0])


def test_the_slope_of_a_parabola():
    y = 1.5 * T**2 + 0.01 * np.cos(9.0 * T)
    assert abs(rg.jit(fitted)(y) - np.sum(T**2 * y) / np.sum(T**4)) < 1e-12
