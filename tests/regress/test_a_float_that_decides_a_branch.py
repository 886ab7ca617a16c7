"""A literal float that a function is given: what a condition on it decides is known there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.array([0.5, 2.0, -1.0, 3.0])


def cut(x: Any, size: Any) -> Any:
    if 0 < size < 1:
        count = int(len(x) * size)
    else:
        count = size
    return np.sum(x[: len(x) - count] ** 2)


def by_share(x: Any) -> Any:
    return cut(x, 0.5) + 10.0 * cut(x, 1)


class Split:
    """An object whose attribute is a share or a number of elements."""

    def __init__(self, data: Any, size: Any = 0.25) -> None:
        self.data = data
        self.size = size

    def __getitem__(self, k: int) -> Any:
        size = int(len(self.data[k]) * self.size) if self.size < 1 else self.size
        return self.data[k][:-size]


def by_attribute(x: Any) -> Any:
    return np.sum(Split([x])[0] ** 3) + np.sum(Split([x], 2)[0])


def signed(x: Any, by: Any) -> Any:
    y = x if by < 1 else x[0]
    return np.sum(np.copysign(y, by))


def of_both_signs(x: Any) -> Any:
    return signed(x, 0.0) + 10.0 * signed(x, -0.0) + 100.0 * signed(x, 2.0)


@pytest.mark.parametrize("function", [by_share, by_attribute])
def test_the_branch_is_known(function: Any) -> None:
    assert rg.jit(function)(X) == pytest.approx(function(X))
    steps = 1e-6 * np.eye(4)
    slopes = [(function(X + h) - function(X - h)) / 2e-6 for h in steps]
    assert np.allclose(rg.grad(function)(X), slopes)
    assert np.allclose(rg.grad(function, memory=10**6)(X), slopes)
    assert rg.jvp(function, (X,), (X,))[1] == pytest.approx(np.dot(slopes, X))


def test_zeros_of_both_signs_stay_apart() -> None:
    assert rg.jit(of_both_signs)(X) == of_both_signs(X)
