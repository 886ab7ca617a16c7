"""The name of an extent that broadcasting gives was taken from a loop that had ended.

Two statements have results of the same unknown extent, one of them in an inner loop. The reverse
sweep of the other asked for an extent that is bound in that loop.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg


def rows(x, w, n, m):
    k = len(x)
    a = np.outer(x, x)
    v = x * 0.5
    i = -1
    while i < n:
        i += 1
        a = 0.9 * a + 0.1 * np.sin(a) @ w
        a[i % k, (i + 1) % k] = 0.9 * a[i % k, i % k]
        j = -1
        while j < m:
            j += 1
            a[j % k] = 0.9 * a[j % k] * np.cos(v)
            v = 0.9 * v + 0.1 * np.sin(v)
            v[j % k] = 0.5 * v[j % k]
        a[i % k] = 0.9 * a[i % k] * np.cos(v)
        v = 0.9 * v + 0.1 * np.sin(v)
    return np.sum(a) + np.sum(v * x)


def test_an_extent_is_named_where_it_is_bound() -> None:
    x, w = np.array([0.4, -0.3, 0.9]), 0.3 * np.eye(3) + 0.1
    found = rg.grad(rows)(x, w, 2, 20)
    steps = [(rows(x + e, w, 2, 20) - rows(x - e, w, 2, 20)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert np.allclose(found, steps, atol=1e-7)
