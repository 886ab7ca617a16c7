"""Names that are a number on one path and an array on another, and other kinds of values."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

A = np.array([1.0, 2.0, 3.0])


def helper(a, c):
    if c > 0:
        return a * c
    return c


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def area(self):
        return self.a * self.b


def names(a, c):
    y = 0.5
    if c > 0:
        y = a * 1.0
    y *= 2
    z = np.outer(a, a) if c * c > 0.5 and c < 0 else y
    shape = Circle(a[0]) if c > 0 else Box(a[1], c)
    pair = (a[0], c) if c > 0 else (c,)
    f = (lambda v: v * 2) if c > 0 else (lambda v: v + 1)
    total = np.sum(z * a) + shape.area() + f(a[0])
    for v in pair:
        total += v * c
    return total + np.sum(f(helper(a, c) * y))


def asked(a, c):
    y = a if c > 0 else 2.0
    if isinstance(y, np.ndarray) and y.sum() > 3:
        return y.mean()
    if np.ndim(y) == 1:
        return y[0]
    return y * c


def written(a, c):
    y = c
    if c > 0:
        y = a
    y *= 2
    return np.sum(a) * np.sum(y)


def loop(a, c):
    y = 0.0
    k = 0.0
    while np.sum(helper(a, c - k)) > 0:
        y = y + a * k * c
        k += 0.5
    return np.sum(y * a) + c


def part(a, c):
    y = 0.0
    if c > 0.5:
        y = np.outer(a, a)
    if np.ndim(y) == 2:
        y = y[0]
    z = y + 1
    return z * c if isinstance(z, float) else z[0] * z[1]


def raises(a, c):
    y = a if c > 0 else 2.0
    return len(y) * c


@pytest.mark.parametrize("f", [names, asked, written, loop, part, raises])
@pytest.mark.parametrize("c", [1.0, -1.0])
def test_the_value_is_that_of_python(f, c):
    agree(f, A, c)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [names, written, part])
@pytest.mark.parametrize("c", [1.0, -1.0])
def test_slopes_are_those_of_differences(f, c):
    found = rg.grad(f)(A.copy(), c)
    kept = rg.grad(f, memory="64kB")(A.copy(), c)
    assert np.array_equal(found, kept)

    def of_array(a):
        return f(a, c)

    for k in range(3):
        step = np.eye(3)[k] * 1e-6
        slope = (f(A + step, c) - f(A - step, c)) / 2e-6
        assert abs(found[k] - slope) < 1e-5
        value, tangent = rg.jvp(of_array, (A.copy(),), (np.eye(3)[k],))
        assert value == pytest.approx(f(A.copy(), c))
        assert tangent == pytest.approx(found[k])


def test_results_are_of_the_kind_that_they_are():
    f = rg.jit(lambda a, c: (a if c > 0 else 0, helper(a, c)))
    assert f(A, -1.0) == (0, -1.0)
    assert np.array_equal(f(A, 2.0)[1], 2.0 * A)
