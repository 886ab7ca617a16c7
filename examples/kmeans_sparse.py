"""k-means of points that are rows of a sparse matrix: its gradient and Hessian diagonal.

The points are kept by rows: where each row starts, and the columns and values of what is not zero.
The squared distance to a centre is the centre's squared length, corrected in the columns of the
point, so that zeros cost nothing. Centres are dense. The Hessian is diagonal, so that forward mode
over reverse mode in the direction of ones has all of it, as in `kmeans_by_newton.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import retrograd as rg
from examples import kmeans_by_newton

__all__ = ["Rows", "cost", "data", "dense", "gradient_and_diagonal"]


class Rows(NamedTuple):
    """A sparse matrix by rows."""

    starts: np.ndarray
    columns: np.ndarray
    values: np.ndarray


def cost(centres, points):
    """The sum of squared distances to the nearest centre."""
    lengths = np.sum(centres * centres, axis=1)

    def nearest(row):
        first, last = points.starts[row], points.starts[row + 1]

        def distance(centre, length):
            total = length
            for at in range(first, last):
                value = points.values[at]
                total += value * (value - 2.0 * centre[points.columns[at]])
            return total

        return rg.reduce(min, np.inf, rg.map(distance, centres, lengths))

    return np.sum(rg.build(len(points.starts) - 1, nearest))


slopes = rg.grad(cost)


def gradient_and_diagonal(centres, points):
    """The gradient by the centres, and the diagonal of the Hessian."""
    return rg.jvp(lambda at: slopes(at, points), (centres,), (np.ones_like(centres),))


def dense(points, width):
    """The same points with their zeros."""
    rows = np.repeat(np.arange(len(points.starts) - 1), np.diff(points.starts))
    full = np.zeros((len(points.starts) - 1, width))
    full[rows, points.columns] = points.values
    return full


def data(count, width, clusters, filled, rng):
    """Points that fill about so many columns, most of them those of their cluster."""
    likely = rng.dirichlet(np.full(width, 0.1), clusters)
    counts = rng.integers(max(1, filled // 2), 3 * filled // 2 + 1, count)
    columns = [
        np.unique(rng.choice(width, size, p=likely[k]))
        for size, k in zip(counts, rng.integers(0, clusters, count), strict=True)
    ]
    starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    points = Rows(starts, np.concatenate(columns), rng.uniform(0.5, 1.5, starts[-1]))
    return dense(points, width)[rng.choice(count, clusters, replace=False)], points


def main() -> None:
    """Newton's method; each gradient and diagonal is compared with those of the dense program."""
    centres, points = data(1000, 200, 5, 12, np.random.default_rng(1))
    full = dense(points, 200)
    dense_slopes = rg.grad(kmeans_by_newton.cost)
    print(f"{len(points.values):,} of {full.size:,} numbers are not zero")
    for step in range(6):
        gradient, diagonal = gradient_and_diagonal(centres, points)
        expected = rg.jvp(lambda at: dense_slopes(at, full), (centres,), (np.ones_like(centres),))
        assert np.allclose(gradient, expected[0], rtol=1e-9, atol=1e-9)
        assert np.array_equal(diagonal, expected[1])
        print(f"iteration {step}: {rg.jit(cost)(centres, points):10.3f}")
        centres = centres - gradient / diagonal
    slopes(centres, points)
    print(f"tape: {slopes.stats().tape_bytes:,} bytes for {len(full):,} points, 5 centres")


if __name__ == "__main__":
    main()
