"""What lattice Boltzmann conserves and converges to, and its gradients in both modes."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.lattice_boltzmann import (
    VELOCITIES,
    WEIGHTS,
    data,
    energy,
    equilibrium,
    evolved,
    upstream_of,
)
from tests.orders import BOTH_ORDERS


def test_the_velocities_are_isotropic() -> None:
    second = np.einsum("q,qi,qj->ij", WEIGHTS, VELOCITIES, VELOCITIES)
    fourth = np.einsum("q,qi,qj,qk,ql->ijkl", WEIGHTS, *[VELOCITIES] * 4)
    pairs = np.einsum("ij,kl->ijkl", *[np.eye(3)] * 2)
    np.testing.assert_allclose(second, np.eye(3) / 3, atol=1e-15)
    np.testing.assert_allclose(
        fourth, (pairs + pairs.swapaxes(1, 2) + pairs.swapaxes(1, 3)) / 9, atol=1e-15
    )


def test_equilibrium_has_its_density_and_velocity() -> None:
    velocity = np.array([0.1, -0.05, 0.02])
    populations = equilibrium(1.5, velocity)
    assert np.sum(populations) == pytest.approx(1.5, rel=1e-14)
    np.testing.assert_allclose(populations @ VELOCITIES, 1.5 * velocity, rtol=1e-13)


def test_streaming_permutes_the_cells() -> None:
    upstream = upstream_of(4)
    np.testing.assert_array_equal(np.sort(upstream, axis=0), np.arange(64)[:, None] + 0 * upstream)
    np.testing.assert_array_equal(upstream[:, 0], np.arange(64))


def test_mass_and_momentum() -> None:
    velocity, force, *rest, steps = data(6, 8, np.random.default_rng(2))
    f = rg.jit(evolved)(velocity, force, *rest, steps)
    assert np.sum(f) == pytest.approx(6.0**3, rel=1e-13)
    momentum = np.sum(velocity, axis=0) + steps * np.sum(force, axis=0)
    np.testing.assert_allclose(np.sum(f @ VELOCITIES, axis=0), momentum, atol=1e-12)


def test_a_shear_wave_decays_as_viscosity_says() -> None:
    n, rate, steps = 16, 1.2, 40
    _, force, upstream, *_ = data(n, steps, np.random.default_rng(0))
    y = np.indices((n, n, n)).reshape(3, -1)[1]
    velocity = np.zeros((n**3, 3))
    velocity[:, 0] = 0.01 * np.sin(2.0 * np.pi * y / n)
    run = rg.jit(energy)
    decay = run(velocity, 0.0 * force, upstream, rate, steps) / run(
        velocity, 0.0 * force, upstream, rate, 0
    )
    viscosity = (1.0 / rate - 0.5) / 3.0
    expected = np.exp(-2.0 * viscosity * (2.0 * np.pi / n) ** 2 * steps)
    assert decay == pytest.approx(expected, rel=0.03)


def test_compiled_as_uncompiled() -> None:
    arguments = data(3, 2, np.random.default_rng(3))
    np.testing.assert_allclose(rg.jit(evolved)(*arguments), evolved(*arguments), rtol=1e-12)


@BOTH_ORDERS
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_both_modes(steps: int, order: int) -> None:
    velocity, force, *rest = data(3, steps, np.random.default_rng(4))
    rg.check_grads(lambda v, f: energy(v, f, *rest), (velocity, force), order)


@pytest.mark.parametrize("memory", [pytest.param("100kB", marks=pytest.mark.slow), "200kB"])
def test_same_bits_in_a_budget(memory: str) -> None:
    arguments = data(4, 12, np.random.default_rng(5))
    plain = rg.grad(energy, argnums=(0, 1))(*arguments)
    tight = rg.grad(energy, argnums=(0, 1), memory=memory)(*arguments)
    assert all(np.array_equal(a, b) for a, b in zip(plain, tight, strict=True))
