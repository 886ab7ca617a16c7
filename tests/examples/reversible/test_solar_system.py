"""Planets return, their energy stays, and gradients of their orbits take a constant memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.solar_system import (
    ENERGY,
    STEP,
    back_again,
    bytes_of,
    leapfrog,
    main,
    planets,
)


def test_a_year_of_the_earth() -> None:
    x, v, mass = planets()
    begun = x.copy()
    first = ENERGY(x, v, mass)
    np.testing.assert_allclose(mass @ v, 0.0, atol=1e-15)
    STEP(x, v, mass, 1e-4, 10_000)
    assert np.linalg.norm(x[1] - begun[1]) < 0.01
    assert ENERGY(x, v, mass) == pytest.approx(first, rel=1e-5)


def test_compiled_as_by_python() -> None:
    (x, v, mass), (y, w, _) = planets(), planets()
    leapfrog(x, v, mass, 0.01, 50)
    STEP(y, w, mass, 0.01, 50)
    np.testing.assert_allclose((x, v), (y, w), rtol=1e-12, atol=1e-14)
    assert rg.check_inverse(leapfrog, *planets(), 0.01, 50, atol=1e-12).ok


def test_who_returns() -> None:
    assert back_again("leapfrog, then its inverse", 0.01, 1000)[1] < 1e-10
    assert back_again("leapfrog, then with −dt", 0.01, 1000)[1] > 0.1
    assert back_again("Runge-Kutta, then with −dt", 0.01, 1000)[1] > 1e-5
    assert back_again("leapfrog, then its inverse", 0.01, 10_000)[0] < 1e-3


def test_fixed_point_numbers_return_to_the_bit() -> None:
    lost, missed = back_again("the same of fixed-point numbers", 0.01, 10_000)
    assert missed == 0.0
    assert 0.0 < lost < 1e-3


def test_gradients_in_constant_memory() -> None:
    (small, _, _), (large, _, found) = (bytes_of("reversible", 0.01, n) for n in (100, 10_000))
    assert small == large < 2000
    taped, _, expected = bytes_of("whole tape", 0.01, 10_000)
    assert taped > 1_000_000
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-7 * np.max(np.abs(theirs)))


def test_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    main(["--quick", "--out", str(tmp_path)])
    for name in ("drift", "bytes"):
        picture = tmp_path / f"solar_system_{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
