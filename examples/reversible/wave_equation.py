"""The speed of waves in a string, found from a recording, by gradients that remember nothing.

A pulse runs through a medium and is recorded at every time step at a few places. The gradient of
the misfit by the speed at every point goes back through all steps: the field is restored by the
inverse step, so no step is stored. (Full waveform inversion, in one dimension.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from scipy.optimize import minimize

import retrograd as rg
from examples.reversible.plots import COLOURS, options, save, subplots

__all__ = ["GRADIENT", "PLAIN", "data", "invert", "main", "misfit", "step"]

Floats = npt.NDArray[np.float64]


@rg.reversible
def step(u, p, c, dt):
    """A step of the wave equation; the ends are held."""
    p[1:-1] += dt * c[1:-1] ** 2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u += dt * p


def recorded(c, u, p, dt, steps, places):
    """The field at some places, after every step."""
    u, p = u.copy(), p.copy()
    out = np.zeros((steps, len(places)))
    for t in range(steps):
        step(u, p, c, dt)
        out[t] = u[places]
    return out


def misfit(c, u, p, dt, places, seen):
    """Half the squared distance to a recording."""
    u, p = u.copy(), p.copy()
    total = 0.0
    for t in range(len(seen)):
        step(u, p, c, dt)
        for k in range(len(places)):
            total += 0.5 * (u[places[k]] - seen[t, k]) ** 2
    return total


def plain_misfit(c, u, p, dt, places, seen):
    """The same by a step that is not known to be reversible."""
    u, p = u.copy(), p.copy()
    total = 0.0
    for t in range(len(seen)):
        p[1:-1] += dt * c[1:-1] ** 2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += dt * p
        for k in range(len(places)):
            total += 0.5 * (u[places[k]] - seen[t, k]) ** 2
    return total


def data(n: int, steps: int) -> tuple[Floats, tuple[Any, ...]]:
    """The true speed, and the arguments of `misfit` after the speed."""
    at = np.linspace(0.0, 1.0, n)
    c = 1.0 - 0.25 * np.exp(-(((at - 0.45) / 0.06) ** 2)) + 0.15 * (at > 0.7)
    u, p, dt = np.exp(-(((at - 0.15) / 0.03) ** 2)), np.zeros(n), 0.5
    places = np.linspace(0.05 * n, 0.95 * n, 7).astype(np.int64)
    return c, (u, p, dt, places, rg.jit(recorded)(c, u, p, dt, steps, places))


GRADIENT = rg.value_and_grad(misfit)
PLAIN = rg.value_and_grad(plain_misfit)


def invert(guess: Floats, rest: tuple[Any, ...], iterations: int) -> Any:
    """The speed by L-BFGS."""
    return minimize(
        GRADIENT, guess, rest, "L-BFGS-B", jac=True,
        options={"maxiter": iterations, "maxfun": 2 * iterations},
    )  # fmt: skip


def memory(n: int, lengths: Sequence[int]) -> Table:
    """Bytes of the gradient against the number of steps."""
    table = Table(
        "time steps", "reversible", "whole tape", title=f"Bytes of a gradient, {n} points"
    )
    for steps in lengths:
        c, rest = data(n, steps)
        found, expected = GRADIENT(0.9 * c, *rest)[1], PLAIN(0.9 * c, *rest)[1]
        assert np.allclose(found, expected, rtol=1e-8, atol=1e-8 * np.max(np.abs(expected)))
        sizes = [decimal(g.stats().peak_bytes) for g in (GRADIENT, PLAIN)]
        table.add_row(f"{steps:,}", *sizes)
    return table


def draw(path: Path, true: Floats, guess: Floats, found: Any, rest: tuple[Any, ...]) -> None:
    """Speeds, and the recording that they were found from."""
    figure, (left, right) = subplots(2, 5.5)
    at = np.linspace(0.0, 1.0, len(true))
    for colour, name, speed in (
        (COLOURS[4], "first guess", guess), (COLOURS[1], "found", found.x), ("0.3", "true", true)
    ):  # fmt: skip
        left.plot(at, speed, color=colour, label=name, ls="--" if name == "true" else "-")
    left.plot(at[rest[3]], np.full(len(rest[3]), true.min() - 0.03), "k^", label="receivers")
    left.set_title("Speed of the wave")
    left.set_xlabel("place")
    left.legend()
    for k, trace in enumerate(rest[4].T):
        right.plot(trace + k, color="0.2", lw=0.8)
    right.set_title("What the receivers recorded")
    right.set_xlabel("time step")
    right.set_ylabel("receiver")
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Finds the speed and draws it; prints what gradients take."""
    asked = options(__doc__, arguments)
    n, steps = (60, 100) if asked.quick else (300, 900)
    Console().print(memory(n, [steps // 10, steps, 10 * steps]))
    true, rest = data(n, steps)
    guess = np.full(n, 1.0)
    found = invert(guess, rest, 10 if asked.quick else 300)
    before, after = (float(np.sqrt(np.mean((c - true) ** 2))) for c in (guess, found.x))
    print(f"misfit {misfit(guess, *rest):.3g} -> {found.fun:.3g} in {found.nfev} gradients")
    print(f"error of the speed {before:.4f} -> {after:.4f}")
    draw(asked.out / "wave_equation.png", true, guess, found, rest)


if __name__ == "__main__":
    main()
