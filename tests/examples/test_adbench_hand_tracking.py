"""ADBench's hand tracking against its numbers, in both variants and both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from examples.adbench.hand_tracking import (
    Hand,
    jacobian,
    jacobian_in_triangles,
    residuals,
    residuals_in_triangles,
)
from tests.examples.adbench_numbers import assert_close, directional, numbers

NUMBERS = numbers("hand_tracking")
SIMPLE, COMPLICATED = NUMBERS["simple"], NUMBERS["complicated"]
THETA, US = np.array(NUMBERS["theta"]), np.array(NUMBERS["us"])
POINTS = np.array(NUMBERS["points"])
BOTH = pytest.mark.parametrize("kind", ["simple", "complicated"])


def hand() -> Hand:
    """The vertices that matter here, and all bones."""
    return Hand(
        np.array(NUMBERS["parents"]),
        np.array(NUMBERS["relatives"]).reshape(-1, 4, 4),
        np.array(NUMBERS["inverse_absolutes"]).reshape(-1, 4, 4),
        np.array(NUMBERS["positions"]),
        np.array(NUMBERS["weights"]),
        np.array(NUMBERS["triangles"]),
    )


def problem(kind: str) -> tuple[Any, Any, tuple[Any, ...], tuple[Any, ...]]:
    """The function, its Jacobian, its unknowns and its other arguments."""
    if kind == "simple":
        return residuals, jacobian, (THETA,), (hand(), POINTS, np.array(NUMBERS["vertices"]))
    corresponding = np.arange(len(NUMBERS["triangles"]))
    return residuals_in_triangles, jacobian_in_triangles, (THETA, US), (
        hand(), POINTS, corresponding
    )  # fmt: skip


@BOTH
@pytest.mark.parametrize("native", [False, True])
def test_residuals(kind: str, native: bool) -> None:
    fun, _, unknowns, others = problem(kind)
    found = (rg.jit(fun) if native else fun)(*unknowns, *others)
    assert_close(found.ravel(), NUMBERS[kind]["objective"], 1e-12)


@BOTH
def test_jacobian(kind: str) -> None:
    _, matrix, unknowns, others = problem(kind)
    assert_close(rg.jit(matrix)(*unknowns, *others), NUMBERS[kind]["jacobian"], 1e-12)


@BOTH
def test_reverse_mode(kind: str) -> None:
    fun, _, unknowns, others = problem(kind)
    by_theta = rg.jacrev(fun)(*unknowns, *others).reshape(-1, len(THETA))
    assert_close(by_theta, np.array(NUMBERS[kind]["jacobian"])[:, -len(THETA) :], 1e-12)


def test_reverse_mode_by_all_coordinates() -> None:
    fun, _, unknowns, others = problem("complicated")
    by_us = rg.jacrev(fun, argnums=1)(*unknowns, *others)
    expected = np.array(COMPLICATED["jacobian"])[:, :2].reshape(-1, 3, 2)
    for point, block in enumerate(expected):
        assert_close(by_us[point, :, point], block, 1e-12)
        assert not np.any(np.delete(by_us[point], point, axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_forward_mode(seed: int) -> None:
    fun, _, unknowns, others = problem("simple")
    direction, tangent = directional(lambda theta: fun(theta, *others), unknowns, seed)
    assert_close(tangent.ravel(), np.array(SIMPLE["jacobian"]) @ direction[0], 1e-12)


def test_a_hand_that_is_not_turned() -> None:
    fun, matrix, (theta,), others = problem("simple")
    still, little = theta.copy(), theta.copy()
    still[:3], little[:3] = 0.0, 2e-4
    assert_close(rg.jit(fun)(still, *others), rg.jit(fun)(little, *others), 1e-2)
    by_theta = rg.jit(matrix)(still, *others)
    assert np.all(np.isfinite(by_theta))
    assert_close(rg.jacrev(fun)(still, *others).reshape(by_theta.shape), by_theta, 1e-12)
