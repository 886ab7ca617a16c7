"""ADBench's objectives in reversible style agree with the plain programs."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.adbench import (
    COMPARED,
    add_densities,
    add_residuals,
    compared,
    data,
    main,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_gradients(name: str) -> None:
    value, off, slope = compared(name, data(name, True))
    assert abs(value) > 1.0
    assert max(off, slope) < 1e-12


def test_densities_are_taken_off() -> None:
    rng = np.random.default_rng(2)
    means, triangles, points = (rng.normal(size=s) for s in ((2, 3), (2, 3, 3), (5, 3)))
    found = add_densities(0.0, np.zeros(2), means, triangles, points)
    apart = np.einsum("kij,nkj->nki", triangles, points[:, None] - means)
    expected = np.sum(np.log(np.sum(np.exp(-0.5 * np.sum(apart**2, axis=2)), axis=1)))
    assert found == pytest.approx(expected, rel=1e-12)
    assert abs(rg.inverse(add_densities)(found, np.zeros(2), means, triangles, points)) < 1e-12


def test_residuals_are_taken_off() -> None:
    args = data("bundle adjustment", True)
    assert rg.check_inverse(add_residuals, np.zeros((60, 2)), *args).ok


@pytest.mark.slow
def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    assert "bundle adjustment" in capsys.readouterr().out
