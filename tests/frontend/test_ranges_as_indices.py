"""Ranges and tuples as indices, grids of lists of slices, `__class__`, classes with coroutines."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

X = np.array([[1.0, 0.3, 2.0], [0.2, 0.7, 1.1], [0.4, 1.2, 0.9]])


def one_of_each_row(x):
    return x[range(len(x)), x.argmin(axis=1)].sum()


def rows_put(x):
    n, places = len(x), x.argmax(axis=1)
    y = np.zeros(x.shape)
    y[range(n), places] = x[:, 0] ** 2
    y[range(0, n, 2), 0] += x[range(2), 1]
    return (y * x).sum()


def backwards(x):
    return (x[range(2, -1, -1)] * x).sum() + x[range(0)].sum()


def inner_tuples(x):
    return (x[(0, 1), (1, 2)] * x[0, (1, 2)]).sum() + (x[..., (0, 2)] ** 2).sum()


def tuple_of_a_tuple(x):
    """One array of two rows, not the element of a row and a column."""
    where = ((0, 2),)
    return (x[((0, 1),)] * x[where]).sum()


def grid(x):
    rows, columns = np.mgrid[[slice(0, n) for n in x.shape]]
    return (rows * x + columns * x * x).sum()


class Vector:
    def __init__(self, a):
        self.a = a

    def twice(self):
        return self.__class__(2.0 * self.a)

    async def later(self):
        return self.a


def classes(x):
    d, row = {"a": x[0, 0]}, [x[0, 1], x[0, 2]]
    other = d.__class__(b=x[1, 1])
    last = row.__class__((x[2, 2],))
    kind = 1.0 if x.__class__ is np.ndarray and None.__class__ is type(None) else 0.0
    return Vector(other["b"]).twice().a * last[0] * kind + d["a"] ** 2


PROGRAMS = [
    one_of_each_row, rows_put, backwards, inner_tuples, tuple_of_a_tuple, grid, classes,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_numpy(f):
    value, slope = rg.value_and_grad(f)(X)
    steps = 1e-6 * np.eye(9).reshape(9, 3, 3)
    near = [(f(X + d) - f(X - d)) / 2e-6 for d in steps]
    assert value == pytest.approx(f(X), rel=1e-14)
    assert slope.ravel() == pytest.approx(near, rel=1e-6, abs=1e-7)


def test_the_same_bits_in_a_budget():
    f = rows_put
    assert np.array_equal(rg.grad(f, memory="1MB")(X), rg.grad(f)(X))


def test_indices_outside_raise_as_in_numpy():
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        rg.jit(lambda x: x[range(5)])(X)
    with pytest.raises(IndexError, match="shape mismatch"):
        rg.jit(lambda x: x[range(3), range(2)])(X)


def test_a_class_from_outside_may_have_coroutines():
    v = Vector(1.5)
    assert rg.jit(lambda x: x * v.twice().a)(2.0) == 6.0
