"""An orthogonal matrix as a product of rotations in planes, learned from its action on vectors.

`rg.rotate` turns two numbers by an angle, so a product of Givens rotations changes vectors in place
and is undone by the opposite turns. All matrices that the angles can make are orthogonal, which
makes such products layers of networks of which neither values nor gradients grow (Jing et al.
2017). An affine map in front of it is one more update.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import special_ortho_group

import retrograd as rg
from examples.reversible.plots import options

__all__ = ["GRADIENT", "affine", "fitted", "main", "matrix", "turned"]

Floats = npt.NDArray[np.float64]


@rg.reversible
def turned(x, angles):
    """Rotates the vector x in all planes of two axes."""
    for i in range(len(x)):
        for j in range(i):
            x[j], x[i] = rg.rotate(x[j], x[i], angles[i, j])


@rg.reversible
def affine(y, w, x, b):
    """y += W x + b."""
    y += w @ x + b


def loss(angles, shift, inputs, outputs):
    """The squared distances of what an affine map and rotations make of vectors."""
    total = 0.0
    for k in range(len(inputs)):
        x = np.zeros(len(shift))
        affine(x, np.eye(len(shift)), inputs[k], shift)
        turned(x, angles)
        total += np.sum((x - outputs[k]) ** 2)
    return total


GRADIENT = rg.value_and_grad(loss, argnums=(0, 1))


def matrix(angles: Floats) -> Floats:
    """The product of the rotations as a matrix, one column at a time."""
    columns = np.eye(len(angles))
    for column in columns:
        turned(column, angles)
    return columns.T


def fitted(inputs: Floats, outputs: Floats) -> tuple[Floats, Floats, Any]:
    """Angles and shift by L-BFGS."""
    n = inputs.shape[1]

    def value_and_slope(flat: Floats) -> tuple[float, Floats]:
        value, slopes = GRADIENT(flat[: n * n].reshape(n, n), flat[n * n :], inputs, outputs)
        return float(value), np.concatenate([s.ravel() for s in slopes])

    start = 0.1 * np.random.default_rng(2).normal(size=n * n + n)
    found = minimize(
        value_and_slope, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-16}
    )
    return found.x[: n * n].reshape(n, n), found.x[n * n :], found


def main(arguments: Sequence[str] | None = None) -> None:
    """Finds a matrix and a shift, and prints how far they are off."""
    asked = options(__doc__, arguments)
    n, rng = (4 if asked.quick else 8), np.random.default_rng(1)
    true, shift = special_ortho_group.rvs(n, random_state=rng), rng.normal(size=n)
    inputs = rng.normal(size=(4 * n, n))
    angles, moved, found = fitted(inputs, (inputs + shift) @ true.T)
    q = matrix(angles)
    off, further = np.max(np.abs(q - true)), np.max(np.abs(moved - shift))
    print(f"loss {found.fun:.1e} after {found.nfev} gradients")
    print(f"matrix off by {off:.1e}, shift by {further:.1e}")
    print(f"QᵀQ - 1: {np.max(np.abs(q.T @ q - np.eye(n))):.1e}")
    print(rg.check_inverse(turned, rng.normal(size=n), angles))


if __name__ == "__main__":
    main()
