"""A gradient was wrong: what is read by an integer that a reversible function makes of a float.

The float came back with another rounding, so that the integer came back as another one.
"""

import numpy as np

import retrograd as rg


def grow(x, n):
    x *= 1.1
    n += int(x[0] * 10.0)
    return n


undone = rg.reversible(grow)


def loss(x, table, k, step=grow):
    x, n, s = x.copy(), 0, 0.0
    for _ in range(k):
        n = step(x, n)
        s += table[n % 7] * x[0]
    return s


def undone_loss(x, table, k):
    return loss(x, table, k, undone)


def test_it_is_recorded():
    table = np.arange(7.0)
    for start in (0.9 / 1.1**3, 0.9 / 1.1**5, 1.5 / 1.1**2, 1.5 / 1.1**6):
        x = np.array([start])
        pair = (rg.grad(f, argnums=(0, 1))(x, table, 12) for f in (undone_loss, loss))
        for one, other in zip(*pair, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
