"""ADBench's bundle adjustment against its numbers, and its sparse Jacobian in both modes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from examples.adbench.bundle_adjustment import data, jacobian, miss, residuals
from tests.examples.adbench_numbers import assert_close, numbers

NUMBERS = numbers("bundle_adjustment")


def arguments() -> tuple[Any, ...]:
    """One camera, one point and one observation, as often as ADBench has them."""
    n, m, p = (NUMBERS[k] for k in ("cameras", "points", "observations"))
    return (
        np.tile(NUMBERS["camera"], (n, 1)),
        np.tile(NUMBERS["point"], (m, 1)),
        np.full(p, NUMBERS["weight"]),
        np.stack((np.arange(p) % n, np.arange(p) % m), axis=1),
        np.tile(NUMBERS["feature"], (p, 1)),
    )


def dense(rows: np.ndarray, cols: np.ndarray, values: np.ndarray, width: int) -> np.ndarray:
    """The matrix of which those are the rows (CSR)."""
    out = np.zeros((len(rows) - 1, width))
    for row, (begin, end) in enumerate(pairwise(rows)):
        out[row, cols[begin:end]] = values[begin:end]
    return out


@pytest.mark.parametrize("fun", [residuals, rg.jit(residuals)], ids=["python", "native"])
def test_residuals(fun: Any) -> None:
    errors, weight_errors = fun(*arguments())
    assert_close(errors, np.tile(NUMBERS["residual"], (NUMBERS["observations"], 1)), 1e-11)
    assert_close(weight_errors, np.full(NUMBERS["observations"], NUMBERS["weight_residual"]), 1e-11)


def test_jacobian() -> None:
    rows, cols, values = rg.jit(jacobian)(*arguments())
    count, (height, width) = NUMBERS["observations"], NUMBERS["shape"]
    assert (len(rows), len(values)) == (height + 1, NUMBERS["nonzeros"])
    assert rows.tolist() == [*range(0, 30 * count, 15), *range(30 * count, 31 * count + 1)]
    assert_close(
        values[:-count].reshape(count, 2, 15), np.tile(NUMBERS["block"], (count, 1, 1)), 1e-11
    )
    assert_close(values[-count:], np.full(count, NUMBERS["weight_slope"]), 1e-12)
    # The third observation is of the first camera and the third point.
    third = [*range(11), *range(22 + 6, 22 + 9), width - count + 2]
    assert cols[60:90].tolist() == third * 2
    assert cols[-count:].tolist() == list(range(width - count, width))


@pytest.mark.parametrize("way", [rg.jacfwd, rg.jacrev])
def test_block_in_each_mode(way: Any) -> None:
    camera, point, weight, feature = (
        np.array(NUMBERS[k]) for k in ("camera", "point", "weight", "feature")
    )
    by_camera, by_point, by_weight = way(miss, argnums=(0, 1, 2))(
        camera, point, float(weight), feature
    )
    found = np.concatenate((by_camera, by_point, by_weight[:, None]), axis=1)
    assert_close(found, NUMBERS["block"], 1e-11)


def test_whole_matrix_against_products() -> None:
    *unknowns, observations, features = data(3, 5, 12, np.random.default_rng(3))

    def flat(cameras, points, weights):
        errors, weight_errors = residuals(cameras, points, weights, observations, features)
        return np.concatenate((errors.ravel(), weight_errors))

    width = sum(u.size for u in unknowns)
    matrix = dense(*rg.jit(jacobian)(*unknowns, observations, features), width)
    draw = np.random.default_rng(4)
    direction = tuple(draw.normal(size=u.shape) for u in unknowns)
    value, tangent = rg.jvp(flat, tuple(unknowns), direction)
    assert_close(tangent, matrix @ np.concatenate([d.ravel() for d in direction]), 1e-11)
    cotangent = draw.normal(size=value.shape)
    pulled = rg.vjp(flat, *unknowns)[1](cotangent)
    assert_close(np.concatenate([u.ravel() for u in pulled]), cotangent @ matrix, 1e-11)


def test_a_camera_that_is_not_turned() -> None:
    cameras, *others = data(1, 2, 2, np.random.default_rng(6))
    cameras[0, :3] = 0.0
    errors, _ = rg.jit(residuals)(cameras, *others)
    cameras[0, :3] = 1e-9
    assert_close(errors, rg.jit(residuals)(cameras, *others)[0], 1e-7)
    _, _, values = rg.jit(jacobian)(cameras, *others)
    assert np.all(np.isfinite(values))
