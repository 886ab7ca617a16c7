"""ADBench's mixture of Gaussians: the logarithm of a posterior and its gradient.

Each component has a logarithm of its weight, a mean, and a lower triangular factor of its inverse
covariance: the logarithms of the diagonal first, then what is below it, column by column. The prior
of the factors is Wishart's.
"""

from __future__ import annotations

import math

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg

__all__ = ["data", "objective"]


def log_sum_exp(x):
    """log of a sum of exponentials, without overflow."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def triangle(factor, d):
    """The lower triangular matrix that a factor's numbers stand for."""
    out = np.zeros((d, d))
    at = d
    for j in range(d):
        out[j, j] = np.exp(factor[j])
        for i in range(j + 1, d):
            out[i, j] = factor[at]
            at += 1
    return out


def log_multigamma(a, d):
    """log of the multivariate gamma function."""
    total = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        total += math.lgamma(a - 0.5 * j)
    return total


def log_prior(triangles, factors, d, gamma, m):
    """log of Wishart's density, as ADBench has it."""
    n = d + m + 1
    constant = n * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_multigamma(0.5 * n, d)
    logs = np.sum(factors[:, :d])
    return 0.5 * gamma**2 * np.sum(triangles**2) - m * logs - len(factors) * constant


def objective(weights, means, factors, points, gamma, m):
    """log of the density of the points and of the factors."""
    n, d = points.shape
    triangles = rg.map(lambda factor: triangle(factor, d), factors)
    heights = weights + np.sum(factors[:, :d], axis=1)

    def log_density(point):
        def of_component(height, mean, matrix):
            return height - 0.5 * np.sum((matrix @ (point - mean)) ** 2)

        return log_sum_exp(rg.map(of_component, heights, means, triangles))

    likelihood = np.sum(rg.map(log_density, points)) - n * log_sum_exp(weights)
    constant = -0.5 * n * d * math.log(2.0 * math.pi)
    return constant + likelihood + log_prior(triangles, factors, d, gamma, m)


def data(n, d, k, rng):
    """Random parameters and points."""
    return (
        rng.normal(size=k),
        rng.uniform(size=(k, d)),
        rng.normal(size=(k, d * (d + 1) // 2)),
        rng.normal(size=(n, d)),
        1.0,
        0,
    )


def main() -> None:
    """Prints the objective, and the size of its gradient by each argument."""
    arguments = data(1000, 3, 5, np.random.default_rng(1))
    value, slopes = rg.value_and_grad(objective, argnums=(0, 1, 2))(*arguments)
    table = Table("gradient by", "numbers", "norm", title=f"objective {value:.6f}")
    for name, slope in zip(("weights", "means", "factors"), slopes, strict=True):
        table.add_row(name, f"{slope.size}", f"{np.linalg.norm(slope):.6g}")
    Console().print(table)
    direction = tuple(np.ones_like(a) for a in arguments[:3])
    _, forward = rg.jvp(lambda *at: objective(*at, *arguments[3:]), arguments[:3], direction)
    assert np.isclose(forward, sum(np.sum(slope) for slope in slopes), rtol=1e-9)


if __name__ == "__main__":
    main()
