"""Random directions and relative differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from retrograd.testing.measure import cotangent, direction, relative, relative_sum


def test_a_direction_moves_every_entry_in_its_own_scale(rng: np.random.Generator) -> None:
    x = np.array([1e-9, 1.0, -1e3])
    d = direction((x, 5.0), rng)
    assert d[0].shape == x.shape
    assert np.all(np.abs(d[0]) >= 0.5 * np.abs(x))
    assert np.abs(d[0][0]) >= 0.5
    assert 2.5 <= abs(d[1]) <= 5.0


def test_zeros_move_too(rng: np.random.Generator) -> None:
    assert np.all(np.abs(direction(np.zeros(3), rng)) >= 0.5)
    assert direction(np.zeros((0, 2)), rng).shape == (0, 2)


def test_the_same_seed_gives_the_same_direction() -> None:
    first, second = (direction(np.ones(4), np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_what_is_not_float_has_a_zero_cotangent(rng: np.random.Generator) -> None:
    assert cotangent((3, True), rng) == (0, False)
    assert cotangent(np.arange(2), rng).dtype == np.int64


@pytest.mark.parametrize(
    ("left", "right", "error"),
    [
        ([1.0, 100.0], [1.0, 101.0], 1 / 101),
        ([math.nan, 1.0], [math.nan, 1.0], 0.0),
        ([math.inf], [math.inf], 0.0),
        ([], [], 0.0),
        ([1.0], [1.0, 2.0], math.inf),
    ],
)
def test_the_error_is_relative_to_the_largest_entry(
    left: list[float], right: list[float], error: float
) -> None:
    assert relative(np.array(left), np.array(right)) == pytest.approx(error)


@pytest.mark.parametrize(("left", "right"), [(math.nan, 1.0), (math.inf, 1.0), (0.0, math.nan)])
def test_a_nan_on_one_side_is_no_agreement(left: float, right: float) -> None:
    assert not relative(np.array([left]), np.array([right])) <= 1.0
    assert not relative_sum(np.array([left]), np.array([right])) <= 0.5


def test_sums_are_compared_by_the_size_of_their_terms() -> None:
    left, right = np.array([1e8, -1e8, 1.0]), np.array([2.0])
    assert relative_sum(left, right) == pytest.approx(1.0 / (2e8 + 1), rel=1e-6)
    assert relative_sum(left, left) == 0.0
