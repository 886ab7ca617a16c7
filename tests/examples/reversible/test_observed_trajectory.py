"""A loss that meets an observation at every step takes a constant memory, and fits."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.observed_trajectory import GRADIENT, PLAIN, TRUE, data, fitted, main, step


def test_a_step_goes_back() -> None:
    x, v, dt, _ = data(4, 1)
    assert rg.check_inverse(step, x, v, *TRUE, dt, atol=1e-14).ok


def test_gradients_in_constant_memory() -> None:
    sizes: list[int] = []
    for steps in (30, 3000):
        rest = data(4, steps)
        (value, found), (same, expected) = GRADIENT(TRUE, *rest), PLAIN(TRUE, *rest)
        assert value == pytest.approx(same, rel=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
        sizes.append(GRADIENT.stats().peak_bytes)
    assert sizes[0] == sizes[1] < 2000 < 100_000 < PLAIN.stats().peak_bytes


def test_the_fit() -> None:
    np.testing.assert_allclose(fitted(np.array([9.0, 3.0]), data(8, 200)).x, TRUE, rtol=0.01)


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    assert "fitted" in capsys.readouterr().out
