"""What Python does not do with lists was done with those of run-time length, as with arrays; and
lists were not added to arrays in place, nor parts of lists changed in place."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def squares(x, n):
    found = []
    for k in range(n):
        found.append(x * k)
    return found


def minus(x, n):
    return np.sum(squares(x, n) - squares(x, n))


def times(x, n):
    return np.sum(squares(x, n) * 0.5)


def negative(x, n):
    return np.sum(-squares(x, n))


def halved(x, n):
    found = squares(x, n)
    found[1:] /= 2
    return np.sum(found)


@pytest.mark.parametrize("f", [minus, times, negative, halved])
def test_python_raises_a_type_error(f):
    with pytest.raises(TypeError):
        f(0.5, 3)
    with pytest.raises(UserError, match="RG0110: (unsupported|bad|can't)"):
        rg.jit(f)(0.5, 3)


def of_numpy(x, n):
    found = squares(x, n)
    return np.sum((found - np.mean(found)) ** 2) + np.sum([x, 1.0] / np.sqrt(x))


def in_place(x, n):
    found = squares(x, n)
    found[1:] *= 2
    found[:1] += [x, x * x]
    row = np.array([x, 1.0, 2.0])
    row += [x, x, 1.0]
    row *= (1.0, x, 2.0)
    found[2:4] *= row[:2]
    return sum(found) + np.sum(row) * len(found)


@pytest.mark.parametrize("f", [of_numpy, in_place])
def test_numpy_makes_arrays_of_lists(f):
    assert rg.jit(f)(0.5, 3) == pytest.approx(f(0.5, 3), rel=1e-13)
    slope = (f(0.5 + 1e-6, 3) - f(0.5 - 1e-6, 3)) / 2e-6
    assert rg.grad(f)(0.5, 3) == pytest.approx(slope, rel=1e-7)
