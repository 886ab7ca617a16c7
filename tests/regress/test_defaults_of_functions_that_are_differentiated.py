"""Defaults of a function that a program makes were the caller's variables in its derivatives.

Compilation ended with a compiler bug, or a KeyError.
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def by_grad(x):
    def f(y, k=x * x):
        return np.sum(y * y * k)

    return rg.grad(f)(x)


def by_jvp(x):
    def f(y, *, k=x[0], n=3):
        return y * y * k * n

    return rg.jvp(f, (x,), (x,))[1]


def by_checkpoint(x):
    f = rg.checkpoint(lambda y, k=x * x: np.sum(y * k))
    return rg.grad(f)(x) + f(x)


def by_vmap(x):
    def f(y, k=x[0]):
        return y * k

    return rg.vmap(rg.grad(f))(x)


@pytest.mark.parametrize("f", [by_grad, by_jvp, by_checkpoint, by_vmap])
def test_it_is_as_in_python(f) -> None:
    x = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(rg.jit(f)(x), f(x.copy()), rtol=1e-12)
