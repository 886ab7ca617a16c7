"""k-means by Newton's method, written with maps and reductions.

The objective is the sum of the squared distances of all points to their nearest centres. Its
Hessian is diagonal, so one product with ones has all of it: forward mode over reverse mode, through
a map of a reduction of a map. The derivative of `min` is that of the nearest centre. The points
are the wines that scikit-learn ships, where it is installed.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

import retrograd as rg

__all__ = ["cost"]


def cost(centres, points):
    """The sum of squared distances to the nearest centre."""

    def nearest(point):
        distances = rg.map(lambda centre: np.sum((point - centre) * (point - centre)), centres)
        return rg.reduce(min, np.inf, distances)

    return np.sum(rg.map(nearest, points))


def clusters(count, size, rng):
    """Points around as many places."""
    places = rng.uniform(-10.0, 10.0, (count, 2))
    return np.concatenate([place + rng.normal(size=(size, 2)) for place in places])


def wines():
    """Thirteen measurements of 178 wines, each scaled to mean 0 and variance 1."""
    from sklearn.datasets import load_wine

    measured, _ = load_wine(return_X_y=True)
    return (measured - measured.mean(axis=0)) / measured.std(axis=0)


def lloyd(centres, points):
    """One iteration of Lloyd's algorithm, which is what Newton's method comes to here."""
    distances = np.sum((points[:, None] - centres) ** 2.0, axis=2)
    nearest = np.argmin(distances, axis=1)
    return np.array([points[nearest == k].mean(axis=0) for k in range(len(centres))])


def main() -> None:
    """Prints the objective of each iteration, and what its gradient keeps on the tape."""
    rng = np.random.default_rng(1)
    points = wines() if find_spec("sklearn") else clusters(3, 60, rng)
    centres = points[rng.choice(len(points), 3, replace=False)]
    slopes = rg.grad(cost)
    for step in range(8):
        gradient, diagonal = rg.jvp(
            slopes, (centres, points), (np.ones_like(centres), np.zeros_like(points))
        )
        better = centres - gradient / diagonal
        assert np.allclose(better, lloyd(centres, points), rtol=1e-9)
        print(f"iteration {step}: {rg.jit(cost)(centres, points):10.3f}")
        centres = better
    slopes(centres, points)
    print(f"tape: {slopes.stats().tape_bytes:,} bytes for {len(points):,} points, 3 centres")


if __name__ == "__main__":
    main()
