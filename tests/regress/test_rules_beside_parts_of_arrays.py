"""A function with a rule of its own, called before a function is given arrays of other extents each
time, ended the translation with an AttributeError."""

from __future__ import annotations

import numpy as np
from scipy.linalg import sqrtm

import retrograd as rg


def keep(parts, part):
    parts.append(part * 2.0)


def f(x):
    root = sqrtm(np.diag(x * x))
    parts = []
    for k in range(1, len(x) + 1):
        keep(parts, x[:k])
    return np.sum(root) + sum(np.sum(part) for part in parts)


def test_value_and_gradient() -> None:
    x = np.array([0.5, 1.5, 2.5])
    value, x_bar = rg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    np.testing.assert_allclose(x_bar, [7.0, 5.0, 3.0], rtol=1e-12)
