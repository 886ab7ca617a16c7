"""Reading a reversible function did not end: a local that is built up, and defined again later.

What the second definition reads of the local is its own; it was taken to read the first one's.
"""

import numpy as np

import retrograd as rg


@rg.reversible
def f(x, t):
    with rg.temporarily():
        a = 0.5
        a += t * t
        x[2] += np.sin(a)
        a -= t * t
    x[0] += t


def test_it_ends():
    x = np.ones(3)
    f(x, 2.0)
    np.testing.assert_array_equal(x, [3.0, 1.0, 1.0])
    rg.inverse(f)(x, 2.0)
    np.testing.assert_array_equal(x, np.ones(3))
