"""Names that are a list on one path, and an array, a tuple, a number or a dict on another one."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree, slopes_of

OUTSIDE = [1.0, 2.0, 5.0]


def kinds(x, n):
    y = None
    if n > 0:
        y = [x[0], 2.0]
    if n > 1:
        y = np.array([x[0] * x[1], 3.0, x[1]])
    if n > 2:
        y = (x[0],)
    if n > 3:
        y = {x[0], x[1]}
    if n > 4:
        y = OUTSIDE
    if n > 5:
        y = deque([x[0], x[0]])
    if y is None:
        return 0.0 * x[0]
    return sum(y) * x[1] + len(y)


def written(x, n):
    """Each of the two lists stays itself, and so does the array."""
    a, b, c = [x[0], 1.0], [2.0 * x[1], 3.0], np.array([x[0], 4.0])
    y = a if n > 1 else b
    if n > 2:
        y = c
    y[0] = x[0] ** 3
    y[1] += x[1]
    return sum(a) * 2.0 + sum(b) * 3.0 + np.sum(c) * np.sum(y)


def parts(x, n):
    """A part of an array is a view, that of a list a copy."""
    y = [x[0], 3.0, x[1]] if n > 1 else np.array([x[0], 2.0, x[1]])
    z, w = y[1:], y[::-1]
    z[0] = x[0] ** 2
    w[0] = x[1] * x[1]
    return sum(y) * x[0] + z[0] * w[2]


def looped(x, n):
    y, history = [x[0], 1.0], []
    for k in range(n):
        history.append(y)
        y = list(y) if k % 2 else np.array(y) * x[1]
        y[0] = y[1] + x[0]
    return sum(np.sum(row) for row in history) + y[0] * y[-1]


def grown(x, n):
    y = [x[0]]
    if n > 2:
        y = np.array([x[0], x[1]])
    for k in range(n):
        if isinstance(y, list):
            y.append(x[1] * k)
        else:
            y = np.append(y, x[1] * k)
    return np.sum(y)


class Holder:
    def __init__(self, v):
        self.v = v

    def fix(self):
        self.v = np.asarray(self.v)


def held(x, n):
    one, other = Holder([x[0], x[1]]), {"v": [x[0], 1.0]}
    if n > 1:
        one.fix()
        other["v"] = np.array([x[1], 2.0, 3.0])
    same = other["v"] is one.v
    return np.dot(one.v, one.v) + np.max(other["v"]) * np.mean(other["v"]) + same


def indices(x, n):
    chosen = range(n)
    if n > 2:
        chosen = [0, 1]
    v = np.array([x[0], x[1]])
    settings = {"scale": x[0]} if n > 1 else x[1]
    scale = settings["scale"] if isinstance(settings, dict) else settings
    return sum(v[i] * i for i in chosen) + scale * x[0]


def joined(x, n):
    y = [x[0], 2.0, x[1]] if n % 2 else np.array([x[1], x[0], 1.0])
    rows = np.stack((y, np.ones(3)), axis=1) + np.dstack([y, [x[0], 1.0, 2.0]])[0]
    picked = np.where(np.array(y) > 1.0, y, [0.5, x[0], x[1]]) + np.clip(y, 0.9, [1.0, 2.0, x[0]])
    masks = [True, False, x[0] > 0.5]
    other = np.where(masks, y, 0.0) * np.select([masks, [True, True, False]], [y, y], x[0])
    return np.sum(rows * picked[:, None]) + np.sum(other * np.concatenate([y, y])[1:4])


def raises(x, n):
    y = [x[0], 2.0] if n > 1 else np.array([x[0], 2.0])
    if n == 4:
        return (-y)[0]
    if n == 0:
        y.append(x[0])
    if n == 3:
        y **= 2
    return y[:1, None][0, 0] if n == 2 else y[0]


ALL = [kinds, written, parts, looped, grown, held, indices, joined, raises]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("n", range(7))
def test_the_value_is_that_of_python(f, n):
    agree(f, np.array([0.7, 1.6]), n)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [written, parts, looped, held, joined])
@pytest.mark.parametrize("n", [1, 3])
def test_slopes_are_those_of_differences(f, n):
    assert slopes_of(lambda x: f(x, n), np.array([0.7, 1.6])).shape == (2,)


def test_results_are_of_the_kind_that_they_are():
    f = rg.jit(lambda x, n: [x, 1.0] if n > 1 else np.array([x]))
    assert f(0.5, 2) == [0.5, 1.0]
    assert np.array_equal(f(0.5, 1), [0.5])


def scaled(x):
    y = [x, 1.0]
    if x > 0.5:
        y = np.array([x, 2.0])
    return np.sum(y * x)


def shifted(x):
    y = [x, 1.0]
    if x > 0.5:
        y = np.array([x, 2.0])
    return np.sum(y - x)


def test_what_differs_raises_as_in_python():
    assert rg.jit(scaled)(0.7) == pytest.approx(scaled(0.7))
    with pytest.raises(TypeError, match="multiply sequence"):
        rg.jit(scaled)(0.3)
    assert rg.jit(shifted)(0.7) == pytest.approx(shifted(0.7))
    assert rg.jit(shifted)(np.float64(0.3)) == pytest.approx(shifted(np.float64(0.3)))
    with pytest.raises(TypeError, match="unsupported operand"):
        rg.jit(shifted)(0.3)
