"""Waves that go back, and the gradient of a recording by the speed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.wave_equation import GRADIENT, PLAIN, data, invert, main, misfit, step


def test_a_step_goes_back() -> None:
    c, (u, p, dt, *_) = data(40, 3)
    assert rg.check_inverse(step, u, p, c, dt, atol=1e-14).ok


def test_the_gradient() -> None:
    c, rest = data(40, 60)
    slow, along = 0.9 * c, np.sin(np.arange(40.0))
    _, found = GRADIENT(slow, *rest)
    np.testing.assert_allclose(found, PLAIN(slow, *rest)[1], rtol=1e-9, atol=1e-12)
    ends = [misfit(slow + h * along, *rest) for h in (-1e-6, 1e-6)]
    assert found @ along == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-6)


def test_bytes_do_not_grow() -> None:
    sizes: list[list[int]] = []
    for gradient in (GRADIENT, PLAIN):
        sizes.append([])
        for steps in (60, 600):
            c, rest = data(40, steps)
            gradient(c, *rest)
            sizes[-1].append(gradient.stats().peak_bytes)
    assert sizes[0][0] == sizes[0][1]
    assert sizes[1][1] > 8 * sizes[1][0]


def test_the_speed_is_found() -> None:
    _, rest = data(40, 60)
    found = invert(np.ones(40), rest, 30)
    assert found.fun < 0.05 * misfit(np.ones(40), *rest)


def test_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    main(["--quick", "--out", str(tmp_path)])
    assert (tmp_path / "wave_equation.png").read_bytes().startswith(b"\x89PNG")
