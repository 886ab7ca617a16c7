"""A step that did not fit beside the snapshots had the reverse sweep taken to need twice as much as
it: more than there was. So all snapshots were given up, and 16 states took four times the steps of
14."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def diffusion(u, n):
    """Six states live on the way through a step, one between two of them."""
    for _ in range(n):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * np.exp(-u[1:-1])
        u = v
    return np.sum(u * u)


def test_more_memory_takes_no_more_steps() -> None:
    u, steps = np.linspace(0.0, 1.0, 100_000), list[int]()
    want = rg.grad(diffusion)(u, 60)
    for states in (14, 16):
        with rg.record() as run:
            found = rg.grad(diffusion, memory=states * u.nbytes + 2000)(u, 60)
        np.testing.assert_array_equal(found, want)
        steps.append(run.steps)
    assert steps[1] < 1.5 * steps[0]
