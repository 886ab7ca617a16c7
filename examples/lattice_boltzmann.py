"""Lattice Boltzmann in three dimensions: gradients through time steps that are maps over cells.

D3Q19 with the collision of Bhatnagar, Gross and Krook in a periodic box. Cells are numbered in a
row, and have nineteen populations each, one for each velocity. A step takes the populations that
stream into a cell from its neighbours, and relaxes them to equilibrium; a force shifts the velocity
of the equilibrium. The gradient of the final kinetic energy is by the initial velocities and by the
force in every cell.
"""

from __future__ import annotations

import itertools

import numpy as np

import retrograd as rg

__all__ = ["data", "energy", "evolved", "kinetic_energy", "upstream_of"]

VELOCITIES = np.array(
    sorted(
        (c for c in itertools.product((-1.0, 0.0, 1.0), repeat=3) if np.abs(c).sum() <= 2.0),
        key=lambda c: np.abs(c).sum(),
    )
)
WEIGHTS = np.array([1 / 3] + [1 / 18] * 6 + [1 / 36] * 12)


def equilibrium(density, velocity):
    """The populations of Maxwell's distribution, to second order in the velocity."""
    along = VELOCITIES @ velocity
    still = 1.0 - 1.5 * np.sum(velocity * velocity)
    return density * WEIGHTS * (still + 3.0 * along + 4.5 * along * along)


def collided(populations, force, rate):
    """The populations of a cell, relaxed to equilibrium under a force."""
    density = np.sum(populations)
    velocity = (populations @ VELOCITIES + force / rate) / density
    return populations + rate * (equilibrium(density, velocity) - populations)


def step(f, force, upstream, rate):
    """All populations a time step later."""

    def of_cell(sources, force_here):
        arriving = np.array([f[source, q] for q, source in enumerate(sources)])
        return collided(arriving, force_here, rate)

    return rg.map(of_cell, upstream, force)


def evolved(velocity, force, upstream, rate, steps):
    """The populations after some steps, from equilibrium at density 1."""
    f = rg.map(lambda v: equilibrium(1.0, v), velocity)
    for _ in range(steps):
        f = step(f, force, upstream, rate)
    return f


def kinetic_energy(f):
    """Half the density times the squared velocity, summed over cells."""

    def of_cell(populations):
        momentum = populations @ VELOCITIES
        return 0.5 * np.sum(momentum * momentum) / np.sum(populations)

    return np.sum(rg.map(of_cell, f))


def energy(velocity, force, upstream, rate, steps):
    """The kinetic energy after some steps."""
    return kinetic_energy(evolved(velocity, force, upstream, rate, steps))


def upstream_of(n):
    """For each cell of a periodic n**3 box and each velocity, the cell that it streams from."""
    places = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    x, y, z = np.moveaxis((places - VELOCITIES.astype(np.int64)) % n, -1, 0)
    return (x * n + y) * n + z


def data(n, steps, rng):
    """Vortices of Taylor and Green, a small random force, and where populations come from."""
    x, y, z = 2.0 * np.pi / n * np.indices((n, n, n)).reshape(3, -1)
    velocity = 0.05 * np.stack(
        [np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0.0 * x], axis=1
    )
    return velocity, 1e-4 * rng.normal(size=(n**3, 3)), upstream_of(n), 1.2, steps


def main() -> None:
    """Prints the energy and its gradient for some numbers of steps; the mass stays."""
    rng = np.random.default_rng(1)
    slopes = rg.value_and_grad(energy, argnums=(0, 1))
    for steps in (0, 5, 10):
        arguments = data(8, steps, rng)
        assert np.isclose(np.sum(rg.jit(evolved)(*arguments)), 8.0**3, rtol=1e-12)
        value, (by_velocity, by_force) = slopes(*arguments)
        print(
            f"{steps:3} steps: energy {value:.6f}, gradient by velocities "
            f"{np.linalg.norm(by_velocity):.6f}, by forces {np.linalg.norm(by_force):.6f}; "
            f"tape {slopes.stats().tape_bytes:,} bytes"
        )
    velocity, force, *rest = data(3, 4, rng)
    rg.check_grads(lambda v, f: energy(v, f, *rest), (velocity, force), order=1)
    tight = rg.value_and_grad(energy, argnums=(0, 1), memory="600kB")(*arguments)
    assert np.array_equal(tight[1][0], by_velocity)
    assert np.array_equal(tight[1][1], by_force)


if __name__ == "__main__":
    main()
