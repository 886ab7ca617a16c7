"""`np.sort` in an expression was taken for a method that changes `np`, and refused."""

from __future__ import annotations

import numpy as np

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def added(y, x):
    z = np.sort(x)
    y += z
    y += np.sort(-x)


def loss(x):
    y = np.zeros(2)
    added(y, x)
    return y[0] * y[1]


def test_sorting_in_expressions() -> None:
    x, y = np.array([2.0, 0.5]), np.zeros(2)
    added(y, x)
    assert y.tolist() == [-1.5, 1.5]
    rg.inverse(added)(y, x)
    assert y.tolist() == [0.0, 0.0]
    assert "np_bar" not in added.text("adjoint")
    np.testing.assert_allclose(rg.grad(loss)(x), [-3.0, 3.0], rtol=1e-14)
