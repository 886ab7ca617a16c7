"""Two objectives of ADBench in reversible style, compared with their plain programs.

The mixture of Gaussians adds up logarithms of densities, point by point; bundle adjustment adds
residuals to an array, observation by observation. What each needs in between are locals, which are
built again on the way back. Gradients agree with those of the plain programs in `examples.adbench`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg
from examples.adbench import bundle_adjustment, gaussian_mixture
from examples.adbench.gaussian_mixture import log_prior, log_sum_exp, triangle
from examples.reversible.plots import options

__all__ = ["COMPARED", "add_densities", "add_residuals", "compared", "main"]


@rg.reversible
def add_densities(out, heights, means, triangles, points):
    """Adds the logarithm of the density of each point, but for a constant."""
    for point in points:
        parts = np.empty(len(heights))
        for k in range(len(heights)):
            parts[k] = heights[k] - 0.5 * np.sum((triangles[k] @ (point - means[k])) ** 2)
        out += log_sum_exp(parts)
    return out


def mixture(weights, means, factors, points, gamma, m):
    """ADBench's objective."""
    n, d = points.shape
    triangles = rg.map(lambda factor: triangle(factor, d), factors)
    heights = weights + np.sum(factors[:, :d], axis=1)
    total = -0.5 * n * d * math.log(2.0 * math.pi) - n * log_sum_exp(weights)
    total = add_densities(total, heights, means, triangles, points)
    return total + log_prior(triangles, factors, d, gamma, m)


@rg.reversible
def add_residuals(out, cameras, points, weights, observations, features):
    """Adds the residuals of all observations."""
    for k in range(len(observations)):
        camera, point = cameras[observations[k, 0]], points[observations[k, 1]]
        out[k] += bundle_adjustment.miss(camera, point, weights[k], features[k])


def squares(cameras, points, weights, observations, features):
    """Half the sum of squares of all residuals, those of the weights included."""
    out = np.zeros((len(observations), 2))
    add_residuals(out, cameras, points, weights, observations, features)
    return 0.5 * np.sum(out**2) + 0.5 * np.sum((1.0 - weights**2) ** 2)


def plain_squares(cameras, points, weights, observations, features):
    """The same by the plain program."""
    out, more = bundle_adjustment.residuals(cameras, points, weights, observations, features)
    return 0.5 * np.sum(out**2) + 0.5 * np.sum(more**2)


def slopes(objective: Any) -> Any:
    """The objective with its gradient."""
    return rg.value_and_grad(objective, argnums=(0, 1, 2))


COMPARED = {
    "Gaussian mixture": (slopes(mixture), slopes(gaussian_mixture.objective)),
    "bundle adjustment": (slopes(squares), slopes(plain_squares)),
}
"""The reversible program and the plain one."""


def compared(name: str, args: tuple[Any, ...]) -> tuple[float, float, float]:
    """The objective, and how far it and its gradient are off the plain program's, relatively."""
    (value, found), (expected, wanted) = (both(*args) for both in COMPARED[name])
    pairs = list(zip(found, wanted, strict=True))
    size = max(float(np.max(np.abs(b))) for _, b in pairs)
    off = max(float(np.max(np.abs(a - b))) for a, b in pairs)
    return float(value), abs(float(value / expected) - 1.0), off / size


def data(name: str, quick: bool) -> tuple[Any, ...]:
    """ADBench's arguments, at random."""
    rng = np.random.default_rng(1)
    if name == "Gaussian mixture":
        return gaussian_mixture.data(50 if quick else 1000, 3, 5, rng)
    return bundle_adjustment.data(4, 30, 60 if quick else 1000, rng)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints objectives, and how far they and their gradients are from the plain programs'."""
    asked = options(__doc__, arguments)
    table = Table("", "objective", "off", "gradient off", title="Reversible against plain")
    for name in COMPARED:
        value, off, slope = compared(name, data(name, asked.quick))
        table.add_row(name, f"{value:.9g}", f"{off:.0e}", f"{slope:.0e}")
        assert max(off, slope) < 1e-10
    Console().print(table)


if __name__ == "__main__":
    main()
