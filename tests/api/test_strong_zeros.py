"""Roots of 0 whose cotangent is 0: distances of particles to themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

PLACES = np.random.default_rng(3).normal(size=(4, 2))
ALONG = np.random.default_rng(4).normal(size=(4, 2))


def bells(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-(np.sqrt(np.sum(d * d, axis=2)) ** 2)))


def by_power(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.cos((d[:, :, 0] ** 2 + d[:, :, 1] ** 2) ** 0.5))


def not_looked_at(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(np.sum(d * d, axis=2))
    np.fill_diagonal(r, 3.0)
    return np.sum(1.0 / r**3)


def one_by_one(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            r = np.sqrt((x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2)
            total += np.exp(-(r**2))
    return total


def angles(x):
    d = 0.1 * (x[:, None, 0] - x[None, :, 0])
    c = 1.0 - d * d
    return np.sum(np.arccos(c) ** 2 + np.cos(np.arcsin(c) - np.pi / 2))


@pytest.mark.parametrize("f", [bells, by_power, not_looked_at, one_by_one, angles])
def test_gradients(f: Callable[..., Any]) -> None:
    slope = (f(PLACES + 1e-6 * ALONG) - f(PLACES - 1e-6 * ALONG)) / 2e-6
    found = rg.grad(f)(PLACES)
    np.testing.assert_allclose(np.sum(found * ALONG), slope, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(rg.jvp(f, (PLACES,), (ALONG,))[1], slope, rtol=1e-7, atol=1e-8)
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(PLACES), found)


def test_several_directions_at_once() -> None:
    found = rg.grad(bells)(PLACES)
    np.testing.assert_allclose(rg.jacrev(bells)(PLACES), found, rtol=1e-12)
    np.testing.assert_allclose(rg.jacfwd(bells)(PLACES), found, rtol=1e-12)


def test_what_is_infinite_stays_so() -> None:
    assert rg.grad(lambda x: np.sqrt(x))(0.0) == np.inf
    assert rg.grad(lambda x: x**0.5)(0.0) == np.inf
    assert np.isnan(rg.grad(lambda x: np.arctan(1.0 / x))(0.0))  # -1 beside 0


def test_second_derivatives_are_not_taken_for_zero() -> None:
    def bell(x):
        return np.exp(-(np.sqrt(x * x) ** 2))

    assert rg.grad(bell)(0.0) == 0.0
    assert np.isnan(rg.hvp(bell, (0.0,), (1.0,)))  # -2
    assert np.isnan(rg.grad(rg.grad(bell))(0.0))
    assert np.isnan(rg.jvp(rg.grad(bell), (0.0,), (1.0,))[1])
    assert np.isnan(rg.grad(lambda x: rg.jvp(bell, (x,), (1.0,))[1])(0.0))
    tangent = rg.jvp(lambda x: rg.jvp(bell, (x,), (1.0,))[1], (0.0,), (1.0,))[1]
    assert np.isnan(tangent)
