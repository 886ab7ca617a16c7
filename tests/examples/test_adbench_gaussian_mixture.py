"""ADBench's mixture of Gaussians against its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from examples.adbench.gaussian_mixture import data, objective
from tests.examples.adbench_numbers import assert_close, directional, numbers
from tests.orders import BOTH_ORDERS

NUMBERS = numbers("gaussian_mixture")
cases = pytest.mark.parametrize("name", NUMBERS)


def arguments(name: str) -> tuple[Any, ...]:
    *arrays, gamma, m = NUMBERS[name]["arguments"]
    return *map(np.array, arrays), gamma, m


def flat_gradient(name: str) -> np.ndarray:
    parts = rg.grad(objective, argnums=(0, 1, 2))(*arguments(name))
    return np.concatenate([p.ravel() for p in parts])


@cases
def test_objective(name: str) -> None:
    expected = NUMBERS[name]["objective"]
    assert_close(rg.jit(objective)(*arguments(name)), expected, 1e-12)
    assert_close(objective(*arguments(name)), expected, 1e-12)


def test_gradient_of_one_point() -> None:
    assert_close(flat_gradient("one_point"), NUMBERS["one_point"]["gradient"], 1e-12)


def test_gradient_of_a_thousand_points() -> None:
    found, expected = flat_gradient("thousand_points"), NUMBERS["thousand_points"]
    assert_close(found[:20], expected["gradient_first20"], 1e-11)
    assert_close(found[-5:], expected["gradient_last5"], 1e-11)
    assert_close(np.linalg.norm(found), expected["gradient_l2"], 1e-11)
    assert_close(np.sum(found), expected["gradient_sum"], 1e-11)


@pytest.mark.thinned(2)
@cases
@pytest.mark.parametrize("seed", range(3))
def test_forward_mode(name: str, seed: int) -> None:
    *arrays, points, gamma, m = arguments(name)

    def of_parameters(weights, means, factors):
        return objective(weights, means, factors, points, gamma, m)

    direction, slope = directional(of_parameters, tuple(arrays), seed)
    flat = np.concatenate([d.ravel() for d in direction])
    expected = flat_gradient(name)
    assert abs(slope - flat @ expected) <= 1e-11 * np.linalg.norm(flat) * np.linalg.norm(expected)


@BOTH_ORDERS
def test_both_modes_with_a_prior_that_counts(order: int) -> None:
    weights, means, factors, points, _, _ = data(6, 3, 2, np.random.default_rng(5))
    rg.check_grads(lambda *at: objective(*at, points, 0.7, 2), (weights, means, factors), order)
