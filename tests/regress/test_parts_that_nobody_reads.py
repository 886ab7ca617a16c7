"""A part of a long line that hands nothing on stays where it is; what it read was not handed to it:
the derivative of a sum of two Kronecker products was a compiler bug."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def both(g, one):
    n = len(g)
    across = np.tile(one, (n, 1)) * np.repeat(g, n, 0)
    return across + np.tile(g, (n, 1)) * np.repeat(one, n, 0)


def test_the_tangent_is_that_of_the_products() -> None:
    g, one = np.arange(4.0).reshape(2, 2), np.array([[1.0, 0.5], [0.25, 2.0]])
    value, tangent = rg.jvp(both, (g, one), (one, g))
    np.testing.assert_array_equal(value, both(g, one))
    np.testing.assert_allclose(tangent, both(g, g) + both(one, one), rtol=1e-14)
