"""Planets that go back to where they came from, and gradients of their orbits in constant memory.

The leapfrog method is a sequence of updates, so `rg.reversible` has nothing to ask for. Its inverse
restores the beginning up to rounding, and of fixed-point numbers to the bit; the same text with a
negative time step does not, and neither does a Runge-Kutta method. The gradient runs backwards
instead of remembering.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

import retrograd as rg
from examples.reversible.plots import COLOURS, options, save, subplots

__all__ = ["back_again", "bytes_of", "distance", "energy", "leapfrog", "main", "planets"]

Floats = npt.NDArray[np.float64]

GRAVITY = 4.0 * np.pi**2
"""In astronomical units, years and masses of the sun."""
PLANETS = {
    "earth": (3.003e-6, 1.000, 0.0167, 102.9),
    "mars": (3.227e-7, 1.524, 0.0934, 336.0),
    "jupiter": (9.548e-4, 5.203, 0.0484, 14.8),
    "saturn": (2.859e-4, 9.537, 0.0542, 92.4),
}
"""Mass, semi-major axis, eccentricity, and longitude of the perihelion in degrees."""


def kicked_and_moved(x, v, mass, dt, steps):
    """Positions and velocities, so many time steps later."""
    for _ in range(steps):
        for i in range(len(x)):
            for j in range(i):
                d = x[i] - x[j]
                pull = GRAVITY * dt / np.sum(d * d) ** 1.5 * d
                v[i] -= mass[j] * pull
                v[j] += mass[i] * pull
        x += dt * v


leapfrog = rg.reversible(kicked_and_moved)


def acceleration(x, mass):
    """What the bodies do to each other."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            pull = GRAVITY / np.sum(d * d) ** 1.5 * d
            out[i] -= mass[j] * pull
            out[j] += mass[i] * pull
    return out


def runge_kutta(x, v, mass, dt, steps):
    """The classical method of fourth order; it changes its arguments as well."""
    for _ in range(steps):
        a1 = acceleration(x, mass)
        v2 = v + 0.5 * dt * a1
        a2 = acceleration(x + 0.5 * dt * v, mass)
        v3 = v + 0.5 * dt * a2
        a3 = acceleration(x + 0.5 * dt * v2, mass)
        v4 = v + dt * a3
        a4 = acceleration(x + dt * v3, mass)
        x += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)


def energy(x, v, mass):
    """The total energy."""
    total = 0.5 * np.sum(mass * np.sum(v * v, axis=1))
    for i in range(len(x)):
        for j in range(i):
            total -= GRAVITY * mass[i] * mass[j] / np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return total


def planets() -> tuple[Floats, Floats, Floats]:
    """Positions, velocities and masses: each planet at its perihelion, the momentum zero."""
    mass, axis, eccentricity, degrees = np.array(list(PLANETS.values())).T
    along = np.stack([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    speed = np.sqrt(GRAVITY * (1.0 + eccentricity) / (axis * (1.0 - eccentricity)))
    x = np.vstack([np.zeros(2), (axis * (1.0 - eccentricity))[:, None] * along])
    v = np.vstack([np.zeros(2), speed[:, None] * across])
    masses = np.concatenate([np.ones(1), mass])
    v -= masses @ v / np.sum(masses)
    return x, v, masses


STEP = rg.jit(leapfrog)
BACK = rg.jit(rg.inverse(leapfrog))
RUNGE_KUTTA = rg.jit(runge_kutta)
ENERGY = rg.jit(energy)


@dataclass(frozen=True)
class Way:
    """How to go forward and back: with which sign of the time step, and of which numbers."""

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    sign: float = 1.0
    numbers: Callable[[Floats], Any] = np.copy


WAYS: Mapping[str, Way] = {
    "Runge-Kutta, then with −dt": Way(RUNGE_KUTTA, RUNGE_KUTTA, -1.0),
    "leapfrog, then with −dt": Way(STEP, STEP, -1.0),
    "leapfrog, then its inverse": Way(STEP, BACK),
    "the same of fixed-point numbers": Way(STEP, BACK, numbers=rg.fixed),
}


def floats(numbers: Any) -> Floats:
    """What fixed-point or other numbers are."""
    return numbers if isinstance(numbers, np.ndarray) else numbers.floats


def back_again(name: str, dt: float, steps: int) -> tuple[float, float]:
    """The energy's relative error after so many steps, and how far from the beginning a body is
    when it has come back."""
    way, (start, speed, mass) = WAYS[name], planets()
    x, v = way.numbers(start), way.numbers(speed)
    first, begun = ENERGY(floats(x), floats(v), mass), floats(x).copy()
    way.forward(x, v, mass, dt, steps)
    lost = abs(ENERGY(floats(x), floats(v), mass) / first - 1.0)
    way.backward(x, v, mass, way.sign * dt, steps)
    return float(lost), float(np.max(np.abs(floats(x) - begun)))


def distance(x, v, mass, dt, steps):
    """The squared distance of the last planet from the first one, in the end."""
    x, v = x.copy(), v.copy()
    leapfrog(x, v, mass, dt, steps)
    return np.sum((x[len(x) - 1] - x[1]) ** 2)


def plain_distance(x, v, mass, dt, steps):
    """The same by a function that is not known to be reversible."""
    x, v = x.copy(), v.copy()
    kicked_and_moved(x, v, mass, dt, steps)
    return np.sum((x[len(x) - 1] - x[1]) ** 2)


GRADIENTS = {
    "whole tape": rg.grad(plain_distance, argnums=(0, 1)),
    'memory="8MB"': rg.grad(plain_distance, argnums=(0, 1), memory="8MB"),
    "reversible": rg.grad(distance, argnums=(0, 1)),
}


def bytes_of(way: str, dt: float, steps: int) -> tuple[int, float, tuple[Floats, Floats]]:
    """The most bytes that a gradient had, its seconds, and the gradient."""
    gradient, args = GRADIENTS[way], (*planets(), dt, steps)
    gradient(*args)
    start = time.perf_counter()
    found = gradient(*args)
    seconds = time.perf_counter() - start
    return gradient.stats().peak_bytes, seconds, found


def drifts(dt: float, lengths: Sequence[int]) -> dict[str, list[tuple[float, float]]]:
    """Errors of energy and of return by way, for each length."""
    return {way: [back_again(way, dt, steps) for steps in lengths] for way in WAYS}


def draw_drifts(path: Path, dt: float, lengths: Sequence[int], found: Mapping[str, Any]) -> None:
    """Energy and return against the years."""
    figure, (left, right) = subplots(2, 5.5)
    years = [dt * steps for steps in lengths]
    for colour, (name, errors) in zip(COLOURS, found.items(), strict=False):
        lost, missed = zip(*errors, strict=True)
        if name in ("Runge-Kutta, then with −dt", "leapfrog, then its inverse"):
            left.loglog(years, lost, "o-", color=colour, label=name.split(",")[0])
        exact = max(missed) == 0.0
        label = f"{name}: 0" if exact else name
        right.loglog(years, np.maximum(missed, 1e-17), "o-", color=colour, label=label)
    left.set_title("Relative error of the energy, after so many years")
    right.set_title("Distance from the start, after so many years and back")
    right.set_ylabel("astronomical units")
    right.set_ylim(3e-18, 1e12)
    for plot in (left, right):
        plot.set_xlabel("years")
        plot.legend(loc="upper left" if plot is right else "lower right")
    save(figure, path)


def draw_bytes(path: Path, lengths: Sequence[int], found: Mapping[str, Any]) -> None:
    """Memory and time against the number of steps."""
    figure, (left, right) = subplots(2, 5.5)
    for colour, (way, rows) in zip(COLOURS, found.items(), strict=False):
        left.loglog(lengths, [row[0] for row in rows], "o-", color=colour, label=way)
        right.loglog(lengths, [1e3 * row[1] for row in rows], "o-", color=colour, label=way)
    left.set_title("Bytes of the gradient")
    right.set_title("Milliseconds of the gradient")
    for plot in (left, right):
        plot.set_xlabel("time steps")
        plot.legend()
    save(figure, path)


def tables(dt: float, lengths: Sequence[int], found: Any, memory: Any) -> list[Table]:
    """Both figures as numbers."""
    returns = Table("steps", *WAYS)
    returns.title = f"The sun and {len(PLANETS)} planets, dt = {dt}: distance from the start"
    sizes = Table("steps", *GRADIENTS, "", *GRADIENTS, title="Bytes and seconds of a gradient")
    for k, steps in enumerate(lengths):
        returns.add_row(f"{steps:,}", *(f"{found[way][k][1]:.1e}" for way in WAYS))
        rows = [memory[way][k] for way in GRADIENTS]
        seconds = [f"{row[1]:.4f}" for row in rows]
        sizes.add_row(f"{steps:,}", *(decimal(row[0]) for row in rows), "", *seconds)
    return [returns, sizes]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints how far planets return and what gradients take, and draws both."""
    asked = options(__doc__, arguments)
    dt = 0.01
    lengths = [10**k for k in range(2, 5 if asked.quick else 7)]
    found = drifts(dt, lengths)
    memory = {way: [bytes_of(way, dt, steps) for steps in lengths] for way in GRADIENTS}
    for table in tables(dt, lengths, found, memory):
        Console().print(table)
    for rows in zip(*memory.values(), strict=True):
        taped, _, reversible = (np.concatenate([g.ravel() for g in row[2]]) for row in rows)
        assert np.allclose(reversible, taped, rtol=1e-6, atol=1e-6 * np.max(np.abs(taped)))
    assert len({row[0] for row in memory["reversible"]}) == 1
    draw_drifts(asked.out / "solar_system_drift.png", dt, lengths, found)
    draw_bytes(asked.out / "solar_system_bytes.png", lengths, memory)


if __name__ == "__main__":
    main()
