"""A loss along a trajectory, with the loop outside: every step meets an observation.

Only the step is reversible. The loop around it is an ordinary loop of an ordinary function, and yet
its gradient remembers nothing: on the way back each step is undone, and what the loss needs is
there again. Gravity and the stiffness of springs between pendulums are fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from scipy.optimize import minimize

import retrograd as rg
from examples.reversible.plots import options

__all__ = ["GRADIENT", "PLAIN", "TRUE", "data", "fitted", "main", "step"]

Floats = npt.NDArray[np.float64]


@rg.reversible
def step(x, v, gravity, spring, dt):
    """Pendulums in a row, each tied to the next one."""
    v -= dt * gravity * np.sin(x)
    v[:-1] += dt * spring * (x[1:] - x[:-1])
    v[1:] -= dt * spring * (x[1:] - x[:-1])
    x += dt * v


def loss(p, x, v, dt, seen):
    """The mean squared distance to all observations."""
    x, v = x.copy(), v.copy()
    total = 0.0
    for t in range(len(seen)):
        step(x, v, p[0], p[1], dt)
        total += np.sum((x - seen[t]) ** 2)
    return total / len(seen)


def plain_loss(p, x, v, dt, seen):
    """The same by statements that are not known to be reversible."""
    x, v = x.copy(), v.copy()
    total = 0.0
    for t in range(len(seen)):
        v -= dt * p[0] * np.sin(x)
        v[:-1] += dt * p[1] * (x[1:] - x[:-1])
        v[1:] -= dt * p[1] * (x[1:] - x[:-1])
        x += dt * v
        total += np.sum((x - seen[t]) ** 2)
    return total / len(seen)


def observed(p, x, v, dt, steps):
    """The angles after every step."""
    x, v = x.copy(), v.copy()
    out = np.zeros((steps, len(x)))
    for t in range(steps):
        step(x, v, p[0], p[1], dt)
        out[t] = x
    return out


TRUE = np.array([9.81, 4.0])


def data(n: int, steps: int) -> tuple[Any, ...]:
    """The arguments of `loss` after the parameters."""
    rng = np.random.default_rng(3)
    x, v, dt = rng.uniform(-1.0, 1.0, n), np.zeros(n), 0.01
    seen = rg.jit(observed)(TRUE, x, v, dt, steps)
    return x, v, dt, seen + 0.01 * rng.normal(size=seen.shape)


GRADIENT = rg.value_and_grad(loss)
PLAIN = rg.value_and_grad(plain_loss)


def fitted(guess: Floats, rest: tuple[Any, ...]) -> Any:
    """Gravity and the stiffness of the springs by L-BFGS."""
    return minimize(GRADIENT, guess, rest, "L-BFGS-B", jac=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints bytes of gradients, and what was fitted."""
    asked = options(__doc__, arguments)
    n, most = 8, 10_000 if asked.quick else 100_000
    table = Table("observations", "reversible step", "whole tape", title="Bytes of a gradient")
    for steps in (most // 100, most // 10, most):
        rest = data(n, steps)
        found, expected = GRADIENT(TRUE, *rest)[1], PLAIN(TRUE, *rest)[1]
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-6 * np.max(np.abs(expected)))
        table.add_row(f"{steps:,}", *(decimal(g.stats().peak_bytes) for g in (GRADIENT, PLAIN)))
    Console().print(table)
    found = fitted(np.array([9.0, 3.0]), data(n, 200))
    print(f"true {TRUE}, fitted {np.round(found.x, 4)} in {found.nfev} gradients")
    assert np.allclose(found.x, TRUE, rtol=0.01)


if __name__ == "__main__":
    main()
