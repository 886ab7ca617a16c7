"""A call whose result nobody uses, before one that records, was taken for the first half of it.

Both contain inner derivatives, which record and take back themselves. With little memory the
gradient was NaN, or the process ended.
"""

import numpy as np
import scipy.optimize

import retrograd as rg


def _far(x, p):
    s = np.zeros(50)
    for _ in range(100):
        s = np.sin(s + x) * 0.5
    return x**3 - p + 0.01 * s[1]


def _root(p):
    return scipy.optimize.brentq(_far, 0.0, 3.0, args=(p,))


def roots(p):
    a = _root(p)
    _root(p + a)
    return a + _root(p + 1.0)


def test_the_gradient_in_little_memory_has_the_same_bits():
    assert rg.grad(roots, memory=20_000)(2.0) == rg.grad(roots)(2.0)
