"""Gravitating bodies by the leapfrog method: all pairs, softened, coordinates in rows.

The result is a weighted sum of the final positions: the energy, which the method keeps, would have
an almost vanishing gradient. The inner loop runs over the bodies that are pulled, so that it has no
sum across iterations and can be vectorised as it stands.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CAdjoint, CPrimal, address, double, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem, Value

__all__ = ["LEAPFROG", "leapfrog"]


def leapfrog(start, speed, mass, weight, steps, dt, softening):
    """Weighted final positions after `steps` of drift, kick, drift."""
    q = start.copy()
    v = speed.copy()
    n = q.shape[1]
    for _ in range(steps):
        for d in range(3):
            for i in range(n):
                q[d, i] += 0.5 * dt * v[d, i]
        for j in range(n):
            xj = q[0, j]
            yj = q[1, j]
            zj = q[2, j]
            pull = dt * mass[j]
            for i in range(n):
                dx = xj - q[0, i]
                dy = yj - q[1, i]
                dz = zj - q[2, i]
                square = dx * dx + dy * dy + dz * dz + softening
                force = pull / (square * math.sqrt(square))
                v[0, i] += force * dx
                v[1, i] += force * dy
                v[2, i] += force * dz
        for d in range(3):
            for i in range(n):
                q[d, i] += 0.5 * dt * v[d, i]
    total = 0.0
    for d in range(3):
        for i in range(n):
            total += weight[d, i] * q[d, i]
    return total


def data(size: Mapping[str, int]) -> Arguments:
    """A ball of bodies at random places and speeds."""
    n = size["n"]
    draw = np.random.default_rng(8)
    start, speed = draw.normal(size=(3, n)), 0.3 * draw.normal(size=(3, n))
    mass, weight = draw.uniform(0.5, 1.5, n) / n, draw.normal(size=(3, n))
    return start, speed, mass, weight, size["steps"], 0.01, 0.05


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    sizes = (integer, integer, double, double)
    names = {"leapfrog": (*(address,) * 6, *sizes), "leapfrog_adjoint": (*(address,) * 9, *sizes)}
    return load(Path(__file__).with_name("leapfrog.c"), names)


def c_primal(arguments: Arguments) -> CPrimal:
    start, speed, mass, weight, *scalars = arguments
    arrays = (start, speed, mass, weight, np.empty_like(start), np.empty_like(start))
    fixed = (*map(pointer, arrays), len(mass), *scalars)
    function = library()["leapfrog"]
    return CPrimal(lambda: function(*fixed))


def c_adjoint(arguments: Arguments) -> CAdjoint:
    start, speed, mass, weight, *scalars = arguments
    tape = np.empty((scalars[0], *start.shape))
    gradient = (np.empty_like(start), np.empty_like(speed))
    work = (np.empty_like(start), np.empty_like(speed))
    arrays = (start, speed, mass, weight, *work, tape, *gradient)
    fixed = (*map(pointer, arrays), len(mass), *scalars)
    function = library()["leapfrog_adjoint"]
    return CAdjoint(lambda: function(*fixed), gradient, tape.nbytes)


def jax_primal(arguments: Arguments) -> Value:
    """A scan over the steps; all pairs as arrays."""
    import jax
    import jax.numpy as jnp

    steps = arguments[4]

    def run(start, speed, mass, weight, _, dt, softening):
        def step(state, _):
            q, v = state
            q = q + 0.5 * dt * v
            d = q[:, :, None] - q[:, None, :]
            square = jnp.sum(d * d, axis=0) + softening
            force = (dt * mass)[:, None] / (square * jnp.sqrt(square))
            v = v + jnp.sum(force * d, axis=1)
            return (q + 0.5 * dt * v, v), None

        (q, _), _ = jax.lax.scan(step, (start, speed), None, length=steps)
        return jnp.sum(weight * q)

    return run


LEAPFROG = Problem(
    name="leapfrog",
    title="n-body leapfrog",
    primal=leapfrog,
    argnums=(0, 1),
    data=data,
    sizes={
        "full": {"n": 64, "steps": 200},
        "quick": {"n": 32, "steps": 50},
        "tiny": {"n": 5, "steps": 3},
    },
    c_primal=c_primal,
    c_adjoint=c_adjoint,
    jax_primal=jax_primal,
)
