"""An array that is given to an adjoint as two arguments or cotangents was copied once for both."""

from __future__ import annotations

import numpy as np

import retrograd as rg


@rg.reversible
def dot(out, a, b):
    for k in range(len(a)):
        out += a[k] * b[k]
    return out


def test_twice() -> None:
    a, zero = np.array([1.0, 2.0]), np.zeros(2)
    values, (_, a_bar, b_bar) = rg.adjoint(dot)(5.0, a, a, 1.0, zero, zero)
    assert values[0] == 0.0
    np.testing.assert_array_equal(a_bar, a)
    np.testing.assert_array_equal(b_bar, a)
    np.testing.assert_array_equal(zero, 0.0)
