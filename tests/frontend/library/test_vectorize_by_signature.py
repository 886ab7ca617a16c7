"""`np.vectorize(f, signature=..)`: of the parts of arrays that have the axes of the signature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.3, 1.2, -0.7, 0.9, 1.6])

outside = np.vectorize(lambda a: np.sum(a**2), signature="(n)->()")


def numbers(x):
    return outside(x.reshape(5, 1) * np.array([1.0, 2.0]))


def rows(x):
    f = np.vectorize(lambda a, b: a * np.dot(a, b), signature="(n),(n)->(n)")
    return f(x.reshape(5, 1) * np.array([1.0, 2.0]), np.array([0.5, 0.2]))


def with_numbers(x):
    f = np.vectorize(lambda a, s: s * a.sum(), signature="(n), () -> ()")
    return f(np.outer(x, x), x) + f(x, 2.0)


def products(x):
    f = np.vectorize(lambda a, b: a @ b, signature="(m,n),(n)->(m)")
    return f(np.ones((3, 2, 5)) * x, x)


def inconsistent(x):
    return np.vectorize(lambda a, b: a.sum() * b.sum(), signature="(n),(n)->()")(x, x[:3])


def too_few_axes(x):
    return np.vectorize(lambda a: a.sum(), signature="(m,n)->()")(x)


def several(x):
    return np.vectorize(lambda a: (a.sum(), a.max()), signature="(n)->(),()")(x)[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [numbers, rows, with_numbers, products])
def test_values_and_gradients(f: Any) -> None:
    np.testing.assert_allclose(rg.jit(f)(X), f(X), rtol=1e-14)
    assert rg.check_grads(f, (X,), 1).ok


@pytest.mark.parametrize("f", [inconsistent, too_few_axes])
def test_what_numpy_refuses_is_a_value_error(f: Any) -> None:
    for run in (f, rg.jit(f)):
        with pytest.raises(ValueError, match=r"."):
            run(X)


def test_several_results_are_refused() -> None:
    with pytest.raises(UserError, match="several results") as found:
        rg.jit(several)(X)
    assert found.value.code == "RG0108"
