"""Gradients as text and as a file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from retrograd.report.values import gradient_text, named_gradients, save_gradients


class Point(NamedTuple):
    x: float
    y: float


def loss(rate, weights, point):
    return rate * weights[0] * point.x


def test_gradients_are_named_after_parameters_and_fields() -> None:
    gradients = (np.array([1.0, 2.0]), Point(3.0, 4.0))
    named = named_gradients(loss, (1, 2), gradients)
    assert list(named) == ["weights", "point.x", "point.y"]
    assert named["point.y"] == 4.0


def test_plain_tuples_are_named_by_position() -> None:
    assert named_gradients(loss, (0,), ((1.0, (2.0,)),)) == {"rate.0": 1.0, "rate.1.0": 2.0}


def test_numbers_are_written_with_all_their_digits() -> None:
    text = gradient_text(0.1, {"rate": 1 / 3, "weights": np.array([0.5, 1.5])})
    assert text.splitlines()[:2] == ["value = 0.1", "d/drate = 0.3333333333333333"]
    assert "d/dweights [2] =" in text


def test_a_saved_gradient_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "gradient.npz"
    save_gradients(str(path), 2.0, {"weights": np.array([0.5, 1.5])})
    with np.load(path) as found:
        assert found["value"] == 2.0
        np.testing.assert_array_equal(found["weights"], [0.5, 1.5])
