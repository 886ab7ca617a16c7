"""Programs of maps, reductions and scans that are timed and whose tapes are counted.

k-means, lookups and lattice Boltzmann are examples; these are the smaller ones.
"""

from __future__ import annotations

import math

import numpy as np

import retrograd as rg

__all__ = [
    "csr_product", "kmeans_of_loops", "log_sums", "map_of_loop", "nest", "ragged", "recurrence"
]  # fmt: skip


def kmeans_of_loops(centres, points):
    """k-means as the example has it, but for a distance that is a loop."""

    def nearest(point):
        def distance(centre):
            total = 0.0
            for j in range(len(point)):
                away = point[j] - centre[j]
                total += away * away
            return total

        return rg.reduce(min, np.inf, rg.map(distance, centres))

    return np.sum(rg.map(nearest, points))


def csr_product(values, x, starts, columns):
    """Half the squared length of a sparse matrix, by rows, times a vector."""

    def of_row(row):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * x[columns[at]]
        return total

    product = rg.build(len(starts) - 1, of_row)
    return 0.5 * np.sum(product * product)


def recurrence(a, b, weights):
    """A scan by an operator of one's own: x[i] = a[i] * x[i - 1] + b[i] from 1, weighted."""

    def composed(first, then):
        return first[0] * then[0], then[0] * first[1] + then[1]

    scale, shift = rg.scan(composed, (1.0, 0.0), a, b)
    return np.sum(weights * (scale + shift))


def log_sums(a, weights):
    """A scan by NumPy's operator: logarithms of sums of exponentials, weighted."""
    return np.sum(weights * rg.scan(np.logaddexp, -np.inf, a))


def map_of_loop(starts, rate):
    """A map of a loop of a hundred steps."""

    def settled(x):
        for _ in range(100):
            x = x - rate * math.sin(x)
        return x

    return np.sum(rg.map(settled, starts))


def nest(points, weights):
    """A loop over points, written out, with a loop over weights inside."""
    n = len(points)
    out = np.zeros(n)
    for i in range(n):
        m = 0.0
        for j in range(len(weights)):
            m = 0.9 * m + weights[j] * math.sin(m + points[i])
        out[i] = m
    return np.sum(out * out)


def ragged(rows, width, mean, rng):
    """A sparse matrix by rows whose lengths differ by orders of magnitude, and a vector."""
    counts = np.minimum(rng.geometric(1.0 / rng.gamma(0.5, 2.0 * mean, rows).clip(1.0)), width)
    starts = np.concatenate([[0], np.cumsum(counts)])
    columns = rng.integers(0, width, starts[-1])
    return rng.normal(size=starts[-1]), rng.normal(size=width), starts, columns
