"""Products of rotations: orthogonal, undone, and learned."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.unitary import GRADIENT, affine, loss, main, matrix, turned


def test_rotations() -> None:
    rng = np.random.default_rng(3)
    angles, x = rng.normal(size=(5, 5)), rng.normal(size=5)
    q = matrix(angles)
    np.testing.assert_allclose(q.T @ q, np.eye(5), atol=1e-14)
    assert np.linalg.det(q) == pytest.approx(1.0, abs=1e-13)
    assert rg.check_inverse(turned, x, angles, atol=1e-14).ok
    turned(x, angles)
    rg.inverse(turned)(x, angles)
    y = rng.normal(size=2)
    assert rg.check_inverse(affine, y, rng.normal(size=(2, 5)), x, y.copy(), atol=1e-14).ok


def test_the_gradient() -> None:
    rng = np.random.default_rng(4)
    angles, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    inputs, outputs = rng.normal(size=(2, 2, 3))
    _, (by_angles, by_shift) = GRADIENT(angles, shift, inputs, outputs)
    one, other = np.tril(rng.normal(size=(3, 3)), -1), rng.normal(size=3)
    ends = [loss(angles + h * one, shift + h * other, inputs, outputs) for h in (-1e-5, 1e-5)]
    slope = np.sum(by_angles * one) + by_shift @ other
    assert slope == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-8)
    assert np.all(np.triu(by_angles) == 0.0)


def test_a_matrix_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    off = float(capsys.readouterr().out.split("matrix off by ")[1].split(",")[0])
    assert off < 1e-5
