"""Flows go back, learn, draw samples, and remember nothing of their layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.flows import (
    FLOWS,
    bytes_of,
    initial,
    main,
    moons,
    sampled,
    shift,
    trained,
)


@pytest.mark.parametrize("name", FLOWS)
def test_layers_go_back(name: str) -> None:
    rng = np.random.default_rng(2)
    points, p = moons(10, rng), initial(name, 4, 5, rng)
    x, y, logs = points[:, :1].copy(), points[:, 1:].copy(), np.zeros(10)
    assert rg.check_inverse(FLOWS[name].function, x, y, logs, p, atol=1e-12).ok


def test_the_logarithm_of_the_volume() -> None:
    rng = np.random.default_rng(3)
    p, point, step = initial("RealNVP", 2, 5, rng), moons(4, rng)[1:2], 1e-6

    def at(where):
        x, y, logs = where[:, :1].copy(), where[:, 1:].copy(), np.zeros(1)
        FLOWS["RealNVP"].function(x, y, logs, p)
        return np.concatenate([x[0], y[0]]), logs[0]

    columns = [(at(point + step * e)[0] - at(point - step * e)[0]) / (2 * step) for e in np.eye(2)]
    assert np.log(abs(np.linalg.det(np.array(columns)))) == pytest.approx(at(point)[1], abs=1e-7)


def test_the_gradient_of_a_layer() -> None:
    rng = np.random.default_rng(5)
    points, p = moons(6, rng), initial("NICE", 1, 4, rng)

    def loss(w, x, y):
        y = y.copy()
        shift(x, y, w, p.b[0], p.u[0], p.c[0])
        return np.sum(y**3)

    found = rg.grad(loss)(p.w[0], points[:, :1], points[:, 1:])
    hidden = np.tanh(points[:, :1] @ p.w[0] + p.b[0])
    y_bar = 3.0 * (points[:, 1:] + hidden @ p.u[0] + p.c[0]) ** 2
    expected = points[:, :1].T @ ((1.0 - hidden**2) * (y_bar @ p.u[0].T))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOWS)
def test_training(name: str) -> None:
    rng = np.random.default_rng(4)
    p, losses = trained(name, initial(name, 4, 32, rng), 150, rng)
    assert np.mean(losses[-20:]) < np.mean(losses[:5]) - 0.3
    few, many = (bytes_of(name, layers, moons(256, rng)) for layers in (4, 40))
    assert many < few + 100
    samples = sampled(name, p, 500, rng)
    np.testing.assert_allclose(samples.mean(axis=0), 0.0, atol=0.3)
    np.testing.assert_allclose(samples.std(axis=0), 1.0, atol=0.3)


@pytest.mark.slow
def test_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    main(["--quick", "--out", str(tmp_path)])
    assert (tmp_path / "flows.png").read_bytes().startswith(b"\x89PNG")
